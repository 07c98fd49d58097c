"""Dalembert: the dynamics of rigid multibody systems.

    import dalembert as dal
    m = dal.load("four-bar.yaml")
    r = m.run(until=5, formulation="kane")
    r["A.angle"], r.time, r.evidence
    r.save("four-bar.html")

doc/python.md has everything.
"""

from __future__ import annotations

import os as _os
from typing import Any, Dict, Mapping, Optional

from . import _core
from ._analyses import Campbell, Code, Study, _merge, _names
from ._answers import Answer, Energy, Evidence, Inputs, Motion, Reaction
from ._messages import (CommandError, DalembertWarning, Error, FileError, Interrupted, Message, ModelError, NumericalError, Place, _kinds,
                        make_error, speak)
from ._model import Model, Value
from ._result import Result, Table

_core.set_handlers(make_error, speak, Motion, Reaction, Energy, Inputs, Evidence)

Simulation = _core.Simulation
State = _core.State
Tree = _core.Tree
__version__ = _core.version()


def load(file: Any, *, set: Optional[Mapping[str, Value]] = None, floating: bool = False, **values: Value) -> Model:
    """Read a model file: YAML, or a robot in URDF. Further arguments are other values of parameters, inputs and start values; those whose names are
    no words of Python go into `set`, as in load("leg.yaml", set={"left.L": 0.4}). `floating`: the root link of a URDF file is a free body."""
    return Model._read(_os.fspath(file), None, {**dict(set or {}), **values}, floating)


def parse(text: str, *, file: str = "model", set: Optional[Mapping[str, Value]] = None, **values: Value) -> Model:
    """A model from its text; `file` is its name in messages."""
    return Model._read(file, text, {**dict(set or {}), **values}, False)


def known(kind: str) -> Dict[str, str]:
    """What the engine knows, names with titles; kind: "joint", "force", "coordinates", "formulation", "stabilization", "integrator", "warning"."""
    return dict(_core.list_entries(kind))


def results(file: Any) -> Table:
    """A file of results, .csv or .h5, or what a run left of one (.part): table.time, table["A.angle"], table.svg("A.angle")."""
    return Table(_os.fspath(file))


def sweep(file: Any, *, threads: int = 0, output: Any = None, journal: Any = None, resume: bool = False, shard: Any = None, motions: int = 40,
          progress: Any = None) -> Study:
    """The study that a file describes (`study: 1`); everything else as in Model.sweep()."""
    said = _core.read_study(_os.fspath(file), False, None)
    plan = (said["vary"], said["each"], said["channels"], said["random"], said["sampling"], said["seed"], said["compiled"])
    model = load(said["model"], set=said["set"], floating=said["floating"])
    return model._study(plan, {name.replace("-", "_"): text for name, text in said["simulate"].items()}, threads, output, journal, resume, shard, motions,
                        progress)


def merge(journals: Any, output: Any = None) -> Study:
    """One study of the journals of its parts (sweep(shard=...), or `dalembert sweep --shard`); `output`: files to write as well. Where the model was
    moved meanwhile: Model.merge()."""
    paths = [_os.fspath(path) for path in _names(journals)]
    said = _core.read_study(paths[0], True, None)
    return _merge(load(said["model"], set=said["set"], floating=said["floating"]), paths, output)


def program(*words: Any, check: bool = True) -> str:
    """The program with these words, program("gallery", "a.yaml", "b.yaml", "-o", "pages"), in a process of its own: what it prints. What it complains about
    is an exception of the same kind as elsewhere; `check` False: it is only the answer."""
    import subprocess
    import sys
    done = subprocess.run([sys.executable, "-m", "dalembert", *map(str, words)], capture_output=True, text=True, check=False,
                          env={**_os.environ, "PYTHONPATH": _os.pathsep.join(filter(None, [_os.path.dirname(_os.path.dirname(_os.path.abspath(__file__))),
                                                                                            _os.environ.get("PYTHONPATH")]))})
    if done.returncode and check:
        raise _kinds.get(done.returncode, Error)(done.stderr.strip())
    return done.stdout


__all__ = ["load", "parse", "known", "results", "sweep", "merge", "program", "Model", "Result", "Table", "Study", "Campbell", "Code", "Simulation", "State", "Tree", "Answer", "Evidence", "Motion",
           "Reaction", "Energy", "Message", "Place", "Error", "CommandError", "ModelError", "NumericalError", "FileError", "Interrupted",
           "DalembertWarning"]
