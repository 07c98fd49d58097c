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
from ._analyses import Campbell, Code, Study
from ._answers import Answer, Energy, Evidence, Inputs, Motion, Reaction
from ._messages import (CommandError, DalembertWarning, Error, FileError, Interrupted, Message, ModelError, NumericalError, Place, make_error,
                        speak)
from ._model import Model, Value
from ._result import Result

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


__all__ = ["load", "parse", "known", "Model", "Result", "Study", "Campbell", "Code", "Simulation", "State", "Tree", "Answer", "Evidence", "Motion",
           "Reaction", "Energy", "Message", "Place", "Error", "CommandError", "ModelError", "NumericalError", "FileError", "Interrupted",
           "DalembertWarning"]
