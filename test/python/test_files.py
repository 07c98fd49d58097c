"""Runs and studies in files: the bytes of the program, and what is left of them when they are stopped or killed."""

import filecmp
import math
import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import dalembert as dal
from conftest import PENDULUM

LONG = {"until": 40, "every": 0.02, "integrator": "rk4", "step": 2e-4}  # some tenths of a second


def same(a, b):
    return filecmp.cmp(a, b, shallow=False)


@pytest.fixture
def model(tmp_path, monkeypatch):
    (tmp_path / "p.yaml").write_text(PENDULUM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DALEMBERT_CHECKPOINT", "0.02")
    return dal.load("p.yaml")


def test_files_are_those_of_the_program_and_the_rows_those_of_a_run(model, program):
    plain = model.run(2, page=False)
    r = model.run(2, output=["a.csv", "a.h5"], units=True)
    assert r.complete and math.isnan(r.resumable) and r.file == "a.csv"
    assert program("run", "p.yaml", "--until", 2, "--units", "-q", "-o", "b.csv").returncode == 0
    assert same("a.csv", "b.csv")
    np.testing.assert_array_equal(r.values, plain.values)
    table = dal.results("a.h5")
    assert table.columns == plain.columns and table.units == plain.units and table.complete and table.hash == r.hash
    np.testing.assert_array_equal(table.values, plain.values)
    assert not r.values.flags.writeable and "pivot.angle" in r.html
    assert sorted(os.listdir()) == ["a.csv", "a.h5", "b.csv", "p.yaml"]
    with pytest.raises(dal.CommandError, match="'a.csv'"):
        r.save("c.csv")
    assert np.array_equal(pickle.loads(pickle.dumps(model.run(2, output="a.csv"))).values, plain.values)
    fresh = model.run(1, output="a.csv")
    os.unlink("a.csv")
    with pytest.raises(dal.FileError, match="gone"):
        fresh.values


def test_a_stopped_run_goes_on_here_and_in_the_program(model, program):
    model.run(output="whole.csv", page=False, **LONG)
    for again in ("python", "program"):
        stop = iter([True] * 2 + [False] * 1000)
        with pytest.raises(dal.NumericalError, match="the run was stopped at t") as caught, pytest.warns(dal.DalembertWarning, match="is incomplete"):
            try:
                model.run(output=["x.csv", "x.h5"], progress=lambda *now: next(stop), **LONG)
            finally:
                model.last_result.values  # what is there can be read
        r = caught.value.result
        assert 0 < r.resumable < 40 and r.file == "x.csv.part" and r.time[-1] <= r.resumable
        if again == "python":
            r = model.run(output=["x.csv", "x.h5"], resume=True, **LONG)
            assert r.evidence.restored == 1 and r.complete and len(r) == 2001
        else:
            words = [word for name, value in LONG.items() for word in (f"--{name}", value)]
            assert program("run", "p.yaml", *words, "-q", "-o", "x.csv", "-o", "x.h5", "--resume").returncode == 0
        assert same("x.csv", "whole.csv")
        np.testing.assert_array_equal(dal.results("x.h5").values, dal.results("whole.csv").values)
        assert not [name for name in os.listdir() if "part" in name]
        os.unlink("x.csv")


@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_killed_goes_on(model, signal_):
    model.run(output="whole.csv", page=False, **LONG)
    child = subprocess.Popen([sys.executable, "-c", f"import dalembert as dal; dal.load('p.yaml').run(output=['x.csv', 'x.h5'], **{LONG!r})"],
                             stderr=subprocess.PIPE, text=True)
    end = time.time() + 30
    while not os.path.exists("x.csv.part.state") and time.time() < end and child.poll() is None:
        time.sleep(0.002)
    assert child.poll() is None, "it was faster than this test"
    child.send_signal(signal_)
    said = child.communicate(timeout=30)[1]
    assert signal_ == signal.SIGKILL or "with resume=True it continues from t" in said
    r = model.run(output=["x.csv", "x.h5"], resume=True, **LONG)
    assert r.evidence.restored == 1 and same("x.csv", "whole.csv")
    np.testing.assert_array_equal(dal.results("x.h5").values, r.values)


def test_threads_write_hdf5_side_by_side(model):
    """Each file has a child; one that is made while another thread is inside HDF5 would wait for ever."""
    from concurrent.futures import ThreadPoolExecutor

    def one(i):
        r = model.run(1 + 0.1 * i, page=False)
        r.save(f"saved{i}.h5")
        into = dal.load("p.yaml").run(1 + 0.1 * i, page=False, output=f"run{i}.h5")
        return np.array_equal(into.values, r.values) and np.array_equal(dal.results(f"saved{i}.h5").values, r.values)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(one, range(12)))


