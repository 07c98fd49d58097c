"""Analyses: the numbers of the program."""

import json
import math
import warnings

import numpy as np
import pytest

import dalembert as dal
from conftest import MODELS

FOUR_BAR = MODELS / "four-bar-spring.yaml"
CART = """dalembert: 1
space: planar
gravity: [0, -9.81]
inputs: {u: 0}
bodies:
  cart: {mass: 1, inertia: 0.1, position: [0, 0], angle: 0}
  pole: {mass: 0.2, inertia: 0.2*0.36/12, angle: 90*deg, points: {P: [-0.3, 0]}}
joints:
  track: {type: prismatic, connect: [ground, cart], axis: [1, 0]}
  pin: {type: revolute, connect: [cart, pole.P]}
forces:
  push: {type: force, joint: track, value: u}
simulate: {coordinates: joint}
record: [track.distance, pin.angle]
"""


def same(mine, theirs, path=""):
    """The answer has the numbers of the program's JSON; what takes time differs."""
    if isinstance(theirs, dict):
        assert set(mine) == set(theirs), path
        for key in theirs:
            if key not in ("cpu_seconds", "wall_seconds"):
                same(mine[key], theirs[key], f"{path}.{key}")
    elif isinstance(theirs, list):
        assert len(mine) == len(theirs), path
        for i, (a, b) in enumerate(zip(mine, theirs)):
            same(a, b, f"{path}[{i}]")
    elif theirs is None:
        assert mine is None or math.isnan(mine), path
    else:
        assert mine == theirs, path


@pytest.mark.parametrize("model", ["four-bar-spring.yaml", "bricard.yaml"])
def test_check(program_json, program, model):
    verdict = dal.load(MODELS / model).check()
    same(verdict, program_json("check", MODELS / model, "--json"))
    assert str(verdict) == program("check", MODELS / model).stdout.rstrip("\n")
    assert verdict.freedoms == 1


def test_a_model_that_cannot_be_simulated_has_a_verdict():
    verdict = dal.parse(CART.replace("mass: 0.2, inertia: 0.2*0.36/12", "mass: 0, inertia: 0")).check()
    assert verdict.status == 3 and verdict.reason and "cannot be simulated" in str(verdict)


def test_compare(program_json):
    answer = dal.load(FOUR_BAR).compare(["lagrange", "kane"], coordinates="joint", until=0.2)
    same(answer, program_json("compare", FOUR_BAR, "--until", "0.2", "--coordinates", "joint", "--formulation", "lagrange,kane", "--json", "-q"))
    assert [row.formulation for row in answer.rows] == ["lagrange", "kane"] and "most accurate" in str(answer)


def test_equations(program_json):
    answer = dal.load(FOUR_BAR).equations(formulation="kane", coordinates="joint")
    same(answer, program_json("equations", FOUR_BAR, "--formulation", "kane", "--coordinates", "joint", "--json"))


def test_evaluate(program_json, tmp_path):
    answer = dal.load(FOUR_BAR).evaluate(seed=3)
    same(answer, program_json("eval", FOUR_BAR, "--random", "3", "--json"))
    m = dal.parse(CART)
    state = {"q": {"track.distance": 0.1, "pin.angle": 1.2}, "rates": {"pin.angle": 0.7}}
    (tmp_path / "state.json").write_text(json.dumps(state))
    here = m.evaluate(state)
    same(here, json.loads(dal._core.evaluate(m.state(), None, str(tmp_path / "state.json"), 0, False, False)[0]))
    tree = m.tree()
    np.testing.assert_allclose(here.mass_matrix, tree.mass_matrix([0.1, 1.2]), rtol=1e-13)
    with pytest.raises(TypeError, match="seed"):
        m.evaluate()
    with pytest.raises(dal.Error, match="pin.angel"):
        m.evaluate({"q": {"pin.angel": 1}})


def test_small_motions(program_json, tmp_path):
    (tmp_path / "cart.yaml").write_text(CART)
    m = dal.load(tmp_path / "cart.yaml")
    linear = m.linearize(outputs=["pin.angle"])
    same(linear, program_json("linearize", tmp_path / "cart.yaml", "--outputs", "pin.angle", "--json"))
    assert linear.A.shape == (4, 4) and linear.B.shape == (4, 1) and linear.C.shape == (1, 4)
    same(m.modes(), program_json("modes", tmp_path / "cart.yaml", "--json"))
    same(m.equilibrium(), program_json("equilibrium", tmp_path / "cart.yaml", "--json"))
    # G = C (i w - A)^-1 B + D
    w = 2.5
    answer = m.response([w], inputs="u", outputs="pin.angle")
    G = linear.C @ np.linalg.solve(1j * w * np.eye(4) - linear.A, linear.B) + linear.D
    numbers = [x for x in np.ravel(list(_numbers(answer))) if x == pytest.approx(G[0, 0].real, rel=1e-9)]
    assert numbers
    with pytest.raises(dal.CommandError, match="nothing"):
        m.linearize(inputs=["nothing"])


