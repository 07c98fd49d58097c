"""A model, and what can be asked about it."""

from __future__ import annotations

import math
import os
import shlex
import sys
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from . import _core
from ._analyses import Analyses
from ._answers import Answer
from ._messages import CommandError, Context, Interrupted, TextContext, make_error, speak
from ._result import Result, temporary_page
from ._written import Site, Written, keys_of

Value = Union[float, str]
_settings = ("coordinates", "formulation", "stabilization", "integrator", "step", "rtol", "atol", "until", "every", "max_step", "event_tolerance",
             "undetermined", "start")
_most_systems = 8  # that a model keeps


def _setting_text(value: Any) -> str:
    """A setting as the command line writes it: 0.01, "kane", {"baumgarte": {"alpha": 10, "beta": 10}}."""
    if isinstance(value, Mapping):
        if len(value) != 1:
            raise TypeError(f"a choice with options has one word, as in {{'baumgarte': {{'alpha': 10}}}}, not {value!r}")
        (word, options), = value.items()
        if isinstance(options, Mapping):
            return f"{word}:" + ",".join(f"{name}={_setting_text(item)}" for name, item in options.items())
        return f"{word}={_setting_text(options)}"
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"a setting is a number or a word, not {value!r}")
    return _number_text(value)


def _number_text(value: Any) -> str:
    """As a shell would have it: 2 is not 2.0, of which a model has another hash."""
    if not math.isfinite(value):
        raise CommandError(f"a number of a model or of a setting has to be finite, not {value!r}")
    return str(int(value)) if hasattr(value, "__index__") else repr(float(value))


def _override_text(value: Any) -> str:
    return value if isinstance(value, str) else _number_text(value)


def _show_progress(t: float, until: float, steps: int, seconds: float) -> bool:
    """One line of the terminal, as the program writes it."""
    if seconds > 1:
        done = t / until if until > 0 else 0
        left = f"  {seconds * (1 - done) / done:.0f} s left" if done > 1e-6 else ""
        sys.stderr.write(f"\r\033[K{100 * done:3.0f} %  t = {t:.4g} of {until:.4g} s  {t / seconds:.3g} x real time{left}")
        sys.stderr.flush()
        _show_progress.shown = True  # type: ignore[attr-defined]
    return True


_show_progress.shown = False  # type: ignore[attr-defined]


def _progress_of(wanted: Any) -> Optional[Callable]:
    if callable(wanted):
        return wanted
    terminal = sys.stderr is not None and hasattr(sys.stderr, "isatty") and sys.stderr.isatty()
    return _show_progress if (wanted or wanted is None) and terminal else None


def _end_progress() -> None:
    if _show_progress.shown:  # type: ignore[attr-defined]
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
        _show_progress.shown = False  # type: ignore[attr-defined]


