"""What the tests of the package share. The program is used as a second opinion: both have to print the same numbers."""

import json
import os
import pathlib
import subprocess
import warnings

import pytest

import dalembert as dal

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"

PENDULUM = """dalembert: 1
name: Pendulum
space: planar
gravity: [0, -9.81]
parameters: {l: 0.6}
inputs: {u: 0}
bodies:
  rod: {mass: 1.5, inertia: 0.18, angle: -30*deg, points: {O: [-l, 0]}}
joints:
  pivot: {type: revolute, connect: [ground, rod.O]}
forces:
  motor: {type: torque, joint: pivot, value: u}
record: [pivot.angle, pivot.angle', energy]
simulate: {until: 3, every: 0.05}
"""


@pytest.fixture
def pendulum():
    return dal.parse(PENDULUM)


@pytest.fixture(scope="session")
def program():
    """What the program prints with these arguments."""
    path = os.environ.get("DALEMBERT_PROGRAM")
    if not path:
        pytest.skip("DALEMBERT_PROGRAM does not name the program")

    def run(*arguments, **more):
        return subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, check=False, **more)

    return run


@pytest.fixture(scope="session")
def program_json(program):
    return lambda *arguments: json.loads(program(*arguments).stdout)


@pytest.fixture(autouse=True)
def warnings_are_seen():
    """A test that expects none fails by one."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", dal.DalembertWarning)
        yield
