"""Reading, running, results, files and pages."""

import html.parser
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import dalembert as dal
from conftest import MODELS, PENDULUM

FOUR_BAR = MODELS / "four-bar-spring.yaml"


# ---- numbers -------------------------------------------------------------------------------------

@pytest.mark.parametrize("formulation", ["lagrange", "kane"])
def test_a_run_has_the_digits_of_the_program(program, tmp_path, formulation):
    done = program("run", FOUR_BAR, "--until", 1, "--formulation", formulation, "--coordinates", "joint", "-o", tmp_path / "p.csv", "-q")
    assert done.returncode == 0, done.stderr
    r = dal.load(FOUR_BAR).run(until=1, formulation=formulation, coordinates="joint", page=False)
    names = (tmp_path / "p.csv").read_text().splitlines()[0].replace('"', "").split(",")
    assert list(r.columns) == names
    np.testing.assert_array_equal(r.values, np.loadtxt(tmp_path / "p.csv", delimiter=",", skiprows=1))
    r.save(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_bytes() == (tmp_path / "p.csv").read_bytes()


def test_the_evidence_is_that_of_the_program(program_json, tmp_path):
    seen = program_json("run", FOUR_BAR, "--until", "1", "--json", "-o", tmp_path / "p.csv")
    evidence = dal.load(FOUR_BAR).run(until=1).evidence
    assert set(evidence) == set(seen)
    for key, value in seen.items():
        if key in ("wall_seconds", "warnings"):
            continue
        mine = evidence[key]
        mine = mine.tolist() if isinstance(mine, np.ndarray) else mine
        assert mine == value or (value is None and math.isnan(mine)), key


def test_overrides_and_settings(pendulum):
    short = dal.parse(PENDULUM, l=0.3)
    assert short.parameters == {"l": 0.3} and pendulum.parameters == {"l": 0.6}
    np.testing.assert_array_equal(short.run(1, page=False).values, pendulum.vary(l=0.3).run(until=1, page=False).values)
    loose = pendulum.run(1, stabilization={"baumgarte": {"alpha": 5, "beta": 5}}, integrator="rk4", step=1e-3, page=False)
    assert loose.evidence.stabilization.startswith("baumgarte") and loose.evidence.integrator == "rk4"


def test_a_channel_by_its_name(pendulum):
    r = pendulum.run(1, page=False)
    assert r.columns == ("time", "pivot.angle", "pivot.angle'", "energy")
    assert r.units["pivot.angle"] == "rad" and r.units["pivot.angle'"] == "rad/s"
    assert r.time[0] == 0 and r.time[-1] == 1 and len(r) == 21
    assert r["pivot.angle"].base is not None and not r["pivot.angle"].flags.writeable
    with pytest.raises(KeyError, match="pivot.angel.*did you mean 'pivot.angle'"):
        r["pivot.angel"]


def test_the_array_lives_longer_than_the_result(pendulum):
    angle = pendulum.run(1, page=False)["pivot.angle"]
    copy = np.array(angle)
    for _ in range(5):
        pendulum.run(1, page=False)
    np.testing.assert_array_equal(angle, copy)


def test_start_values_of_a_run(pendulum):
    r = pendulum.run(1, start={"rod.angle": -1.0, "rod.angle'": 2.0}, page=False)
    assert r["pivot.angle"][0] == pytest.approx(-1, abs=1e-12) and r["pivot.angle'"][0] == pytest.approx(2, abs=1e-12)


# ---- control, events -------------------------------------------------------------------------------

def test_a_controller_is_called_exactly(pendulum):
    times = []

    def control(sim):
        times.append(sim.time)
        sim.inputs["u"] = -3 * sim["pivot.angle'"]

    r = pendulum.run(2, control=control, period=0.01, page=False)
    assert len(times) in (200, 201)
    np.testing.assert_allclose(times, np.arange(len(times)) * 0.01, rtol=0, atol=1e-15 * 100)
    assert r["energy"][-1] < r["energy"][0] - 1
    kept = []
    pendulum.run(0.1, control=kept.append, period=0.05, page=False)
    with pytest.raises(dal.CommandError, match="lent to its controller"):
        kept[0].time


def test_an_exception_of_a_controller_comes_out(pendulum):
    def control(sim):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        pendulum.run(1, control=control, period=0.1)
    with pytest.raises(dal.CommandError, match="may not step"):
        pendulum.run(1, control=lambda sim: sim.step(0.1), period=0.1)


def test_events_are_listed():
    r = dal.load(MODELS / "bouncing-door.yaml").run(page=False)
    assert len(r.events) == r.evidence.events > 0
    assert all(0 <= t <= r.time[-1] for t, _ in r.events) and all(isinstance(what, str) for _, what in r.events)


# ---- files and pages ----------------------------------------------------------------------------------

def test_files_of_results(pendulum, tmp_path, program):
    r = pendulum.run(1)
    r.save(tmp_path / "x.csv", units=True)
    assert (tmp_path / "x.csv").read_text().splitlines()[1].split(",")[0].strip('"') == "s"
    r.save(tmp_path / "x.h5")
    done = program("plot", tmp_path / "x.h5", "--channels", "pivot.angle", "-o", tmp_path / "x.svg")
    assert done.returncode == 0, done.stderr
    with pytest.raises(dal.FileError, match="No such file or directory"):
        r.save(tmp_path / "nowhere" / "x.csv")
    with pytest.raises(dal.FileError, match="No such file or directory"):
        r.save(tmp_path / "nowhere" / "x.html")
    with pytest.raises(dal.Error, match="x.xyz"):
        r.save(tmp_path / "x.xyz")


def test_the_page_loads_nothing_and_is_sandboxed(pendulum, tmp_path):
    if not dal._core.page_available():
        pytest.skip("this build has no report page")
    r = pendulum.run(1)
    r.save(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text()
    assert "Pendulum" in page and not re.search(r'(src|href)="https?:', page)
    frames = []

    class Frames(html.parser.HTMLParser):
        def handle_starttag(self, tag, attributes):
            frames.append((tag, dict(attributes)))

    Frames().feed(r._repr_html_())
    assert [tag for tag, _ in frames] == ["iframe"]
    assert frames[0][1]["sandbox"] == "allow-scripts" and frames[0][1]["srcdoc"] == page
    with pytest.raises(dal.CommandError, match="page=True"):
        pendulum.run(1, page=False).html
    assert "<pre>" in pendulum.run(1, page=False)._repr_html_()


def test_pandas(pendulum):
    pytest.importorskip("pandas")
    frame = pendulum.run(1, page=False).to_pandas()
    assert list(frame.columns) == ["pivot.angle", "pivot.angle'", "energy"] and frame.index[-1] == 1 and frame.attrs["units"]["energy"] == "J"


def test_plot(pendulum):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = pendulum.run(1, page=False).plot("pivot.angle", "energy")
    assert len(axes) == 2 and axes[1].get_xlabel() == "time, s"


def test_what_is_missing_is_said(pendulum, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="python3-pandas"):
        pendulum.run(1, page=False).to_pandas()


# ---- processes and threads --------------------------------------------------------------------------------

def test_models_and_results_are_pickled(pendulum):
    again = pickle.loads(pickle.dumps(pendulum.vary(l=0.5)))
    r = again.run(1, page=False)
    other = pickle.loads(pickle.dumps(r))
    np.testing.assert_array_equal(r.values, other.values)
    assert other.evidence.steps == r.evidence.steps and str(other) == str(r)


def _last_angle(l):
    return float(dal.parse(PENDULUM, l=l).run(1, page=False)["pivot.angle"][-1])


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_multiprocessing(how):
    import multiprocessing
    alone = [_last_angle(l) for l in (0.3, 0.4, 0.5)]
    with multiprocessing.get_context(how).Pool(2) as pool:
        assert pool.map(_last_angle, (0.3, 0.4, 0.5)) == alone


def test_two_threads_run_two_models_at_a_time(pendulum):
    """While one thread is in the engine, another one counts: the GIL is free."""
    count, over = 0, threading.Event()

    def work():
        pendulum.run(10, integrator="rk4", step=1e-4, every=1, page=False)
        over.set()

    thread = threading.Thread(target=work)
    before = time.thread_time()
    thread.start()
    while not over.is_set():
        count += 1
        if time.thread_time() - before > 60:
            break
    thread.join()
    alone, begin = 0, time.thread_time()
    while time.thread_time() - begin < 0.05:
        alone += 1
    assert count > alone / 2  # a thread that holds it is waited for: a switch takes a tenth of this, and there are two


# ---- Ctrl-C -----------------------------------------------------------------------------------------------------

def test_ctrl_c_keeps_what_is_there(pendulum):
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(dal.Interrupted) as caught:
        pendulum.run(1e6, every=0.01, page=False)
    r = caught.value.result
    assert not r.complete and r.interrupted and len(r) > 10 and 0 < r.time[-1] < 1e6
    assert isinstance(caught.value, KeyboardInterrupt) and pendulum.last_result is r
    np.testing.assert_array_equal(np.diff(r.time) > 0, True)


def test_progress(pendulum):
    seen = []
    pendulum.run(10, integrator="rk4", step=1e-4, every=1, page=False, progress=lambda *now: seen.append(now))
    assert seen and all(0 <= t <= until == 10 for t, until, _, _ in seen)
    with pytest.warns(dal.DalembertWarning, match="stopped at t"):
        stopped = pendulum.run(1e6, every=1, page=False, keep=True, progress=lambda *now: False)
    assert not stopped.complete and not stopped.interrupted
    with pytest.raises(RuntimeError, match="mine"):
        def fail(*now):
            raise RuntimeError("mine")
        pendulum.run(1e6, every=1, page=False, progress=fail)


def test_progress_in_the_terminal():
    """On a terminal, a run of more than a second shows how far it is, and takes the line back."""
    import pty
    master, slave = pty.openpty()
    code = f"import dalembert as dal\ndal.parse({PENDULUM!r}).run(1e6, every=10, page=False, keep=True, progress=None)"
    child = subprocess.Popen([sys.executable, "-c", code], stderr=slave, stdout=subprocess.DEVNULL)
    os.close(slave)
    seen, end = b"", time.time() + 30
    while b"x real time" not in seen and time.time() < end:
        seen += os.read(master, 4096)
    child.send_signal(signal.SIGINT)
    try:
        while True:
            more = os.read(master, 4096)
            if not more:
                break
            seen += more
    except OSError:
        pass
    child.wait(30)
    os.close(master)
    assert b"x real time" in seen and b"Interrupted" in seen


def test_compiled_runs_and_starts_from_an_equilibrium():
    m = dal.load(MODELS / "four-bar-spring.yaml")
    engine, compiled = m.run(until=0.5, compiled=False, page=False), m.run(until=0.5, compiled=True, page=False)
    assert engine.evidence.get("compiled") in (None, False) or "compiled" not in str(engine.evidence)
    np.testing.assert_allclose(compiled["bar1.angle"], engine["bar1.angle"], rtol=0, atol=1e-9)
    rest = m.run(until=0.5, start="equilibrium", page=False)
    assert np.ptp(rest["bar1.angle"]) < 1e-9 and abs(rest["bar1.angle"][0] - engine["bar1.angle"][0]) > 0.1