class Model(Analyses):
    """A mechanism. `load` and `parse` read one; `Model(space="planar")` begins one that is written in Python:

        m = dal.Model(space="planar", gravity=[0, -9.81])
        m.body("rod", mass=1.5, inertia=0.18, angle="-30*deg", points={"O": [-0.6, 0]})
        m.joint("pivot", type="revolute", connect=["ground", "rod.O"])
    """

    def __init__(self, sections: Optional[Mapping[str, Any]] = None, **more: Any):
        """The sections of a model file, as a dictionary, by name, or both."""
        self._begin("model")
        self._written: Optional[Written] = Written()
        site = Site.here()
        for section, value in {**dict(sections or {}), **keys_of(more.items())}.items():
            if section != "dalembert":
                self._written.put(section, value, site)

    def _begin(self, file: str) -> None:
        self._file, self._text, self._floating = file, None, False
        self._overrides: Dict[str, str] = {}
        self._context: Context = Context()
        self._kept: Any = None
        self._closed = False
        self._written = None
        self._systems: "OrderedDict[Any, Any]" = OrderedDict()
        self._about: Optional[Dict[str, Any]] = None
        self.last_result: Optional[Result] = None

    @classmethod
    def _read(cls, file: str, text: Optional[str], overrides: Mapping[str, Value], floating: bool) -> "Model":
        self = cls.__new__(cls)
        self._begin(file)
        self._text, self._floating = text, floating
        self._overrides = {str(name): _override_text(value) for name, value in overrides.items()}
        if text is not None:
            self._context = TextContext(file, text)
        self._base()
        return self

    # ---- writing it ----------------------------------------------------------------------------------

    def add(self, section: str, element: str, entry: Any = None, /, **keys: Any) -> "Model":
        """One more entry of any section of the language: add("states", "z", start=0, rate="..."), add("define", "f", "2*x")."""
        if self._written is None:
            raise CommandError(f"'{self._file}' was read; only a model made by Model() can be extended")
        self._written.put_element(section, element, keys_of(keys.items()) if entry is None else entry, Site.here())
        self._forget()
        return self

    def body(self, name: str, /, **keys: Any) -> "Model":
        """A body: mass, inertia, position, points, ... as in `bodies:`."""
        return self.add("bodies", name, **keys)

    def joint(self, name: str, /, **keys: Any) -> "Model":
        """A joint: type, connect, axis, ... as in `joints:`."""
        return self.add("joints", name, **keys)

    def force(self, name: str, /, **keys: Any) -> "Model":
        """A force: type, connect, value, ... as in `forces:`."""
        return self.add("forces", name, **keys)

    def ground(self, **keys: Any) -> "Model":
        """Points and shapes of the ground."""
        return self._put("ground", keys_of(keys.items()))

    def parameter(self, **values: Value) -> "Model":
        """Parameters and their values."""
        return self._put("parameters", values)

    def input(self, **values: Value) -> "Model":
        """Inputs and what they begin with."""
        return self._put("inputs", values)

    def define(self, **expressions: Value) -> "Model":
        """Names for expressions."""
        return self._put("define", expressions)

    def record(self, *channels: str) -> "Model":
        """The channels that a run records."""
        return self._put("record", list(channels))

    def simulate(self, **settings: Any) -> "Model":
        """until, every, integrator, ...: what `run` takes if it is not given another value."""
        return self._put("simulate", keys_of(settings.items()))

    def _put(self, section: str, value: Any) -> "Model":
        if self._written is None:
            raise CommandError(f"'{self._file}' was read; only a model made by Model() can be extended")
        self._written.put(section, value, Site.here())
        self._forget()
        return self

    def _forget(self) -> None:
        self._kept = self._about = None
        self._systems.clear()

    # ---- what it is ------------------------------------------------------------------------------------

    def _base(self) -> Any:
        """The spec as it was read, which nobody changes."""
        if self._closed:
            raise CommandError(f"the model '{self._file}' is closed")
        if self._kept is None:
            text = self._text
            if self._written is not None:
                text, self._context = self._written.text(self._file)
            self._kept = _core.read_model(self._file, text, self._overrides, self._floating, self._context)
        return self._kept

    def _spec(self, settings: Mapping[str, Any], show: bool = False, record: Optional[Sequence[str]] = None, motion: bool = False) -> Any:
        """A copy of it with these settings."""
        spec = self._base().clone()
        for name, value in settings.items():
            if value is None:
                continue
            if name.replace("-", "_") not in _settings:
                raise TypeError(f"'{name}' is not a setting of a run; there are {', '.join(_settings)}"
                                + (" (another value of a parameter: vary())" if name in self.parameters else ""))
            spec.set(name.replace("_", "-"), _setting_text(value))
        if record is not None:
            spec.record([record] if isinstance(record, str) else list(record))
        if show:
            spec.show()
        if motion:
            spec.record_motion()
        return spec

    def _system(self, settings: Mapping[str, Any], show: bool = False, for_evaluation: bool = False, record: Optional[Sequence[str]] = None,
                motion: bool = False) -> Any:
        self._base()
        key = (tuple(sorted((name, _setting_text(value)) for name, value in settings.items() if value is not None)), show, for_evaluation,
               None if record is None else record if isinstance(record, str) else tuple(record), motion)
        if key not in self._systems:
            self._systems[key] = _core.compile_model(self._spec(settings, show, record, motion), for_evaluation)
            while len(self._systems) > _most_systems:
                self._systems.popitem(last=False)
        self._systems.move_to_end(key)
        return self._systems[key]

    def _describe(self) -> Dict[str, Any]:
        if self._about is None:
            self._about = self._base().describe()
        return self._about

    name = property(lambda self: self._describe()["name"], doc="Its name.")
    file = property(lambda self: self._describe()["file"], doc="The file that it was read from.")
    text = property(lambda self: self._describe()["text"], doc="The model as text.")
    hash = property(lambda self: self._describe()["hash"], doc="Of its text, its files and its overrides: 16 hex digits.")
    space = property(lambda self: self._describe()["space"], doc="'planar' or 'spatial'.")
    bodies = property(lambda self: self._describe()["bodies"], doc="Names of the bodies.")
    joints = property(lambda self: self._describe()["joints"], doc="Names of the joints.")
    forces = property(lambda self: self._describe()["forces"], doc="Names of the forces.")
    inputs = property(lambda self: self._describe()["inputs"], doc="Names of the inputs.")
    parameters = property(lambda self: self._describe()["parameters"], doc="Parameters and their values.")

    def info(self, **settings: Any) -> Answer:
        """Sizes, and the choices of method: coordinates, formulation, nq, nv, freedoms, ..."""
        return Answer(self._system(settings).info())

    def close(self) -> None:
        """Free it. Simulations and results that were made of it stay."""
        self._forget()
        self._closed = True

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        text = self.text if self._written is not None else self._text
        return Model._read, (self._file, text, self._overrides, self._floating)

    def __repr__(self) -> str:
        if self._closed:
            return f"<Model '{self._file}', closed>"
        return f"<Model '{self.name or self._file}': {self.space}, {len(self.bodies)} bodies, {len(self.joints)} joints>"

    # ---- runs ----------------------------------------------------------------------------------------------

    def vary(self, values: Optional[Mapping[str, Value]] = None, **more: Value) -> "Model":
        """The same model with other values of parameters, inputs or start values: vary(l=0.4), vary({"A.angle": 0.3})."""
        text = self.text if self._written is not None else self._text
        return Model._read(self._file, text, {**self._overrides, **dict(values or {}), **more}, self._floating)

    def state(self, start: Optional[Mapping[str, float]] = None, **settings: Any) -> Any:
        """A state at the start of the model, to be evaluated by hand; `start`: other values, {"A.angle": 0.3}."""
        system = self._system(settings)
        return self._state_of(system, start) or _core.State(system)

    @staticmethod
    def _state_of(system: Any, start: Optional[Mapping[str, float]]) -> Any:
        """A state with these values; None: those of the model."""
        if not start:
            return None
        state = _core.State(system)
        state.assign(dict(start))
        return state

    def _command(self, settings: Mapping[str, Any], compiled: Optional[bool] = None) -> Optional[str]:
        """What does the same in a shell."""
        if self._text is not None or self._written is not None:
            return None
        words = ["dalembert", "run", self._file]
        for name, value in settings.items():
            if value is not None:
                words += [f"--{name.replace('_', '-')}", _setting_text(value)]
        for name, text in self._overrides.items():
            words += ["--set", f"{name}={text}"]
        return " ".join(map(shlex.quote, words + (["--floating"] if self._floating else []) + (["--compiled"] if compiled else [])))

    def run(self, until: Optional[Value] = None, *, start: Union[Mapping[str, float], str, None] = None, control: Optional[Callable] = None,
            period: Optional[float] = None, page: Union[bool, str, None] = None, keep: bool = False, progress: Any = None, frames: int = 0,
            compiled: Optional[bool] = None, record: Optional[Sequence[str]] = None, motion: bool = False, output: Any = None, resume: bool = False,
            units: bool = False, **settings: Any) -> Result:
        """Integrate the model over its time.

        settings    until, every, formulation, coordinates, integrator, stabilization, step, rtol, atol, ...: as the options of `dalembert run`
        start       values to begin with instead of those of the model, {"A.angle": 0.3}, or "equilibrium"
        control     called with the simulation at the beginning and then every `period` seconds; it reads, and sets inputs
        page        whether the result can be shown and saved as a page (True where pages are there); "equations": with the equations of motion in
                    symbols, as pages of the program have them, which may take some seconds
        keep        a run that fails is returned as far as it came, instead of an exception
        record      channels, or expressions of them, in the place of those of the model
        motion      record the motion of all bodies, energies and residuals as well: view() and snapshots() need it
        output      "x.csv", "x.h5", or several files: rows go there while it runs, and not into memory; the result reads them when they are asked for.
                    They take their names when they are complete; until then they are x.csv.part
        resume      go on with a run that was stopped or killed, into the same files: the same call again. They become those of a run that was never
                    stopped. What `control` remembers by itself is not in them
        units       a second line of names in CSV
        compiled    by code that is generated for the model and compiled by the machine's cc, as `run --compiled`; False: by the engine in any case
        progress    called about twenty times a second with (t, until, steps, seconds); False: nothing on the terminal; returns False to stop

        NumericalError and Interrupted (Ctrl-C) have what was recorded before in their attribute `result`.
        """
        if isinstance(start, str):
            settings, start = {**settings, "start": start}, None
        settings = {"until": until, **settings}
        if control is not None and period is None:
            raise TypeError("control needs a period, the time between its calls, s")
        paths = self._output_paths(output, resume, page)
        page = _core.page_available() and not resume if page is None else page
        if isinstance(page, str) and page != "equations":
            raise CommandError(f"page is True, False or 'equations', not {page!r}")
        files = _core.run_files(paths, units, resume, bool(page), self._context) if paths else None
        system = self._system(settings, show=files.shown() if files else bool(page), record=record, motion=motion)
        state = self._state_of(system, start)
        path = temporary_page() if page else None
        command = self._command(settings, compiled) if control is None and not start else None
        try:
            made = _core.run_system(system, _progress_of(progress), control, period or 0.0, state, True, path, command, frames,
                                    0 if compiled is None else 1 if compiled else -1, files, keep)
        finally:
            _end_progress()
        self.last_result = result = Result(made, system, self._context, path, files, paths, keep, page == "equations")
        if result.interrupted:
            raise Interrupted(result)
        raw = made.messages()
        if result.status and not keep:
            raise make_error(result.status, raw, self._context, result)
        speak([m for m in raw if m[0] < 2], self._context)
        return result

    @staticmethod
    def _output_paths(output: Any, resume: bool, page: Union[bool, str, None]) -> List[str]:
        paths = [] if output is None else [os.fspath(output)] if isinstance(output, (str, os.PathLike)) else [os.fspath(path) for path in output]
        for path in paths:
            if path.lower().endswith((".html", ".htm")):
                raise CommandError(f"'{path}' is a page: save() of the result writes it; output is for .csv and .h5")
        if resume and not paths:
            raise CommandError("resume=True continues the files of a run: name them with output=")
        if resume and page:
            raise CommandError("a page cannot be resumed: leave it out, and make it from the finished file by view()")
        return paths

    def simulation(self, *, start: Optional[Mapping[str, float]] = None, control: Optional[Callable] = None, period: Optional[float] = None,
                   **settings: Any) -> Any:
        """The model to be stepped from outside; `start`: values to begin with instead of those of the model; `control`, `period`: as in run()."""
        if control is not None and period is None:
            raise TypeError("control needs a period, the time between its calls, s")
        system = self._system(settings)
        return _core.create_simulation(system, self._state_of(system, start), control, period or 0.0)

    def runs(self, values: Mapping[str, Sequence[float]], until: Optional[Value] = None, *, threads: int = 1,
              reduce: Optional[Callable[[Result], Any]] = None, **settings: Any) -> List[Any]:
        """One run for each entry of `values`, {"L": [...], "A.angle": [...]}, lists of the same length, all at once on `threads` threads. The model is
        compiled once. `reduce`: what is kept of each result, a function of it; None: the result. Runs that fail are there, too: `complete` is False."""
        if len({len(column) for column in values.values()}) != 1:
            raise ValueError("runs() needs lists of the same length: one entry for each run")
        names, rows = list(values), list(zip(*values.values()))
        base = self._system({"until": until, **settings})

        def one(row: Sequence[float]) -> Any:
            system = base.vary(names, [float(x) for x in row])
            result = Result(_core.run_system(system, None, None, 0.0, None, True, None, None, 0, 0, None, False), system, self._context, None)
            if result.interrupted:
                raise Interrupted(result)
            return reduce(result) if reduce else result

        if threads == 1:
            return [one(row) for row in rows]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(one, rows))

    def tree(self, **settings: Any) -> Any:
        """Recursive dynamics of its joint tree: forward_dynamics(q, v, tau), mass_matrix(q), jacobian(body, q), ..."""
        return _core.Tree(self._system({"coordinates": "joint", **settings}))