def _numbers(answer):
    for value in answer.values():
        if isinstance(value, dict) or hasattr(value, "values") and not isinstance(value, np.ndarray):
            yield from _numbers(value)
        elif isinstance(value, np.ndarray):
            yield from np.ravel(value)
        elif isinstance(value, list):
            for one in value:
                if hasattr(one, "values"):
                    yield from _numbers(one)
        elif isinstance(value, float):
            yield value


def test_a_state_as_a_dictionary_is_a_state_file():
    m = dal.parse(CART)
    there = m.linearize(at={"q": {"track.distance": 0.3, "pin.angle": 1.0}})
    assert there.at[0] == 0.3 or 0.3 in list(there.at)


def test_derive(program, tmp_path):
    (tmp_path / "cart.yaml").write_text(CART)
    m = dal.load(tmp_path / "cart.yaml")
    assert m.derive("kane") == program("derive", tmp_path / "cart.yaml", "--formulation", "kane", "--width", "100").stdout
    both = m.derive(["lagrange", "kane"], file=tmp_path / "both.tex", steps=True)
    assert (tmp_path / "both.tex").read_text() == both
    program("derive", tmp_path / "cart.yaml", "--formulation", "lagrange,kane", "--steps", "-o", tmp_path / "p.tex")
    assert both == (tmp_path / "p.tex").read_text()
    with pytest.raises(dal.Error, match="pdf"):
        m.derive(form="pdf")
    with pytest.raises(dal.Error, match="kan"):
        m.derive("kan")


def test_ports_and_conversions(program_json):
    same(dal.load(FOUR_BAR).ports(), program_json("ports", FOUR_BAR, "--json"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = dal.load(MODELS / "ur5.urdf")
    assert dal.parse(robot.convert("yaml")).bodies == robot.bodies
    with pytest.raises(dal.CommandError, match="'yaml' or 'urdf'"):
        robot.convert("mjcf")


def test_a_model_shows_itself():
    seen = dal.load(FOUR_BAR)._repr_html_()
    assert "<svg" in seen and "verdict" in seen and "<script" not in seen
    assert "error" in dal.Model(space="planar", bodies={"rod": {"mas": 1}})._repr_html_()


def test_a_sweep_is_that_of_the_program(program, tmp_path):
    (tmp_path / "cart.yaml").write_text(CART)
    m = dal.load(tmp_path / "cart.yaml")
    table = m.sweep({"u": "-1:1:3", "formulation": ["lagrange", "kane"]}, each={"far": "max(abs(track.distance))"}, channels="track.distance", until=0.2,
                    output=tmp_path / "mine.csv", threads=2)
    done = program("sweep", tmp_path / "cart.yaml", "--vary", "u=-1:1:3", "--vary", "formulation=lagrange,kane", "--each",
                   "far=max(abs(track.distance))", "--channels", "track.distance", "--until", "0.2", "-o", tmp_path / "theirs.csv", "-q")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "mine.csv").read_bytes() == (tmp_path / "theirs.csv").read_bytes()
    assert len(table) == 6 and list(table["formulation"][:2]) == ["lagrange", "kane"] and not table.status.any()
    np.testing.assert_allclose(table["far"], [np.abs(rows[:, 1]).max() for rows in table.rows], rtol=1e-12)
    with pytest.raises(KeyError, match="no column 'fra'"):
        table["fra"]
    with pytest.raises(dal.CommandError, match="nothing"):
        m.sweep({"nothing": [1, 2]})


def test_runs_of_lists(tmp_path):
    m = dal.parse(CART)
    by_thread = [m.runs({"u": [1, 2, 3], "pole.angle": [1.5, 1.4, 1.3]}, 0.2, threads=n, reduce=lambda r: r.values.tobytes()) for n in (1, 2)]
    assert by_thread[0] == by_thread[1] == [m.vary({"u": u, "pole.angle": a}).run(0.2, page=False).values.tobytes()
                                            for u, a in ((1, 1.5), (2, 1.4), (3, 1.3))]
    with pytest.raises(ValueError, match="same length"):
        m.runs({"u": [1, 2], "pole.angle": [1.5]})
