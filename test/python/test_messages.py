"""Errors and warnings: sentences with a place."""

import logging
import warnings

import numpy as np
import pytest

import dalembert as dal
from conftest import PENDULUM


def test_errors_have_place_and_caret(tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text("dalembert: 1\nspace: planar\nbodies:\n  rod: {mass: 1.5, inertai: 0.18}\n  bob: {inertia: 0.2, position: [0, 0, 1]}\n")
    with pytest.raises(dal.ModelError) as caught:
        dal.load(path)
    errors = [m for m in caught.value.messages if m.severity == "error"]
    assert len(errors) >= 2 and caught.value.status == 3 and isinstance(caught.value, ValueError)
    place = errors[0].place
    assert (place.file, place.line, place.column) == (str(path), 4, 20)
    assert str(errors[0]) == (f"{path}:4:20: error: body 'rod' has no key 'inertai' (did you mean 'inertia'?)\n"
                              "      rod: {mass: 1.5, inertai: 0.18}\n" + " " * 23 + "^")
    assert str(caught.value).count("error:") == len(errors)


def test_a_text_has_carets_too():
    with pytest.raises(dal.ModelError) as caught:
        dal.parse("dalembert: 1\nspace: flat\n", file="mine")
    assert "mine:2:8: error:" in str(caught.value) and "    space: flat\n           ^" in str(caught.value)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(dal.FileError, match="nope.yaml: error: the model cannot be read: No such file"):
        dal.load(tmp_path / "nope.yaml")
    with pytest.raises(OSError):
        dal.load(tmp_path)


def test_wrong_overrides(pendulum):
    with pytest.raises(dal.CommandError, match=r"test_messages\.py:\d+: error: the model has no parameter 'll'"):
        dal.parse(PENDULUM, ll=3)
    with pytest.raises(TypeError, match="'l' is not a setting of a run.*vary"):
        pendulum.run(1, l=3)
    with pytest.raises(TypeError, match="not a setting"):
        pendulum.run(1, untill=3)
    with pytest.raises(dal.CommandError, match=r"test_messages\.py:\d+: error: there is no formulation 'kan'"):
        pendulum.run(1, formulation="kan")
    with pytest.raises(TypeError, match="number or a word"):
        pendulum.run(1, step=[1])
    for wrong in (lambda x: pendulum.run(x), lambda x: pendulum.run(1, step=x), lambda x: dal.parse(PENDULUM, l=x)):
        with pytest.raises(dal.CommandError, match="finite, not (nan|inf)"):
            wrong(float("nan"))
        with pytest.raises(dal.CommandError, match="finite, not (nan|inf)"):
            wrong(float("inf"))


def test_warnings_become_warnings_at_the_users_line():
    text = PENDULUM.replace("points: {O: [-l, 0]}", "position: [5, 0], points: {O: [-l, 0]}")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        r = dal.parse(text).run(0.1, page=False)
    assert r.warnings and r.warnings[0].place.line == 8
    mine = [w for w in seen if isinstance(w.message, dal.DalembertWarning)]
    assert mine and all(w.filename == __file__ for w in mine)
    assert mine[0].message.code and mine[0].message.message.text in str(mine[0].message)


def test_notes_go_to_the_log(caplog):
    text = PENDULUM.replace("points: {O: [-l, 0]}", "position: [0.52, -0.31], points: {O: [-l, 0]}")
    with caplog.at_level(logging.INFO, logger="dalembert"):
        dal.parse(text).run(0.1, page=False)
    assert "assembly moved 'rod'" in caplog.text and "^" in caplog.text


def test_a_failed_run_keeps_what_was_good():
    text = PENDULUM.replace("value: u", "value: sqrt(0.5 - t)")
    with pytest.raises(dal.NumericalError) as caught:
        dal.parse(text).run(page=False)
    assert 0.3 < caught.value.result.time[-1] <= 0.5 and not caught.value.result.complete
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kept = dal.parse(text).run(page=False, keep=True)
    np.testing.assert_array_equal(kept.values, caught.value.result.values)


def test_a_closed_model(pendulum):
    sim = pendulum.simulation()
    with pendulum:
        pass
    for use in (pendulum.run, pendulum.simulation, pendulum.tree, lambda: pendulum.bodies):
        with pytest.raises(dal.CommandError, match="is closed"):
            use()
    sim.step(0.1)  # has what it needs
    assert "closed" in repr(pendulum)
