"""The wheel installs into an environment of its own, without a network."""

import os
import subprocess
import sys
import zipfile

import pytest

import dalembert as dal
from conftest import MODELS, ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    build = os.environ.get("DALEMBERT_BUILD")
    if not build:
        pytest.skip("DALEMBERT_BUILD does not name the build folder")
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run([sys.executable, ROOT / "tools" / "wheel", build, folder, dal.__version__], capture_output=True, text=True, check=False,
                          env={**os.environ, "QUICK": "1"})
    assert done.returncode == 0, done.stderr
    path, = folder.iterdir()
    assert path.name == f"dalembert-{dal.__version__}-cp311-abi3-linux_x86_64.whl" and done.stdout.strip() == str(path)
    return path


def test_it_names_the_packages_of_libraries(wheel):
    with zipfile.ZipFile(wheel) as file:
        about = file.read(f"dalembert-{dal.__version__}.dist-info/METADATA").decode()
        assert file.read("dalembert/py.typed") == b"" and "dalembert/_core.pyi" in file.namelist()
    assert "Requires-External: libyaml-0-2" in about and "loaded when they are needed" in about


def test_it_installs_and_runs(wheel, tmp_path):
    pytest.importorskip("pip")
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", venv], check=True)
    done = subprocess.run([sys.executable, "-m", "pip", "--python", venv / "bin" / "python", "install", "--no-index", "--no-deps", "-q", wheel],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    code = f"import dalembert as dal; print(dal.__file__); print(dal.load({str(MODELS / 'pendulum.yaml')!r}).run(0.1).complete)"
    done = subprocess.run([venv / "bin" / "python", "-c", code], capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith(str(venv)) and done.stdout.splitlines()[1] == "True"
    done = subprocess.run([venv / "bin" / "dalembert", "version"], capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert done.returncode == 0 and dal.__version__ in done.stdout
