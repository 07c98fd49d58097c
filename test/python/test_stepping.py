"""Simulations and states."""

import gc
import threading
import weakref

import numpy as np
import pytest

import dalembert as dal
from conftest import MODELS, PENDULUM


def test_steps_end_where_a_run_does(pendulum):
    r = pendulum.run(1, integrator="rk6", step=1e-3, page=False)
    sim = pendulum.simulation(integrator="rk6", step=1e-3)
    sim.step_to(1)
    assert sim.time == 1 and sim["pivot.angle"] == r["pivot.angle"][-1]
    np.testing.assert_array_equal(sim.values, r.values[-1])
    assert sim.evidence.steps == r.evidence.steps
    sim.step(0.5)
    assert sim.time == 1.5


def test_views_show_the_present_and_keep_their_simulation(pendulum):
    sim = pendulum.simulation(coordinates="joint")
    q, v, a = sim.q, sim.v, sim.a
    before = q.copy()
    sim.step(0.1)
    assert q[0] != before[0] and q[0] == sim["pivot.angle"] and v[0] == pytest.approx(sim["pivot.angle'"], rel=1e-15)
    assert a[0] == pytest.approx(-1.5 * 9.81 * 0.6 * np.cos(q[0]) / (0.18 + 1.5 * 0.36), rel=1e-12)
    assert not q.flags.writeable and not q.flags.owndata
    with pytest.raises(ValueError):
        q[0] = 1
    last = q[0]
    del sim
    gc.collect()
    np.frombuffer(bytearray(1 << 20), dtype=np.uint8)
    assert q[0] == last
    with pendulum.simulation(coordinates="joint") as short:
        view = short.q
    assert view[0] == before[0]
    with pytest.raises(dal.CommandError, match="closed"):
        short.step(0.1)


def test_v_is_the_velocity_whatever_is_integrated():
    """Under kane, y holds speeds; v is that of the joint's rates all the same."""
    m = dal.load(MODELS / "four-bar-spring.yaml")
    kane = m.simulation(coordinates="joint", formulation="kane", integrator="rk6", step=1e-3)
    lagrange = m.simulation(coordinates="joint", formulation="lagrange", integrator="rk6", step=1e-3)
    for sim in (kane, lagrange):
        sim.step_to(0.7)
    assert len(kane.v) == len(lagrange.v) == 3
    np.testing.assert_allclose(kane.v, lagrange.v, rtol=1e-9)
    np.testing.assert_allclose(kane.a, lagrange.a, rtol=1e-7)


def test_inputs(pendulum):
    sim = pendulum.simulation()
    assert sim.inputs["u"] == 0
    sim.inputs["u"] = 2.5
    assert sim.inputs["u"] == 2.5
    for wrong, kind in (("w", KeyError), (3, TypeError)):
        with pytest.raises(kind):
            sim.inputs[wrong] = 1
    with pytest.raises(dal.CommandError, match="u"):
        sim.inputs["u"] = float("nan")
    with pytest.raises(TypeError):
        sim.inputs["u"] = "much"
    with pytest.raises(KeyError, match="no recorded channel 'pivot.angel'"):
        sim["pivot.angel"]


@pytest.mark.parametrize("integrator", ["dopri5", "ab6", "rk4"])
def test_save_and_restore_bit_for_bit(integrator):
    m = dal.load(MODELS / "four-bar-spring.yaml")
    settings = dict(integrator=integrator, **({} if integrator == "dopri5" else {"step": 1e-3}))
    first, second = m.simulation(**settings), m.simulation(**settings)
    first.step_to(0.5)
    saved = first.save()
    first.step_to(1)
    second.restore(saved)
    assert second.time == 0.5
    second.step_to(1)
    assert first.values.tobytes() == second.values.tobytes() and first.q.tobytes() == second.q.tobytes()
    assert second.evidence.restored == 1
    broken = bytearray(saved)
    broken[len(broken) // 2] ^= 1
    with pytest.raises(dal.FileError):
        second.restore(bytes(broken))
    with pytest.raises(dal.FileError):
        second.restore(b"short")
    with pytest.raises(TypeError):
        second.restore("text")


def test_wrong_steps(pendulum):
    sim = pendulum.simulation()
    for wrong in (float("nan"), float("inf"), -1.0):
        with pytest.raises(dal.CommandError):
            sim.step(wrong)
    with pytest.raises(TypeError):
        sim.step("far")
    with pytest.raises(dal.CommandError, match="rk4|fixed"):
        sim.step_fixed(0.01)
    sim.step(0.1)


def test_look_does_not_change_the_motion(pendulum):
    plain, looked = pendulum.simulation(), pendulum.simulation()
    for t in np.linspace(0, 2.9, 30):
        looked.look(t)
    plain.step_to(3)
    looked.step_to(3)
    assert plain.values.tobytes() == looked.values.tobytes()


def test_start_values(pendulum):
    sim = pendulum.simulation(start={"rod.angle": -1.0})
    assert sim["pivot.angle"] == pytest.approx(-1, abs=1e-12)
    with pytest.raises(dal.CommandError, match="rod.angel"):
        pendulum.simulation(start={"rod.angel": 1})


def test_one_simulation_belongs_to_one_thread(pendulum):
    sim, errors = pendulum.simulation(integrator="rk4", step=1e-4), []
    thread = threading.Thread(target=sim.step_to, args=(3,))
    thread.start()
    while thread.is_alive():
        try:
            sim.time
        except dal.CommandError as error:
            errors.append(str(error))
            break
    thread.join()
    assert not errors or "another thread" in errors[0]
    assert sim.time == 3


def test_state_body_reaction_energy(pendulum):
    state = pendulum.state()
    with pytest.raises(dal.CommandError, match="evaluate"):
        state.q
    state.evaluate()
    rod = state.body("rod")
    angle = -np.pi / 6
    np.testing.assert_allclose(rod.position, [0.6 * np.cos(angle), 0.6 * np.sin(angle), 0], atol=1e-12)
    np.testing.assert_allclose(rod.rotation[:2, :2], [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], atol=1e-12)
    force = state.reaction("pivot").force
    np.testing.assert_allclose(force[:2], 1.5 * (rod.acceleration[:2] + [0, 9.81]), rtol=1e-10)
    assert state.energy.potential == pytest.approx(1.5 * 9.81 * rod.position[1])
    assert max(state.residuals) < 1e-9
    state.set_input("u", 7)
    state.evaluate()
    assert state.body("rod").alpha[2] - rod.alpha[2] == pytest.approx(7 / (0.18 + 1.5 * 0.36))
    with pytest.raises(KeyError, match="no body 'rood'"):
        state.body("rood")
    with pytest.raises(KeyError, match="no joint"):
        state.reaction("rood")


def test_a_simulation_outlives_its_model():
    m = dal.parse(PENDULUM)
    sim, tree = m.simulation(), m.tree()
    gone = weakref.ref(m)
    del m
    gc.collect()
    assert gone() is None
    sim.step(0.1)
    tree.mass_matrix([0.1])
