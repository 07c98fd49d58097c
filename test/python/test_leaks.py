"""Nothing stays: 10^4 cycles of making, using and dropping."""

import gc
import tracemalloc

import numpy as np
import pytest

import dalembert as dal
from conftest import PENDULUM

CYCLES = 10_000


def resident():
    """Kilobytes of this process that are in memory."""
    with open("/proc/self/status", encoding="ascii") as file:
        return int(next(line.split()[1] for line in file if line.startswith("VmRSS")))


def model_read_and_refused():
    dal.parse(PENDULUM, l=0.4)
    with pytest.raises(dal.ModelError):
        dal.parse("dalembert: 1\nspace: flat\n")


def simulation(system):
    sim = dal._core.create_simulation(system, None, None, 0.0)
    view = sim.q
    sim.inputs["u"] = 0.1
    sim.step(1e-4)
    sim.restore(sim.save())
    return view


def tree_call(tree, q, rows):
    tree.forward_dynamics(q, q, out=np.empty(1))
    tree.mass_matrix(rows)
    tree.forward_derivatives(q, q)
    tree.motion("rod", [0.1])
    try:
        tree.forward_dynamics(q, [1, 2])
    except ValueError:
        pass


def controlled(m):
    """A controller that knows its simulation: a cycle, which is collected."""
    sim = None
    sim = m.simulation(control=lambda now: sim, period=1)
    sim.time


def cycles():
    m = dal.parse(PENDULUM)
    system = m._system({"integrator": "rk4", "step": 1e-4})
    tree, q, rows = m.tree(), np.array([0.3]), np.zeros((3, 1))
    short = dict(integrator="rk4", step=1e-3, page=False)
    return {"read": (model_read_and_refused, CYCLES // 10), "simulation": (lambda: simulation(system), CYCLES),
            "tree": (lambda: tree_call(tree, q, rows), CYCLES), "run": (lambda: m.run(2e-3, **short), CYCLES // 10),
            "page": (lambda: m.run(2e-3, integrator="rk4", step=1e-3), CYCLES // 100),
            "cycle": (lambda: controlled(m), CYCLES // 10), "check": (lambda: (m.check(), m.linearize()), CYCLES // 100)}


def repeat(work, n):
    """Cycles of references are collected now and then: otherwise many of them are in memory at one time, and how many is Python's choice."""
    for i in range(n):
        work()
        if i % 100 == 99:
            gc.collect()
    gc.collect()


@pytest.mark.parametrize("name", list(cycles()))
def test_nothing_stays(name):
    work, n = cycles()[name]
    repeat(work, n // 10 + 10)
    before = resident()
    tracemalloc.start()
    first = tracemalloc.get_traced_memory()[0]
    repeat(work, n // 10)
    traced = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    repeat(work, n)
    assert traced < 50_000, f"{traced} bytes of Python objects stay after {n // 10} cycles"
    assert resident() - before < 4000, f"{resident() - before} kB stay after {n} cycles"
