"""Answers of analyses: what the program prints, and its numbers by name."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Mapping
from typing import Any, Iterator, List, NamedTuple, Tuple

import numpy as np

from ._messages import DalembertWarning, Message, number_of, read_messages


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _convert(value: Any) -> Any:
    """Lists of numbers are arrays; objects have attributes."""
    if isinstance(value, dict):
        return Answer(value)
    if not isinstance(value, list):
        return value
    if value and all(_is_number(x) for x in value):
        return np.array([math.nan if x is None else x for x in value], dtype=float)
    if value and all(isinstance(x, list) and len(x) == len(value[0]) and all(_is_number(y) for y in x) for x in value):
        return np.array([[math.nan if y is None else y for y in x] for x in value], dtype=float).reshape(len(value), len(value[0]))
    return [_convert(x) for x in value]


class Answer(Mapping):
    """A dictionary whose entries are attributes as well. Printed, it is the text that the program prints."""

    def __init__(self, values: dict, text: str = "", status: int = 0):
        self._values = {key: _convert(value) for key, value in values.items()}
        self._text = text
        self.status = status

    @classmethod
    def read(cls, parts: Tuple[str, str, int]) -> "Answer":
        """Of what the C side gives: JSON, text, status."""
        return cls(json.loads(parts[0]), parts[1].rstrip("\n"), parts[2])

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __getattr__(self, key: str) -> Any:
        if not key.startswith("_") and key in self._values:
            return self._values[key]
        raise AttributeError(f"there is no '{key}' in this answer; it has {', '.join(self.__dict__.get('_values', {}))}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *(key for key in self._values if key.isidentifier())]

    def __str__(self) -> str:
        return self._text or repr(self._values)

    def __repr__(self) -> str:
        return self._text or f"Answer({self._values!r})"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


class Evidence(Answer):
    """What every run ends with. Numbers that do not exist are nan."""

    warnings: List[Message]

    def __init__(self, source: str, text: str, raw: List[tuple], context: Any = None):
        super().__init__({key: number_of(value) for key, value in json.loads(source).items()}, text.rstrip("\n"))
        self.warnings = read_messages(raw, context)

    def __reduce__(self) -> Any:
        return _rebuild_evidence, (self._values, self._text, self.warnings)


def _rebuild_evidence(values: dict, text: str, heard: List[Message]) -> Evidence:
    evidence = Evidence.__new__(Evidence)
    evidence._values, evidence._text, evidence.status, evidence.warnings = values, text, 0, heard
    return evidence


class Motion(NamedTuple):
    """How a body moves: its frame, in world axes."""

    position: np.ndarray
    rotation: np.ndarray  # 3 x 3, body to world
    velocity: np.ndarray
    omega: np.ndarray
    acceleration: np.ndarray
    alpha: np.ndarray


class Reaction(NamedTuple):
    """What a joint exerts on its second body at its point there, world axes."""

    force: np.ndarray
    torque: np.ndarray


class Energy(NamedTuple):
    """Energies and momenta of the whole; work of forces without a potential since the start."""

    kinetic: float
    potential: float
    work: float
    linear: np.ndarray
    angular: np.ndarray  # about the origin


class Inputs:
    """The inputs of a simulation, by name."""

    def __init__(self, simulation: Any):
        self._simulation = simulation

    def __getitem__(self, name: str) -> float:
        return self._simulation.input(name)

    def __setitem__(self, name: str, value: float) -> None:
        self._simulation.set_input(name, value)


__all__ = ["Answer", "Evidence", "Motion", "Reaction", "Energy", "Inputs", "DalembertWarning"]
