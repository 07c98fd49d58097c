"""The examples in C once more in Python: the same digits."""

import runpy

import pytest

from conftest import ROOT

LONG = ("04_families", "11_sweep")  # thousands of runs
names = sorted(path.stem for path in (ROOT / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.long if name in LONG else ()) for name in names])
def test_it_prints_what_the_program_in_c_prints(name, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sys.argv", [name])
    runpy.run_path(str(ROOT / "examples" / "python" / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out == (ROOT / "examples" / f"{name}.txt").read_text()


def test_every_example_is_there():
    assert names == sorted(path.stem for path in (ROOT / "examples").glob("[0-9]*.c"))
