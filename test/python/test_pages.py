"""What stands in pages and notebooks is run."""

import doctest
import re
import runpy

import pytest

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "doc" / "notebooks").glob("*.ipynb"))


def test_the_page(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / "doc" / "python.md").read_text()
    blocks = re.findall(r"```pycon\n(.*?)```", text, re.S)
    assert len(blocks) > 5
    parser, space, said = doctest.DocTestParser(), {}, []
    runner = doctest.DocTestRunner(verbose=False)
    for number, block in enumerate(blocks):
        test = parser.get_doctest(block, space, f"block {number}", "doc/python.md", 0)
        test.globs = space
        runner.run(test, out=said.append, clear_globs=False)
    assert not runner.failures, "".join(said)


def test_the_five_lines_of_the_readme(monkeypatch, tmp_path, capsys):
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S).group(1)
    assert len(code.splitlines()) == 5
    (tmp_path / "models").symlink_to(ROOT / "models")
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert (tmp_path / "four-bar.html").stat().st_size > 100_000 and "residuals" in capsys.readouterr().out


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    tool = runpy.run_path(str(ROOT / "tools" / "notebooks"), run_name="tool")
    assert tool["run_notebook"](str(path), check=True)
