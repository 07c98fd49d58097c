"""Analyses: the numbers of the program."""

import shutil
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


GOVERNOR = """dalembert: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  spindle: {mass: 3, inertia: [0.05, 0.05, 0.02], position: [0, 0, 0], points: {A: [0, 0, 0]}}
  left: {mass: 2, position: [0.25, 0, -0.4330127018922193], inertia: [0.01, 0.01, 0.01], points: {A: [-0.25, 0, 0.4330127018922193]}}
  right: {mass: 2, position: [-0.25, 0, -0.4330127018922193], inertia: [0.01, 0.01, 0.01], points: {A: [0.25, 0, 0.4330127018922193]}}
joints:
  spin: {type: revolute, connect: [ground, spindle.A], axis: [0, 0, 1]}
  pl: {type: revolute, connect: [spindle.A, left.A], axis: [0, 1, 0]}
  pr: {type: revolute, connect: [spindle.A, right.A], axis: [0, 1, 0]}
"""


def test_steady_motions(program_json, program, tmp_path):
    path = tmp_path / "governor.yaml"
    path.write_text(GOVERNOR)
    m = dal.load(path)
    rate = {"spin.angle": 6}
    same(m.equilibrium(steady=rate), program_json("equilibrium", path, "--steady", "spin.angle=6", "--json"))
    same(m.modes(steady=rate), program_json("modes", path, "--steady", "spin.angle=6", "--json"))
    same(m.linearize(steady=rate), program_json("linearize", path, "--at", "steady", "--steady", "spin.angle=6", "--json"))
    diagram = m.campbell("spin.angle", [5.5, 6, 6.5], steady={"spin.angle": 0})
    table = [line.split(",") for line in program_csv(program, tmp_path, "modes", path, "--steady", "spin.angle=6", "--over", "spin.angle=5.5:6.5:3")]
    assert diagram.frequencies.shape == (2, 3) and len(table) == 4
    for k, row in enumerate(table[1:]):
        for line in range(2):
            assert float(row[1 + 3 * line]) == pytest.approx(diagram.frequencies[line, k], rel=1e-14)
    with pytest.raises(TypeError, match="starts or steady"):
        m.equilibrium(starts=3, steady=rate)
    with pytest.raises(TypeError, match="rates by name"):
        m.modes(steady={1: 2})
    with pytest.raises(dal.Error, match="angel"):
        m.equilibrium(steady={"spin.angel": 6})


def program_csv(program, folder, *arguments):
    out = folder / "table.csv"
    program(*arguments, "-o", out)
    return out.read_text().splitlines()


def test_equilibria_from_several_starts(program_json):
    answer = dal.load(FOUR_BAR).equilibrium(starts=5, seed=3)
    same(answer, program_json("equilibrium", FOUR_BAR, "--starts", "5", "--seed", "3", "--json"))
    assert answer.starts == 5


def test_campbell_over_a_parameter():
    m = dal.load(dal_reference("2e_rotor.yaml"))
    diagram = m.campbell("W", [0, 120, 240])
    there = m.vary(W=120).modes()
    expected = sorted(mode.frequency for mode in there.modes if mode.frequency > 0)
    assert sorted(diagram.frequencies[:, 1]) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(dal.Error, match="nothing"):
        m.campbell("nothing", [1, 2])


def dal_reference(name):
    return MODELS.parent / "test" / "reference" / "linear" / name


def test_derivatives_are_those_of_differences():
    m = dal.parse(CART, file="cart")
    start = {"track.distance": 0.1, "pin.angle": 1.2, "pin.angle'": 0.7, "track.distance'": -0.3}

    def vd(**more):
        state = m.state({**start, **more})
        state.evaluate()
        return state.a

    state = m.state(start)
    d = state.forward_derivatives()
    h = 1e-5
    by_angle = (vd(**{"pin.angle": 1.2 + h}) - vd(**{"pin.angle": 1.2 - h})) / (2 * h)
    by_rate = (vd(**{"pin.angle'": 0.7 + h}) - vd(**{"pin.angle'": 0.7 - h})) / (2 * h)
    np.testing.assert_allclose(d["dq"][:, 1], by_angle, rtol=1e-8)
    np.testing.assert_allclose(d["dv"][:, 1], by_rate, rtol=1e-8)
    mass = m.tree().mass_matrix([0.1, 1.2])
    np.testing.assert_allclose(d["dtau"] @ mass, np.eye(2), atol=1e-12)
    inverse = state.inverse_derivatives()
    np.testing.assert_allclose(inverse["tau"], 0, atol=1e-12)
    np.testing.assert_allclose(inverse["dvd"], mass, rtol=1e-12)
    np.testing.assert_allclose(inverse["dq"], -mass @ d["dq"], rtol=1e-10, atol=1e-12)
    other = state.inverse_derivatives([1.5, -0.4])
    np.testing.assert_allclose(other["tau"], mass @ (np.array([1.5, -0.4]) - d["vd"]), rtol=1e-11)
    by_input = state.parameter_derivatives("u")
    np.testing.assert_allclose(by_input["dvd"], d["du"][:, 0], rtol=1e-9)
    with pytest.raises(ValueError, match="vd has the shape"):
        state.inverse_derivatives([1.0])
    with pytest.raises(dal.CommandError, match="neither a parameter nor an input"):
        state.parameter_derivatives("w")
    with pytest.raises(TypeError, match="name of a parameter"):
        state.parameter_derivatives(3)


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
    by_code = m.sweep({"u": "-1:1:3"}, each={"far": "max(abs(track.distance))"}, until=0.2, compiled=True)
    np.testing.assert_allclose(by_code["far"], table["far"][::2], rtol=1e-9, atol=1e-12)
    if shutil.which("cc"):
        assert (by_code["compiled_evaluations"] > 0).all()
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


def test_generate(program, tmp_path):
    (tmp_path / "cart.yaml").write_text(CART)
    m = dal.load(tmp_path / "cart.yaml")
    code = m.generate(tmp_path / "mine.c", formulation="kane", lanes=4)
    (tmp_path / "other").mkdir()
    program("generate", tmp_path / "cart.yaml", "--formulation", "kane", "--lanes", "4", "-o", tmp_path / "other" / "mine.c")
    for name in ("mine.c", "mine.h"):
        assert (tmp_path / name).read_text() == (tmp_path / "other" / name).read_text()
    assert code.source == (tmp_path / "mine.c").read_text() and code.operations > 10 and "mine_accelerations" in code.header
    with pytest.raises(dal.CommandError, match="does not end with .c"):
        m.generate("model.txt")
    with pytest.raises(dal.CommandError, match="4 or 8 lanes, not 3"):
        m.generate(lanes=3)
    with pytest.raises(dal.CommandError, match="lagrage"):
        m.generate(formulation="lagrage")
