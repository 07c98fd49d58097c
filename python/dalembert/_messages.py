"""Messages of the engine: exceptions, warnings and notes, each with file, line, column and caret."""

from __future__ import annotations

import linecache
import logging
import math
import os
import sys
import warnings
from typing import Any, Iterable, List, NamedTuple, Optional, Tuple

from . import _core

log = logging.getLogger("dalembert")  # notes go there
_folder = os.path.dirname(os.path.abspath(__file__))
_severities = ("note", "warning", "error")


def _is_argument(file: Optional[str]) -> bool:
    """Does the mark point to an option of the program ("--set l=3", "command line")? Here it was an argument of a call."""
    return file is not None and (file == "command line" or file.startswith("--"))


class Place(NamedTuple):
    """Where something was written: a line of a model file, or of a Python program."""

    file: Optional[str]
    line: int
    column: int
    source: Optional[str]  # the text of the line


class Message(NamedTuple):
    """One sentence of the engine."""

    severity: str  # "note", "warning", "error"
    text: str
    place: Place
    code: Optional[str]  # of warnings: their kind, "joints-open"
    number: float  # of warnings: how much; nan where the kind has no number

    def __str__(self) -> str:
        file, line, column, source = self.place
        head = "".join(f"{part}:" for part in (file, line or None, column if line and column else None) if part)
        text = f"{head}{' ' if head else ''}{self.severity}: {self.text}"
        if source and column and len(source) <= 1000:
            text += f"\n    {source}\n    {' ' * (column - 1)}^"
        return text


class Context:
    """Knows the text that marks of a model point to. A model that was read from a file: the lines of the file."""

    def place(self, file: Optional[str], line: int, column: int) -> Place:
        if _is_argument(file):
            frame = user_frame()
            return Place(frame.f_code.co_filename, frame.f_lineno, 0, None)
        source = linecache.getline(file, line).rstrip("\n") if file and line and os.path.isfile(file) else None
        return Place(file, line, column, source.replace("\t", " ") if source else None)


class TextContext(Context):
    """Of a model that is a text in memory."""

    def __init__(self, name: str, text: str):
        self.name, self.lines = name, text.splitlines()

    def place(self, file: Optional[str], line: int, column: int) -> Place:
        if file != self.name or not 0 < line <= len(self.lines):
            return super().place(file, line, column)
        return Place(file, line, column, self.lines[line - 1].replace("\t", " "))


def read_messages(raw: Iterable[Tuple], context: Optional[Context]) -> List[Message]:
    """Messages as the C side gives them."""
    context = context or Context()
    return [Message(_severities[severity], text, context.place(file, line, column), code, number)
            for severity, file, line, column, text, code, number in raw]


class Error(Exception):
    """What the engine refused, or could not do. `status` is the program's exit code, `messages` has every message."""

    status = 1

    def __init__(self, text: str = "", messages: Iterable[Message] = (), result: Any = None):
        super().__init__(text)
        self.text = text
        self.messages = list(messages)
        self.result = result  # of a run: what was recorded before

    def __str__(self) -> str:
        return self.text


class CommandError(Error, ValueError):
    """A wrong option or argument."""

    status = 2


class ModelError(Error, ValueError):
    """The model is wrong, or asks for what cannot be done."""

    status = 3


class NumericalError(Error, ArithmeticError):
    """The motion could not be continued."""

    status = 4


class FileError(Error, OSError):
    """A file could not be read or written."""

    status = 6


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or `progress`, ended a run or a study. `result` has what was recorded up to there."""

    def __init__(self, result: Any = None, text: Optional[str] = None):
        saved = getattr(result, "resumable", math.nan)
        super().__init__(text or "the run was interrupted; what it recorded is in the attribute 'result' of this exception"
                         + ("" if math.isnan(saved) else f"; with resume=True it continues from t = {saved:.9g} s"))
        self.result = result


class DalembertWarning(UserWarning):
    """A warning of the engine. `message` has its code, its number and its place."""

    def __init__(self, message: Message):
        super().__init__(str(message))
        self.message = message

    @property
    def code(self) -> Optional[str]:
        return self.message.code


_kinds = {kind.status: kind for kind in (CommandError, ModelError, NumericalError, FileError)}


def make_error(status: int, raw: Iterable[Tuple], context: Optional[Context], result: Any = None) -> Error:
    """The exception of a status. Of the program, a wrong option that only the model can find out is a wrong command; so it is here."""
    raw = list(raw)
    messages = read_messages(raw, context)
    files = [file for severity, file, *_ in raw if _severities[severity] == "error"]
    if status == ModelError.status and files and all(_is_argument(file) for file in files):
        status = CommandError.status
    errors = [str(m) for m in messages if m.severity == "error"]
    stopped = [f"the run was {m.text}" for m in messages if m.code == "stopped"]
    return _kinds.get(status, Error)("\n".join(errors or stopped) or _core.status_text(status), messages, result)


def user_frame() -> Any:
    """The innermost frame that is not in this package."""
    frame = sys._getframe(1)
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == _folder:
        frame = frame.f_back
    return frame


def speak(raw: Iterable[Tuple], context: Optional[Context]) -> None:
    """Warnings become warnings of Python, at the line of the user's program; notes go to the logger 'dalembert'."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == _folder:
        level, frame = level + 1, frame.f_back
    for message in read_messages(raw, context):
        if message.severity == "note":
            log.info("%s", message)
        else:
            warnings.warn(DalembertWarning(message), stacklevel=level)


def number_of(value: Any) -> Any:
    """Numbers of evidence that do not exist are nan."""
    return math.nan if value is None else value
