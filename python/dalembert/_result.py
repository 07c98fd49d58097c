"""What a run recorded, and its evidence."""

from __future__ import annotations

import difflib
import html
import os
import tempfile
import uuid
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _core
from ._answers import Evidence
from ._messages import CommandError, FileError, Message, read_messages


def temporary_page() -> str:
    """A path for a page, which nobody else has."""
    return os.path.join(tempfile.gettempdir(), f"dalembert-{uuid.uuid4().hex}.html")


def frame_html(page: str, height: int = 640) -> str:
    """A page inside a notebook: it may run its own scripts and do nothing else; it loads nothing. ASCII alone: the page knows the hash of its script, which
    must not depend on the encoding of what is around it."""
    text = html.escape(page, quote=True).encode("ascii", "xmlcharrefreplace").decode("ascii")
    return (f'<iframe sandbox="allow-scripts" srcdoc="{text}" '
            f'style="width: 100%; height: {height}px; border: 0"></iframe>')


class Result:
    """A run: `r.time`, `r["A.angle"]`, `r.evidence`, `r.warnings`; `r.save("x.html")`, `r.to_pandas()`, `r.plot()`."""

    columns: Tuple[str, ...]  # time first
    units: Dict[str, str]
    values: np.ndarray  # a row an instant; read only
    evidence: Evidence
    messages: List[Message]  # all that the run said
    events: List[Tuple[float, str]]  # when, and what switched or began to stick
    complete: bool  # False: it failed or was stopped; everything here is of the part that it came to
    status: int

    def __init__(self, record: Any, system: Any, context: Any, page: Optional[str]):
        columns, recorded = system.columns()
        self.columns = tuple(name for name, _ in columns[:recorded])
        self.units = dict(columns[:recorded])
        self.values = record.rows().reshape(-1, recorded)
        self.evidence = record.evidence()
        self.messages = read_messages(record.messages(), context)
        self.events = record.events()
        self.status, self.interrupted, has_page = record.ending()
        self.complete = self.status == 0
        self._record = record
        self._page = page if has_page else None
        self._html: Optional[str] = None
        self._index = {name: i for i, name in enumerate(self.columns)}

    # ---- numbers ---------------------------------------------------------------------------------

    @property
    def time(self) -> np.ndarray:
        """The instants, s."""
        return self.values[:, 0]

    @property
    def warnings(self) -> List[Message]:
        """Those of the model, then those of the run."""
        return self.evidence.warnings

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self._index:
            return self.values[:, self._index[name]]
        near = difflib.get_close_matches(str(name), self.columns, 1)
        raise KeyError(f"'{name}' was not recorded{'; did you mean ' + repr(near[0]) + '?' if near else ''} "
                       f"(recorded are {', '.join(self.columns)})")

    def __contains__(self, name: str) -> bool:
        return name in self._index

    def __len__(self) -> int:
        return len(self.values)

    def keys(self) -> Tuple[str, ...]:
        """The names of the channels, time first."""
        return self.columns

    # ---- for others -----------------------------------------------------------------------------------

    def to_pandas(self) -> Any:
        """A DataFrame with time as its index; units are in its `attrs`."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas, which is not installed (Debian's package python3-pandas)") from error
        frame = pandas.DataFrame(np.array(self.values[:, 1:]), columns=list(self.columns[1:]), index=pandas.Index(np.array(self.time), name="time"))
        frame.attrs["units"] = dict(self.units)
        return frame

    def plot(self, *names: str, x: str = "time", ax: Any = None) -> Any:
        """Channels against time (or another channel `x`), those of one unit in a panel; the axes of matplotlib."""
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError("plot() needs matplotlib, which is not installed (Debian's package python3-matplotlib); "
                              "save(\"x.html\") has plots, too") from error
        names = names or self.columns[1:]
        panels: Dict[str, List[str]] = {}
        for name in names:
            self[name]
            panels.setdefault(self.units[name], []).append(name)
        if ax is None:
            _, ax = pyplot.subplots(len(panels), sharex=True, squeeze=False, figsize=(7, 2.4 * len(panels)))
            axes = list(ax[:, 0])
        else:
            axes = [ax] * len(panels)
        for one, (unit, group) in zip(axes, panels.items()):
            for name in group:
                one.plot(self[x], self[name], label=name)
            one.set_ylabel(unit or "1")
            one.legend(loc="best", fontsize="small")
        axes[-1].set_xlabel(f"{x}, {self.units[x]}" if self.units[x] else x)
        return axes

    @property
    def html(self) -> str:
        """The report page as text: the mechanism moves in it, with plots and evidence."""
        if self._html is None:
            if not self._page:
                raise CommandError("this run has no page: " + (
                    "it came from another process, where `html` was not asked for" if self._record is None else
                    "run it with page=True" if _core.page_available() else
                    "this build has no report page of the engine, which needs node and npm"))
            self._record.write_page()
            with open(self._page, encoding="utf-8") as file:
                self._html = file.read()
            os.unlink(self._page)
        return self._html

    def save(self, path: Any, units: bool = False) -> None:
        """Write a file, by its extension: .html a page, .csv or .h5 the recorded channels, as the program writes them. `units`: a second line of
        names in CSV."""
        path = os.fspath(path)
        if not path.lower().endswith((".html", ".htm")):
            if self._record is None:
                raise CommandError("a result that came from another process can be saved as a page, or by to_pandas()")
            self._record.save(path, units)
            return
        page = self.html
        try:
            part = path + ".part"
            with open(part, "w", encoding="utf-8") as file:
                file.write(page)
            os.replace(part, path)
        except OSError as error:
            raise FileError(f"{path}: error: the page cannot be written: {error.strerror}") from error

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        state["values"] = np.array(self.values)
        state["_record"] = state["_page"] = None  # a page that was made goes with it
        return state

    def __repr__(self) -> str:
        return str(self.evidence)

    def _repr_html_(self) -> str:
        try:
            return frame_html(self.html)
        except CommandError:
            return f"<pre>{html.escape(repr(self))}</pre>"
