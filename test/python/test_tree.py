"""Recursive dynamics: one state and batches."""

import threading
import warnings

import numpy as np
import pytest

import dalembert as dal
from conftest import MODELS, PENDULUM

rng = np.random.default_rng(7)


@pytest.fixture(scope="module")
def robot():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dal.load(MODELS / "ur5.urdf")


@pytest.fixture(scope="module")
def tree(robot):
    return robot.tree()


def state(n, *batch):
    return rng.uniform(-3, 3, (*batch, n)), rng.standard_normal((*batch, n)), 20 * rng.standard_normal((*batch, n))


def test_the_calls_agree_with_each_other(tree):
    n = tree.nv
    q, v, tau = state(n)
    a = tree.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(tree.inverse_dynamics(q, v, a), tau, rtol=1e-10, atol=1e-10)
    M, h = tree.mass_matrix(q), tree.bias_forces(q, v)
    np.testing.assert_array_equal(M, M.T)
    np.testing.assert_allclose(M @ a + h, tau, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(tree.coriolis_matrix(q, v) @ v + tree.gravity_forces(q), h, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(tree.mass_inverse(q) @ M, np.eye(n), atol=1e-9)
    a2, da_dq, da_dv = tree.forward_derivatives(q, v, tau)
    np.testing.assert_allclose(a2, a, rtol=1e-12, atol=1e-10)
    e = 1e-6
    for k in range(n):
        d = np.eye(n)[k] * e
        np.testing.assert_allclose((tree.forward_dynamics(q + d, v, tau) - tree.forward_dynamics(q - d, v, tau)) / (2 * e), da_dq[:, k], rtol=1e-5, atol=1e-3)
        np.testing.assert_allclose((tree.forward_dynamics(q, v + d, tau) - tree.forward_dynamics(q, v - d, tau)) / (2 * e), da_dv[:, k], rtol=1e-5, atol=1e-3)


def test_jacobians_and_motions(robot, tree):
    q, v, _ = state(tree.nv)
    body = robot.bodies[-1]
    point = [0.1, -0.2, 0.3]
    J = tree.jacobian(body, q, point=point)
    position, rotation, velocity, omega, acceleration, alpha = tree.motion(body, q, v, point=point)
    np.testing.assert_allclose(J @ v, np.concatenate([velocity, omega]), atol=1e-12)
    Jd = tree.jacobian_rate(body, q, v, point=point)
    np.testing.assert_allclose(Jd @ v, np.concatenate([acceleration, alpha]), atol=1e-11)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    # J^T w is what a wrench at the origin of the body does
    wrenches = np.zeros((tree.bodies, 6))
    wrenches[robot.bodies.index(body)] = rng.standard_normal(6)
    J0 = tree.jacobian(body, q)
    np.testing.assert_allclose(tree.inverse_dynamics(q, v) - tree.inverse_dynamics(q, v, None, wrenches), J0.T @ wrenches[robot.bodies.index(body)],
                               atol=1e-10)
    mass, center, _, linear, angular, A = tree.centroidal_momentum(q, v)
    np.testing.assert_allclose(A @ v, np.concatenate([linear, angular]), atol=1e-11)
    assert mass.shape == () and float(mass) > 10


def test_a_batch_is_its_rows(robot, tree):
    n, N = tree.nv, 37
    q, v, tau = state(n, N)
    body = robot.bodies[-1]
    calls = {"forward_dynamics": (q, v, tau), "inverse_dynamics": (q, v, tau), "bias_forces": (q, v), "gravity_forces": (q,), "mass_matrix": (q,),
             "mass_inverse": (q,), "coriolis_matrix": (q, v), "joint_wrenches": (q, v, tau), "forward_derivatives": (q, v, tau),
             "inverse_derivatives": (q, v, tau), "centroidal_momentum": (q, v)}
    for name, inputs in calls.items():
        call = getattr(tree, name)
        for threads in (1, 3):
            all_of = call(*inputs, threads=threads)
            rows = [call(*(x[i] for x in inputs)) for i in range(N)]
            for k, part in enumerate(all_of if isinstance(all_of, tuple) else (all_of,)):
                np.testing.assert_array_equal(part, [r[k] if isinstance(all_of, tuple) else r for r in rows], err_msg=name)
    np.testing.assert_array_equal(tree.jacobian(body, q, threads=2), [tree.jacobian(body, x) for x in q])
    # arrays of one axis hold for every row
    np.testing.assert_array_equal(tree.forward_dynamics(q, v[0], tau[0]), [tree.forward_dynamics(x, v[0], tau[0]) for x in q])
    assert tree.forward_dynamics(np.empty((0, n)), np.empty((0, n))).shape == (0, n)


def test_out(tree):
    n = tree.nv
    q, v, tau = state(n, 5)
    out = np.empty((5, n))
    assert tree.forward_dynamics(q, v, tau, out=out) is out
    np.testing.assert_array_equal(out, tree.forward_dynamics(q, v, tau))
    for wrong in (np.empty(n), np.empty((5, n), dtype=np.float32), np.empty((5, 2 * n))[:, ::2], [0.0] * n, np.empty((5, n)).tobytes()):
        with pytest.raises(ValueError, match=r"out has to be an array of float64 of the shape \(5, 6\)"):
            tree.forward_dynamics(q, v, tau, out=wrong)
    with pytest.raises(ValueError, match="out shares its memory with tau"):
        tree.forward_dynamics(q, v, tau, out=tau)
    with pytest.raises(TypeError, match="tuple of 3 arrays"):
        tree.forward_derivatives(q, v, tau, out=out)


def test_arrays_of_other_kinds_are_converted_or_refused(tree):
    n = tree.nv
    zero = np.zeros(n)
    want = tree.forward_dynamics(zero, zero)
    for same in ([0] * n, (0,) * n, np.zeros(n, int), np.zeros(n, np.float32), np.zeros(2 * n)[::2], np.zeros(n, ">f8")):
        np.testing.assert_array_equal(tree.forward_dynamics(same, zero), want)
    for wrong in (["a"] * n, np.zeros(n, complex), [object()] * n):
        with pytest.raises(TypeError, match="q has to hold real numbers"):
            tree.forward_dynamics(wrong, zero)
    with pytest.raises(ValueError, match=r"v has the shape \(3,\), and has to have \(6,\), or \(N, 6\) in a batch"):
        tree.forward_dynamics(zero, [0, 0, 0])
    with pytest.raises(ValueError, match="one number"):
        tree.forward_dynamics(1.0, zero)
    with pytest.raises(ValueError, match="rows"):
        tree.forward_dynamics(np.zeros((4, n)), np.zeros((3, n)))
    with pytest.raises(TypeError, match="v is missing"):
        tree.forward_dynamics(zero)
    with pytest.raises(TypeError, match="no argument 'w'"):
        tree.forward_dynamics(zero, zero, w=1)
    with pytest.raises(TypeError, match="twice"):
        tree.forward_dynamics(zero, zero, q=zero)
    with pytest.raises(ValueError, match="threads"):
        tree.forward_dynamics(zero, zero, threads=0)
    with pytest.raises(KeyError, match="no body 'nose'"):
        tree.jacobian("nose", zero)


def test_numbers_that_are_none_are_named(tree):
    q = np.zeros((4, tree.nv))
    v = q.copy()
    v[2, 3] = np.nan
    with pytest.raises(dal.NumericalError, match="row 2: forward_dynamics: number 3 of v is nan"):
        tree.forward_dynamics(q, v)
    with pytest.raises(dal.NumericalError, match="row 2"):
        tree.forward_dynamics(q, v, threads=4)
    with pytest.raises(dal.NumericalError, match="forward_dynamics: number 3 of v is nan"):
        tree.forward_dynamics(q[2], v[2])
    with pytest.raises(dal.NumericalError, match="point"):
        tree.jacobian("wrist_3_link", q[0], point=[np.inf, 0, 0])


def test_names_and_what_has_no_tree(tree):
    assert tree.coordinates[0] and len(tree.coordinates) == tree.nq and len(tree.velocities) == tree.nv
    m = dal.parse(PENDULUM)
    with pytest.raises(dal.ModelError, match="has no tree"):
        m.tree(coordinates="angle")


def test_one_tree_serves_many_threads(tree):
    """Batches run without the GIL: each has states of its own."""
    n = tree.nv
    q, v, tau = state(n, 3000)
    want, seen = tree.forward_dynamics(q, v, tau), {}

    def work(k):
        seen[k] = tree.forward_dynamics(q, v, tau, threads=1 + k % 2)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(4):
        np.testing.assert_array_equal(seen[k], want)