@pytest.mark.parametrize("arguments, kind, sentence", [
    ({"output": "x.txt"}, dal.CommandError, "unknown type of file"),
    ({"output": "x.html"}, dal.CommandError, "is a page"),
    ({"output": "nowhere/x.csv"}, dal.FileError, "cannot be"),
    ({"output": "x.csv", "resume": True}, dal.FileError, "nothing to resume"),
    ({"resume": True}, dal.CommandError, "output="),
    ({"output": "x.csv", "resume": True, "page": True}, dal.CommandError, "a page cannot be resumed"),
    ({"output": ["x.csv", "./x.csv"]}, dal.CommandError, "are one file"),
    ({"record": ["pivot.anlge"]}, dal.CommandError, "anlge"),
])
def test_files_that_cannot_be_are_refused(model, arguments, kind, sentence):
    with pytest.raises(kind, match=sentence):
        model.run(1, **arguments)
    assert os.listdir() == ["p.yaml"]


def test_another_model_is_not_gone_on_with(model):
    stop = iter([True, True] + [False] * 1000)
    with pytest.raises(dal.NumericalError):
        model.run(output="x.csv", progress=lambda *now: next(stop), **LONG)
    with pytest.raises(dal.Error, match="another"):
        dal.load("p.yaml", l=0.7).run(output="x.csv", resume=True, **LONG)
    assert model.run(output="x.csv", resume=True, **LONG).complete


def test_channels_are_chosen(model, program):
    r = model.run(1, record=["2*pivot.angle", "rod.x"], output="a.csv")
    assert r.columns == ("time", "2*pivot.angle", "rod.x")
    program("run", "p.yaml", "--until", 1, "--record", "2*pivot.angle,rod.x", "-q", "-o", "b.csv")
    assert same("a.csv", "b.csv")


def test_pictures_and_pages_of_files_are_those_of_the_program(model, program):
    r = model.run(1, motion=True, output="m.csv", page=False)
    program("plot", "m.csv", "-m", "p.yaml", "-c", "pivot.angle,energy", "--title", "Swing", "-o", "a.svg")
    r.svg("pivot.angle", "energy", title="Swing", file="b.svg")
    assert same("a.svg", "b.svg") and "Swing" in dal.results("m.csv").svg("energy.kinetic", title="Swing", log=True, start=0.2, end=0.8, width=400, height=300)
    program("snapshots", "m.csv", "-m", "p.yaml", "--times", "0,0.5,1", "-o", "c.svg")
    model.snapshots("m.csv", [0, 0.5, 1], file="d.svg")
    assert same("c.svg", "d.svg") and model.snapshots(r, count=3, title="three") == model.snapshots("m.csv", count=3, title="three")
    model.view("m.csv", "m.html")
    model.view("m.csv", "e.html", equations=True)
    assert "pivot.angle" in open("m.html", encoding="utf-8").read() and os.path.getsize("e.html") > os.path.getsize("m.html") + 500
    assert len(model.run(1, page="equations").html) > len(model.run(1).html) + 500
    with pytest.raises(dal.CommandError, match="equations"):
        model.run(1, page="yes")
    with pytest.raises(dal.FileError, match="cannot"):
        dal.results("nothing.csv")
    with pytest.raises(dal.CommandError, match="lenght"):
        r.svg("lenght")


