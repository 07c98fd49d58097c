"""What a run recorded, and its evidence."""

from __future__ import annotations

import contextlib
import difflib
import html
import math
import os
import tempfile
import uuid
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._answers import Evidence
from ._messages import CommandError, FileError, Message, read_messages


def temporary_page() -> str:
    """A path for a page, which nobody else has."""
    return os.path.join(tempfile.gettempdir(), f"dalembert-{uuid.uuid4().hex}.html")


def write_text(path: str, text: str) -> None:
    """A file that takes its name when it is complete."""
    try:
        part = path + ".part"
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    except OSError as error:
        raise FileError(f"{path}: error: it cannot be written: {error.strerror}") from error


def frame_html(page: str, height: int = 640) -> str:
    """A page inside a notebook: it may run its own scripts and do nothing else; it loads nothing. ASCII alone: the page knows the hash of its script, which
    must not depend on the encoding of what is around it."""
    text = html.escape(page, quote=True).encode("ascii", "xmlcharrefreplace").decode("ascii")
    return (f'<iframe sandbox="allow-scripts" srcdoc="{text}" '
            f'style="width: 100%; height: {height}px; border: 0"></iframe>')


class Table:
    """Channels over time, from a file of results: `t.time`, `t["A.angle"]`, `t.to_pandas()`, `t.plot()`, `t.svg("A.angle")`."""

    columns: Tuple[str, ...]  # time first
    units: Dict[str, str]
    complete: bool  # False: the file says that its run did not come to its end
    file: Optional[str]  # where it was read from
    hash: str  # of the model, "" where the file does not tell

    def __init__(self, file: str):
        self.file = file
        columns, self._values, self.hash, incomplete = _core.results(file, None)
        self._name_columns(columns)
        self.complete = not incomplete

    def _name_columns(self, columns: List[Tuple[str, str]]) -> None:
        self.columns = tuple(name for name, _ in columns)
        self.units = dict(columns)
        self._index = {name: i for i, name in enumerate(self.columns)}

    # ---- numbers ---------------------------------------------------------------------------------

    @property
    def values(self) -> np.ndarray:
        """All of it: a row an instant."""
        return self._values

    @property
    def time(self) -> np.ndarray:
        """The instants, s."""
        return self.values[:, 0]

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

    def __repr__(self) -> str:
        return f"<{len(self)} rows of {', '.join(self.columns)}{'' if self.complete else ', incomplete'}>"

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

    def svg(self, *names: str, file: Any = None, x: Optional[str] = None, log: bool = False, start: float = math.nan, end: float = math.nan,
            width: int = 0, height: int = 0, title: Optional[str] = None) -> str:
        """The picture that `dalembert plot` draws of these channels, as SVG; `file`: it is written there as well. `x`: another horizontal axis than
        time; `start`, `end`: part of the time."""
        with self._as_file() as (path, system):
            text = _core.plot(path, list(names), x, log, start, end, width, height, title, system)
        if file is not None:
            write_text(os.fspath(file), text)
        return text

    @contextlib.contextmanager
    def _as_file(self) -> Iterator[Tuple[str, Any]]:
        """A file of results with these rows, and the system that they are of, if it is known."""
        yield self._path(), None

    def _path(self) -> str:
        if not self.file or not os.path.exists(self.file):
            raise FileError(f"{self.file}: error: it is gone, and the rows with it")
        return self.file


class Result(Table):
    """A run: `r.time`, `r["A.angle"]`, `r.evidence`, `r.warnings`; `r.save("x.html")`, `r.to_pandas()`, `r.plot()`.

    Rows of a run that wrote files (`run(output=...)`) are read from the first of them when they are asked for."""

    evidence: Evidence
    messages: List[Message]  # all that the run said
    events: List[Tuple[float, str]]  # when, and what switched or began to stick
    status: int
    resumable: float  # the time, s, from which run(resume=True) goes on; nan: there is nothing to resume

    def __init__(self, record: Any, system: Any, context: Any, page: Optional[str], files: Any = None, paths: Sequence[str] = (), kept: bool = False):
        columns, recorded = system.columns()
        self._name_columns(columns[:recorded])
        self._values = None if files else record.rows().reshape(-1, recorded)
        self.evidence = record.evidence()
        self.messages = read_messages(record.messages(), context)
        self.events = record.events()
        self.status, self.interrupted, has_page = record.ending()
        self.complete = self.status == 0
        self.resumable = files.saved() if files else math.nan
        self.file = None if not files else paths[0] if self.complete or kept else paths[0] + ".part"
        self.hash = system.info()["hash"]
        self._record, self._system = record, system
        self._page = page if has_page else None
        self._html: Optional[str] = None

    @property
    def values(self) -> np.ndarray:
        """All that was recorded: a row an instant; read only."""
        if self._values is None:
            self._values = _core.results(self._path(), None)[1]
            self._values.flags.writeable = False
        return self._values

    @property
    def warnings(self) -> List[Message]:
        """Those of the model, then those of the run."""
        return self.evidence.warnings

    # ---- files ----------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _as_file(self) -> Iterator[Tuple[str, Any]]:
        if self.file:
            yield self._path(), self._system
            return
        with tempfile.TemporaryDirectory(prefix="dalembert-") as folder:
            path = os.path.join(folder, "run.csv")
            self.save(path)
            yield path, self._system

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
            if self.file:
                raise CommandError(f"the rows of this run are in '{self.file}'; run(output=[...]) writes several files at once")
            if self._record is None:
                raise CommandError("a result that came from another process can be saved as a page, or by to_pandas()")
            self._record.save(path, units)
            return
        write_text(path, self.html)

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        state["_values"] = np.array(self.values)
        state["_record"] = state["_system"] = state["_page"] = None  # a page that was made goes with it
        return state

    def __repr__(self) -> str:
        return str(self.evidence)

    def _repr_html_(self) -> str:
        try:
            return frame_html(self.html)
        except CommandError:
            return f"<pre>{html.escape(repr(self))}</pre>"
