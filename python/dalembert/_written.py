"""Models that are written in Python: dictionaries that mirror the YAML, and the Python line that wrote each line of it."""

from __future__ import annotations

import json
import linecache
import re
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _core
from ._messages import Context, Place, user_frame


class Site(NamedTuple):
    """A call in a program: its lines, and the column where it begins."""

    file: str
    first: int
    last: int
    column: int

    @classmethod
    def here(cls) -> "Site":
        """The call by which the user's program came into this package."""
        frame = user_frame()
        for i, place in enumerate(frame.f_code.co_positions()):
            if i == frame.f_lasti // 2 and place[0] is not None:
                first, last, column, _ = place
                return cls(frame.f_code.co_filename, first, last or first, (column or 0) + 1)
        return cls(frame.f_code.co_filename, frame.f_lineno, frame.f_lineno, 0)

    def find(self, *keys: str) -> Place:
        """Where the innermost of these keys stands in the call; otherwise where the call begins."""
        lines = [(number, linecache.getline(self.file, number).rstrip("\n")) for number in range(self.first, self.last + 1)]
        for key in reversed(keys):
            word = re.escape(key).replace(r"\-", "[-_]")
            pattern = re.compile(rf"(?<![\w.])(?P<quote>['\"]?)(?P<key>{word})_?(?P=quote)\s*[=:,)](?!=)")
            for number, text in lines:
                found = pattern.search(text, self.column - 1 if number == self.first and self.column else 0)
                if found:
                    return Place(self.file, number, found.start("key") + 1, text.replace("\t", " "))
        first = lines[0][1] if lines else ""
        return Place(self.file, self.first, self.column, first.replace("\t", " ") or None)


class WrittenContext(Context):
    """Which call wrote a line of the text."""

    def __init__(self, name: str):
        self.name = name
        self.lines: List[Optional[Tuple[Site, Tuple[str, ...]]]] = [None]

    def place(self, file: Optional[str], line: int, column: int) -> Place:
        wrote = self.lines[line] if file == self.name and 0 < line < len(self.lines) else None
        return wrote[0].find(*wrote[1]) if wrote else super().place(None if file == self.name else file, line, column)


def write_value(value: Any) -> str:
    """A value as YAML in one line."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key), ensure_ascii=False)}: {write_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, np.ndarray):
        return write_value(value.tolist())
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(write_value(item) for item in value) + "]"
    raise TypeError(f"{value!r} is not a value of a model: use numbers, strings (expressions), lists or dictionaries")


_hyphens: Dict[str, str] = {}


def key_of(name: str) -> str:
    """The key of the language for a name in Python: `max_step` is max-step, `from_` is from."""
    if not _hyphens:
        _hyphens.update({key[1].replace("-", "_"): key[1] for key in _core.keys() if "-" in key[1]})
    return _hyphens.get(name, name.rstrip("_"))


class Written:
    """The sections of a model in the order in which they came, each entry with the call that wrote it."""

    def __init__(self) -> None:
        self.sections: Dict[str, Any] = {}  # name: (site, value) or {element: (site, value)}

    def put(self, section: str, value: Any, site: Site) -> None:
        if isinstance(value, dict):
            entries = self.sections.setdefault(section, {})
            for name, item in value.items():
                self.put_element(section, str(name), item, site) if isinstance(entries, dict) else None
        else:
            write_value(value)
            self.sections[section] = (site, value)

    def put_element(self, section: str, name: str, value: Any, site: Site) -> None:
        entries = self.sections.setdefault(section, {})
        if name in entries:
            raise ValueError(f"'{name}' is in '{section}' already")
        write_value(value)  # what cannot be written is refused at once
        entries[name] = (site, value)

    def text(self, name: str) -> Tuple[str, WrittenContext]:
        """The model as YAML, and what knows its lines."""
        lines: List[str] = []
        context = WrittenContext(name)

        def add(text: str, site: Optional[Site], *keys: str) -> None:
            lines.append(text)
            context.lines.append((site, keys) if site else None)

        add("dalembert: 1", None)
        for section, content in self.sections.items():
            if isinstance(content, tuple):
                add(f"{section}: {write_value(content[1])}", content[0], section)
                continue
            add(f"{section}:" + ("" if content else " {}"), next(iter(content.values()))[0] if content else None, section)
            for element, (site, value) in content.items():
                quoted = json.dumps(element, ensure_ascii=False)
                if not isinstance(value, dict) or not value:
                    add(f"  {quoted}: {write_value(value)}", site, section, element)
                    continue
                add(f"  {quoted}:", site, section, element)
                for key, item in value.items():
                    add(f"    {json.dumps(str(key))}: {write_value(item)}", site, section, element, str(key))
        return "\n".join(lines) + "\n", context


def keys_of(values: Iterable[Tuple[str, Any]]) -> Dict[str, Any]:
    """Keywords as keys of the language."""
    return {key_of(name): value for name, value in values if value is not None}