VARY, EACH = {"l": "0.4:0.8:6", "formulation": ["lagrange", "kane"]}, {"low": "min(pivot.angle)"}
MANY = {"l": "0.4:0.8:400"}
WORDS = ["--vary", "l=0.4:0.8:6", "--vary", "formulation=lagrange,kane", "--each", "low=min(pivot.angle)", "--until", 1, "-q"]


def test_studies_are_those_of_the_program(model, program):
    outputs = ["a.csv", "a.h5", "a.html"]
    study = model.sweep(VARY, EACH, "pivot.angle", until=1, output=outputs)
    done = program("sweep", "p.yaml", *WORDS, "--channels", "pivot.angle", "-o", "b.csv", "-o", "b.h5", "-o", "b.html")
    assert done.returncode == 0, done.stderr
    study.save("c.html")
    for name in ("a.csv", "a.channels.csv", "a.h5", "a.html"):
        assert same(name, "b" + name[1:]), name
    assert same("c.html", "b.html") and not [name for name in os.listdir() if "journal" in name]


def test_studies_in_parts_and_from_a_file(model, program):
    program("sweep", "p.yaml", *WORDS, "-o", "whole.csv")
    journals = [f"part{i}" for i in (1, 2, 3)]
    for i, journal in enumerate(journals, 1):
        assert len(model.sweep(VARY, EACH, until=1, journal=journal, shard=(i, 3))) == 4
    dal.merge(journals, "a.csv")
    model.merge(journals).save("b.csv")
    assert program("merge", *journals, "-q", "-o", "c.csv").returncode == 0
    with open("study.yaml", "w", encoding="utf-8") as file:
        file.write("study: 1\nmodel: p.yaml\nvary: {l: 0.4:0.8:6, formulation: [lagrange, kane]}\neach: {low: min(pivot.angle)}\nsimulate: {until: 1}\n")
    dal.sweep("study.yaml", output="d.csv")
    assert same("a.csv", "whole.csv") and same("b.csv", "whole.csv") and same("c.csv", "whole.csv") and same("d.csv", "whole.csv")


def test_a_stopped_study_goes_on(model):
    model.sweep(MANY, EACH, until=1, output="whole.csv")
    with pytest.raises(dal.Interrupted, match="resume=True") as caught:
        model.sweep(MANY, EACH, until=1, output="x.csv", threads=1, progress=lambda done, *more: False)
    assert len(caught.value.result) < 400 and os.path.exists("x.csv.journal")
    with pytest.raises(dal.FileError, match="exists already"):
        model.sweep(MANY, EACH, until=1, output="x.csv")
    with pytest.raises(dal.FileError, match="another study"):
        model.sweep(MANY, EACH, until=1.5, output="x.csv", resume=True)
    study = model.sweep(MANY, EACH, until=1, output="x.csv", resume=True)
    assert same("x.csv", "whole.csv") and len(study) == 400 and not os.path.exists("x.csv.journal")
    study.save("again.csv")
    assert same("again.csv", "whole.csv")
    with pytest.raises(dal.CommandError, match="journal"):
        model.sweep(VARY, EACH, resume=True)
    with pytest.raises(dal.CommandError, match="would be written over"):
        model.sweep(VARY, EACH, output="p.yaml")


def test_the_package_is_the_program(model, program):
    assert program("run", "p.yaml", "-q", "-o", "a.csv").returncode == 0
    done = subprocess.run([sys.executable, "-m", "dalembert", "run", "p.yaml", "-q", "-o", "b.csv"], check=False)
    assert done.returncode == 0 and same("a.csv", "b.csv")
    assert dal.program("list", "integrators") == program("list", "integrators").stdout
    for words, kind, sentence in ((["rum"], dal.CommandError, "did you mean 'run'"), (["run", "q.yaml"], dal.FileError, "q.yaml")):
        with pytest.raises(kind, match=sentence):
            dal.program(*words)
    assert dal.program("rum", check=False) == ""
