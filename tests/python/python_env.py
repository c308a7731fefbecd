"""The environment of the Python tests: the wheel, and a python that has it installed.

    python_env.py SOURCE BUILD GROUP... -- SCRIPT [WORD]...

Builds the wheel if anything has changed, makes BUILD/venv-python with the groups of packages (scripts/venv), installs the
wheel there and runs the script with that python. Exits with status 77, "skipped", where packages cannot be had. Tests
that run at the same time wait for each other here.
"""
import fcntl
import hashlib
import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader


def load(source, name):
    """A script of the repository as a module."""
    sys.dont_write_bytecode = True
    loader = SourceFileLoader(name, os.path.join(source, "scripts", name))
    module = module_from_spec(spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def digest(source):
    """Of all that the wheel is made of."""
    total = hashlib.sha256()
    tops = ["src", "include", "bindings", "meson.build", "meson_options.txt", "pyproject.toml", "docs/PYTHON.md"]
    for top in tops:
        path = os.path.join(source, top)
        files = [path] if os.path.isfile(path) else sorted(
            os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names if "__pycache__" not in folder)
        for file in files:
            with open(file, "rb") as opened:
                total.update(file.encode() + b"\0" + hashlib.sha256(opened.read()).digest())
    return total.hexdigest()


def find_wheel(source, build):
    """The wheel of these sources."""
    dist = os.path.join(build, "python-dist")
    stamp, mark = os.path.join(dist, ".made-of"), digest(source)
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            kept, _, wheel = file.read().partition("\n")
            if kept == mark and os.path.exists(wheel):
                return wheel
    wheel = load(source, "wheel").build(build, dist)
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(mark + "\n" + wheel)
    return wheel


def install(python, wheel):
    """Installs the wheel where it is not yet."""
    with open(wheel, "rb") as file:
        mark = hashlib.sha256(file.read()).hexdigest()
    stamp = os.path.join(os.path.dirname(os.path.dirname(python)), ".has-wheel")
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == mark:
                return
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-index",
                    "--force-reinstall", wheel], check=True)
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(mark)


def prepare(source, build, groups, folder="venv-python", python=sys.executable):
    """(python of an environment with the wheel and the groups, the wheel)"""
    os.makedirs(build, exist_ok=True)
    with open(os.path.join(build, ".python-lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wheel = find_wheel(source, build)
        inside = load(source, "venv").make(os.path.join(build, folder), groups, python)
        install(inside, wheel)
    return inside, wheel


def main(argv):
    source, build = map(os.path.abspath, argv[:2])
    at = argv.index("--")
    if os.environ.get("THRESH_WRAP"):
        print("skipped: an interpreter under valgrind is not ours to check")
        sys.exit(77)
    # Spark wants other versions of packages than other tests.
    python, wheel = prepare(source, build, argv[2:at], "venv-spark" if "spark" in argv[2:at] else "venv-python")
    os.environ.update(THRESH_WHEEL=wheel, THRESH_SOURCE=source, THRESH_BUILD=build)
    os.environ.pop("PYTHONPATH", None)
    os.execv(python, [python, "-B", *argv[at + 1:]])


if __name__ == "__main__":
    main(sys.argv[1:])
