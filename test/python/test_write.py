"""Models that are written in Python."""

import inspect

import numpy as np
import pytest

import dalembert as dal
from conftest import PENDULUM


def written():
    m = dal.Model(name="Pendulum", space="planar", gravity=[0, -9.81])
    m.parameter(l=0.6)
    m.input(u=0)
    m.body("rod", mass=1.5, inertia=np.float64(0.18), angle="-30*deg", points={"O": ["-l", 0]})
    m.joint("pivot", type="revolute", connect=("ground", "rod.O"))
    m.force("motor", type="torque", joint="pivot", value="u")
    m.record("pivot.angle", "pivot.angle'", "energy")
    m.simulate(until=3, every=0.05, max_step=10)
    return m


def test_it_is_the_model_of_the_file():
    np.testing.assert_array_equal(written().run(page=False).values, dal.parse(PENDULUM).run(page=False, max_step=10).values)


def test_a_dictionary_mirrors_the_file():
    m = dal.Model({"dalembert": 1, "space": "planar", "gravity": np.array([0, -9.81]), "parameters": {"l": 0.6}, "inputs": {"u": 0},
                   "bodies": {"rod": {"mass": 1.5, "inertia": 0.18, "angle": "-30*deg", "points": {"O": ["-l", 0]}}},
                   "joints": {"pivot": {"type": "revolute", "connect": ["ground", "rod.O"]}},
                   "forces": {"motor": {"type": "torque", "joint": "pivot", "value": "u"}},
                   "record": ["pivot.angle", "pivot.angle'", "energy"], "simulate": {"until": 3, "every": 0.05}})
    np.testing.assert_array_equal(m.run(page=False).values, dal.parse(PENDULUM).run(page=False).values)
    assert m.vary(l=0.5).parameters == {"l": 0.5}


def line_of(text):
    """The line of this file that has these words, and the column of its last word."""
    for number, line in enumerate(open(__file__), 1):
        if text in line and "line_of" not in line:
            return number, line
    raise AssertionError(text)


def test_errors_name_the_python_line():
    m = dal.Model(space="planar")
    m.body("rod", mass=1.5,
           inertai=0.18)
    m.joint("pivot", type="revolut", connect=["ground", "rod"])
    with pytest.raises(dal.ModelError) as caught:
        m.run(1)
    errors = [e for e in caught.value.messages if e.severity == "error"]
    number, line = line_of("           inertai=0.18)")
    assert errors[0].place == (__file__, number, 12, line.rstrip("\n"))
    assert f"{__file__}:{number}:12: error: body 'rod' has no key 'inertai'" in str(caught.value)
    m = dal.Model(space="planar")
    m.body("rod", mass=1.5, inertia=0.18)
    m.joint("hinge", type="revolut", connect=["ground", "rod"])
    with pytest.raises(dal.ModelError, match="revolut") as caught:
        m.run(1)
    number, line = line_of('m.joint("hinge", type="revolut"')
    assert caught.value.messages[0].place[:3] == (__file__, number, line.index("type=") + 1)


def test_expressions_are_looked_at_where_they_stand():
    m = dal.Model(space="planar")
    m.body("rod", mass="2*nothing", inertia=0.18)
    with pytest.raises(dal.ModelError, match="nothing") as caught:
        m.run(1)
    assert caught.value.messages[0].place.line == line_of('mass="2*nothing"')[0]


def test_what_cannot_be_written():
    m = dal.Model(space="planar")
    with pytest.raises(TypeError, match="not a value of a model"):
        m.body("rod", mass=object())
    m.body("rod", mass=1)
    with pytest.raises(ValueError, match="'rod' is in 'bodies' already"):
        m.body("rod", mass=2)
    with pytest.raises(dal.CommandError, match="was read"):
        dal.parse(PENDULUM).body("more", mass=1)


def test_it_can_be_changed_after_a_run():
    m = written()
    before = m.run(page=False)
    m.force("brake", type="torque", joint="pivot", value="-0.5*pivot.angle'")
    after = m.run(page=False)
    assert after["energy"][-1] < before["energy"][-1] - 0.1 and inspect.getdoc(dal.Model)
