"""What can be asked about a model, besides running it. One more analysis is one more method here, and one more function on the C side."""

from __future__ import annotations

import html
import json
import os
import shlex
import shutil
import tempfile
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._answers import Answer
from ._messages import CommandError, Error, Interrupted
from ._result import Table, write_text

Names = Union[str, Sequence[str], None]


def _names(value: Names) -> list:
    """A list of names; one alone may be a string."""
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def _at(at: Any, folder: str) -> Optional[str]:
    """"start", "equilibrium" or a state file; a dictionary becomes one."""
    if not isinstance(at, Mapping):
        return at if at is None else os.fspath(at)
    path = os.path.join(folder, "state.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(_state_text(at))
    return path


def _state_text(state: Mapping[str, Any]) -> str:
    """A state file: {"q": , "rates": , "forces": , "accelerations": , "time": }."""
    return json.dumps({key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in state.items()},
                      default=lambda value: value.tolist())


def _values_text(value: Any) -> str:
    """What is varied, as the command line has it."""
    if isinstance(value, str):
        return value
    return ",".join(item if isinstance(item, str) else str(int(item)) if hasattr(item, "__index__") else repr(float(item)) for item in (value if np.iterable(value) else [value]))


class Study:
    """The runs of a sweep, in the order of the plan: table["k"] is what run i had, table["peak"] what came out. `save("study.html")` writes its page."""

    def __init__(self, handle: Any, journals: Sequence[str], command: Optional[str] = None, folder: Any = None):
        factors, points, values, channels, rows = handle.read(list(journals))
        self._handle, self._journals, self._command, self._folder = handle, list(journals), command, folder
        self.units = {name: unit for name, unit, *_ in [*factors, *values]}
        self.run = np.array([row[0] for row in rows], dtype=int)
        self.status = np.array([row[1] for row in rows], dtype=int)  # 0: it came to its end
        self.reason = [row[2] for row in rows]
        self.warnings = [row[3] for row in rows]  # codes
        self.channels = tuple(name for name, _ in channels)
        self.rows = [row[5] for row in rows]  # the channels of each run, time first
        self._columns: dict = {}
        for k, (name, _, words) in enumerate(factors):
            column = points[self.run, k]
            self._columns[name] = np.array([words[int(i)] for i in column]) if words else column
        for k, (name, _) in enumerate(values):
            self._columns[name] = np.array([row[4][k] for row in rows])

    @property
    def columns(self) -> tuple:
        """Names of what was varied, then of what was kept."""
        return tuple(self._columns)

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self._columns:
            return self._columns[name]
        raise KeyError(f"there is no column '{name}' in this study; it has {', '.join(self._columns)}")

    def __len__(self) -> int:
        return len(self.run)

    def save(self, path: Any, *, motions: int = 40, threads: int = 0) -> None:
        """Write it, by the extension of the file: .csv, .h5, or .html, a page with a table and plots in which up to `motions` runs move. The files are
        those of `dalembert sweep`."""
        if self._handle is None:
            raise CommandError("a study that came from another process can be saved by to_pandas() only")
        self._handle.write(self._journals, os.fspath(path), motions or -1, threads, self._command)

    def __getstate__(self) -> dict:
        return {**self.__dict__, "_handle": None, "_folder": None}

    def __repr__(self) -> str:
        return f"<Study of {len(self)} runs, {int(np.count_nonzero(self.status))} of them failed: {', '.join(self._columns)}>"

    def to_pandas(self) -> Any:
        """A DataFrame, a row a run."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas, which is not installed (Debian's package python3-pandas)") from error
        return pandas.DataFrame({**self._columns, "status": self.status, "reason": self.reason}, index=pandas.Index(self.run, name="run"))


class Code(NamedTuple):
    """C code of a model: the texts of a file and its header, and the operations of one evaluation."""

    source: str
    header: str
    operations: int


class Campbell:
    """Modes over a parameter: lines[name] are the eigenvalues of one mode, an array as long as `values`, nan where there is none."""

    def __init__(self, parameter: str, values: np.ndarray, lines: list):
        self.parameter, self.values = parameter, values
        self.names = tuple(name for name, *_ in lines)
        self.eigenvalues = np.array([re + 1j * im for _, re, im in lines]).reshape(len(lines), len(values))

    @property
    def frequencies(self) -> np.ndarray:
        """Hz; a row a mode."""
        return np.abs(self.eigenvalues.imag) / (2 * np.pi)

    def __repr__(self) -> str:
        return f"<Campbell diagram of {len(self.names)} modes over {len(self.values)} values of '{self.parameter}'>"


class Analyses:
    """Methods of Model. Settings are those of run()."""

    _spec: Callable[..., Any]
    _system: Callable[..., Any]
    _describe: Callable[..., Any]
    _file: str
    _text: Optional[str]
    _written: Any
    _overrides: Mapping[str, str]
    _floating: bool
    state: Callable[..., Any]

    # ---- reports ---------------------------------------------------------------------------------

    def check(self, along: bool = False, **settings: Any) -> Answer:
        """A verdict: freedoms, redundant joints, singular positions, what is loose or stiff. `along`: also along the motion. A model that cannot be
        simulated has one, too: `status` is then not 0, and `reason` says why."""
        return Answer.read(_core.check(self._spec(settings), along, None))

    def compare(self, formulations: Names = None, coordinates: Names = None, **settings: Any) -> Answer:
        """The same motion under several formulations (all that apply) and families of coordinates: sizes, costs, errors."""
        return Answer.read(_core.compare(self._spec(settings), _names(coordinates), _names(formulations), None))

    def ports(self, **settings: Any) -> Answer:
        """The model as components with ports."""
        return Answer.read(_core.ports(self._spec(settings)))

    def derive(self, formulations: Names = None, coordinates: Optional[str] = None, form: str = "txt", steps: bool = False, width: int = 100,
               file: Any = None) -> str:
        """The equations of motion in symbols, as text; `form`: "txt", "md", "tex" or "json". `file`: they are written there as well, in the form of
        its extension."""
        if file is not None:
            form = os.path.splitext(os.fspath(file))[1][1:].lower()
        text = _core.derive(self._spec({}), _names(formulations), coordinates, form, steps, width)
        if file is not None:
            write_text(os.fspath(file), text)
        return text

    def generate(self, file: Any = None, *, formulation: Optional[str] = None, coordinates: Optional[str] = None, parameters: str = "fixed",
                 lanes: int = 0, jacobians: bool = False) -> "Code":
        """The equations of motion as C code: `source`, `header`, `operations`. `file`: "crank.c", where they are written, with "crank.h" beside it.
        `parameters`: "fixed", or "struct" for an argument of the functions; `lanes`: 4 or 8 copies at once as well."""
        if parameters not in ("fixed", "struct"):
            raise CommandError(f"parameters are 'fixed' or 'struct', not {parameters!r}")
        path = "model.c" if file is None else os.fspath(file)
        if not path.endswith(".c") or os.path.basename(path) == ".c":
            raise CommandError(f"'{path}' does not end with .c: generated code is a C file")
        code = Code(*_core.generate(self._spec({}), os.path.basename(path)[:-2], formulation, coordinates, parameters == "struct", lanes, jacobians))
        if file is not None:
            write_text(path[:-1] + "h", code.header)
            write_text(path, code.source)
        return code

    def convert(self, form: str = "yaml") -> str:
        """The model in another language: a robot from URDF as "yaml", a tree as "urdf"."""
        if form not in ("yaml", "urdf"):
            raise CommandError(f"a model is converted to 'yaml' or 'urdf', not to {form!r}")
        return _core.convert(self._spec({}), form)

    # ---- at one state ----------------------------------------------------------------------------------

    def equations(self, start: Optional[Mapping[str, float]] = None, **settings: Any) -> Answer:
        """The matrices that the formulation solves, at the start or at `start`, {"A.angle": 0.3}: blocks by name, the solution, accelerations."""
        return Answer.read(_core.equations(self.state(start, **settings)))

    def evaluate(self, state: Any = None, *, seed: Optional[int] = None, inverse: bool = False, nearest: bool = False, **settings: Any) -> Answer:
        """Everything at one state: M, C, bias, gravity, accelerations, reactions. `state`: a state file, or {"q": , "rates": , ...}; or a random one of
        this `seed`. `inverse`: the forces for the wanted accelerations."""
        if (state is None) == (seed is None):
            raise TypeError("evaluate() needs a state, or the seed of a random one")
        here = _core.State(self._system(settings, for_evaluation=True))
        text = _state_text(state) if isinstance(state, Mapping) else None
        file = None if state is None or text is not None else os.fspath(state)
        return Answer.read(_core.evaluate(here, text, file, seed or 0, inverse, nearest))

    # ---- small motions -----------------------------------------------------------------------------------

    def equilibrium(self, *, starts: int = 0, seed: int = 0, steady: Optional[Mapping[str, float]] = None, **settings: Any) -> Answer:
        """Where the model stands, near its start: values, stability, reactions. `starts`: from as many starts, the first is that of the model, the others
        follow from `seed`; the answer has a list. `steady`: the steady motion with these rates, {"pin.angle": 10}."""
        if starts and steady:
            raise TypeError("equilibrium() needs starts or steady: a steady motion is found from the start of the model")
        if starts:
            return Answer.read(_core.equilibria(self._spec(settings), starts, seed))
        return Answer.read(_core.equilibrium(self._spec(settings), dict(steady or {})))

    def _linear(self, function: Callable, at: Any, states: Names, inputs: Names, outputs: Names, steady: Optional[Mapping[str, float]],
                settings: Mapping[str, Any], *more: Any) -> Answer:
        with tempfile.TemporaryDirectory(prefix="dalembert-") as folder:
            where = self._place(at, folder, states, inputs, outputs, steady, settings)
            return Answer.read(function(where, *more) if more else function(*where))

    def _place(self, at: Any, folder: str, states: Names, inputs: Names, outputs: Names, steady: Optional[Mapping[str, float]],
               settings: Mapping[str, Any]) -> tuple:
        """What the C side linearises, and where."""
        where = ("steady" if steady else "start") if at is None else _at(at, folder)
        return self._spec(settings), where, _names(states), None if inputs is None else _names(inputs), _names(outputs), dict(steady or {})

    def linearize(self, at: Any = None, states: Names = None, inputs: Names = None, outputs: Names = None, *,
                  steady: Optional[Mapping[str, float]] = None, **settings: Any) -> Answer:
        """x' = A x + B u, y = C x + D u near the start, the equilibrium ("equilibrium"), a steady motion (steady={"pin.angle": 10}), or a state (a file,
        or a dictionary)."""
        return self._linear(_core.linearize, at, states, inputs, outputs, steady, settings)

    def modes(self, at: Any = None, states: Names = None, *, steady: Optional[Mapping[str, float]] = None, **settings: Any) -> Answer:
        """Frequencies, damping, shapes, and shares of the parts."""
        return self._linear(_core.modes, at, states, None, None, steady, settings)

    def campbell(self, parameter: str, values: Iterable[float], at: Any = None, *, steady: Optional[Mapping[str, float]] = None,
                 **settings: Any) -> "Campbell":
        """Modes over a parameter, or over one of the rates of `steady`, followed by their shapes: `dalembert modes --over`."""
        numbers = np.asarray(list(values), dtype=float)
        with tempfile.TemporaryDirectory(prefix="dalembert-") as folder:
            places = []
            for value in numbers:
                of_steady = parameter in (steady or {})
                model = self if of_steady else self.vary({parameter: float(value)})
                rates = {**(steady or {}), **({parameter: float(value)} if of_steady else {})}
                places.append(model._place(at, folder, None, None, None, rates, settings))
            return Campbell(parameter, numbers, _core.campbell(parameter, numbers, places))

    def response(self, omega: Iterable[float], at: Any = None, inputs: Names = None, outputs: Names = None, *,
                 steady: Optional[Mapping[str, float]] = None, **settings: Any) -> Answer:
        """Amplitudes of outputs over inputs at the frequencies omega, rad/s."""
        return self._linear(_core.response, at, None, inputs, outputs, steady, settings, np.asarray(list(omega), dtype=float))

    # ---- many runs ----------------------------------------------------------------------------------------

    def sweep(self, vary: Mapping[str, Any], each: Optional[Mapping[str, str]] = None, channels: Names = None, *, random: int = 0,
              sampling: Optional[str] = None, seed: int = 0, threads: int = 0, output: Any = None, compiled: Optional[bool] = None,
              journal: Any = None, resume: bool = False, shard: Optional[Tuple[int, int]] = None, motions: int = 40, progress: Any = None,
              **settings: Any) -> "Study":
        """One run for each combination of values, {"k": "10:1000:20log", "l": [0.2, 0.3], "formulation": ["kane", "lagrange"]}, or for `random` samples of
        random ones, {"m": "normal(1, 0.1)"}. `each`: numbers of each run, {"peak": "max(abs(A.force))"}; `channels`: kept at every instant. `threads`: 0
        are as many as there are cores. `output`: a file or several, .csv, .h5 or .html. `compiled`: by code that is generated once for all runs, as
        `sweep --compiled`; False: by the engine in any case. All as `dalembert sweep`; a run that fails is a row with its reason.

        Finished runs are kept in a journal: `journal`, or beside the first output until the study is complete. `resume`: go on with it. `shard`: (2, 5)
        makes the second fifth of the runs; merge() joins the journals. `progress`: called with (done, runs, done now, seconds); False stops it."""
        texts = [f"{name}={_values_text(value)}" for name, value in vary.items()]
        wanted = [f"{name}={expression}" for name, expression in (each or {}).items()]
        plan = (texts, wanted, _names(channels), random, sampling, seed, 0 if compiled is None else 1 if compiled else -1)
        return self._study(plan, settings, threads, output, journal, resume, shard, motions, progress)

    def _study(self, plan: tuple, settings: Mapping[str, Any], threads: int, output: Any, journal: Any, resume: bool,
               shard: Optional[Tuple[int, int]], motions: int, progress: Any) -> "Study":
        outputs = [] if output is None else [os.fspath(output)] if isinstance(output, (str, os.PathLike)) else [os.fspath(path) for path in output]
        kept = os.fspath(journal) if journal is not None else None
        part, parts = shard if shard is not None else (0, 0)
        if kept is None and not outputs and (resume or shard):
            raise CommandError("a study is continued, or made in parts, with a journal that stays: give journal= or output=")
        self._refuse_inputs(outputs + ([kept] if kept else []))
        handle = _core.study(self._spec(settings), *plan)
        folder = tempfile.TemporaryDirectory(prefix="dalembert-")
        path = kept or (f"{outputs[0]}.journal" + (f".{part}-of-{parts}" if parts else "") if outputs else os.path.join(folder.name, "journal"))
        if handle.run(path, resume, threads, part, parts, self._note(plan, settings), progress):
            raise Interrupted(Study(handle, [path], None, folder), f"the study was stopped; resume=True continues '{path}'")
        study = Study(handle, [path], self._run_command(plan, settings), folder)
        if parts:
            return study
        for file in outputs:
            study.save(file, motions=motions, threads=threads)
        if outputs and kept is None:  # complete: it stays as long as the answer does
            study._journals = [shutil.move(path, os.path.join(folder.name, "journal"))]
        return study

    def _refuse_inputs(self, outputs: Sequence[str]) -> None:
        for path in outputs:
            for read in self._describe()["files"]:
                if os.path.exists(path) and os.path.exists(read) and os.path.samefile(path, read):
                    raise CommandError(f"{path}: error: would be written over '{read}', which is read: give it another name")

    def _note(self, plan: tuple, settings: Mapping[str, Any]) -> Optional[str]:
        """The study as a file has it, for merge(); None for a model that is in no file."""
        from ._model import _setting_text
        if self._text is not None or self._written is not None:
            return None
        vary, each, channels, random, sampling, seed, compiled = plan
        said = {"study": 1, "model": os.path.realpath(self._file), "vary": dict(text.split("=", 1) for text in vary),
                "each": dict(text.split("=", 1) for text in each), "channels": channels, "random": random, "sampling": sampling or "random", "seed": seed,
                "set": dict(self._overrides), "simulate": {name.replace("_", "-"): _setting_text(value) for name, value in settings.items()
                                                            if value is not None},
                "floating": self._floating, "compiled": compiled > 0 if compiled else None}
        return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in said.items()
                       if key in ("study", "seed") or (value is not None and value != {} and value != [] and value is not False and value != 0))

    def _run_command(self, plan: tuple, settings: Mapping[str, Any]) -> Optional[str]:
        """What makes one run in a shell, in the folder of the model; a page adds what it is varied to."""
        from ._model import _setting_text
        if self._text is not None or self._written is not None:
            return None
        words = ["dalembert", "run", os.path.basename(self._file)]
        for name, text in self._overrides.items():
            words += ["--set", f"{name}={text}"]
        for name, value in settings.items():
            if value is not None:
                words += [f"--{name.replace('_', '-')}", _setting_text(value)]
        return " ".join(map(shlex.quote, words + (["--floating"] if self._floating else []) + (["--compiled"] if plan[-1] > 0 else [])))

    def merge(self, journals: Names, output: Any = None) -> "Study":
        """One study of the journals of its parts (sweep(shard=...), or `dalembert sweep --shard`); `output`: files to write as well. The model is this one,
        wherever it was when they were made."""
        return _merge(self, _names(journals), output)

    # ---- files of results ------------------------------------------------------------------------------------

    def view(self, results: Any, file: Any, *, frames: int = 0) -> None:
        """A page from a file of results (.csv, .h5) of this model, as `dalembert view`: it needs the places of the bodies, run(motion=True)."""
        _core.view(self._system({}, show=True), os.fspath(results), os.fspath(file), None, frames)

    def snapshots(self, results: Any, times: Optional[Iterable[float]] = None, *, count: int = 5, file: Any = None, width: int = 0, height: int = 0,
                  title: Optional[str] = None) -> str:
        """The mechanism at several instants in one picture, as SVG: those of `times`, or `count` of them from the first row to the last. `results`: a file
        of results, or a Result, of run(motion=True). `file`: it is written there as well."""
        when = None if times is None else np.asarray(list(times), dtype=float)
        if isinstance(results, Table):
            with results._as_file() as (path, _):
                text = _core.snapshots(self._system({}), path, when, count, width, height, title)
        else:
            text = _core.snapshots(self._system({}), os.fspath(results), when, count, width, height, title)
        if file is not None:
            write_text(os.fspath(file), text)
        return text

    # ---- pictures ------------------------------------------------------------------------------------------

    def picture(self, width: int = 480) -> str:
        """The mechanism at its start, as SVG."""
        spec = self._spec({})
        spec.record_motion()
        with tempfile.TemporaryDirectory(prefix="dalembert-") as folder:
            return _core.picture(_core.compile_model(spec, False), os.path.join(folder, "start.csv"), width)

    def _repr_html_(self) -> str:
        try:
            verdict = f"<pre>{html.escape(str(self.check()))}</pre>"
        except Error as error:
            return f"<pre>{html.escape(str(error))}</pre>"
        try:
            return f'<div style="background: white">{self.picture()}</div>{verdict}'
        except Error:
            return verdict


def _merge(model: Any, journals: Sequence[str], output: Any) -> Study:
    said = _core.read_study(journals[0], True, None)
    outputs = [] if output is None else [os.fspath(output)] if isinstance(output, (str, os.PathLike)) else [os.fspath(path) for path in output]
    plan = (said["vary"], said["each"], said["channels"], said["random"], said["sampling"], said["seed"], said["compiled"])
    settings = {name.replace("-", "_"): text for name, text in said["simulate"].items()}
    model._refuse_inputs(outputs)
    study = Study(_core.study(model._spec(settings), *plan), journals, model._run_command(plan, settings))
    for file in outputs:
        study.save(file)
    return study
