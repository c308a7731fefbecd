"""The same wheel in another version of Python than the one that it was built with, 3.11 or later.

Looks for one on the PATH and where pyenv keeps them; skipped where there is none.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_env  # noqa: E402

LEAST = (3, 11)
ASK = "import sys, venv, ensurepip; print(*sys.version_info[:2], getattr(sys, '_is_gil_enabled', lambda: True)())"


def candidates():
    names = [shutil.which(f"python3.{minor}") for minor in range(30, 10, -1)]
    roots = [os.environ.get("PYENV_ROOT"), os.path.expanduser("~/.pyenv")]
    return [name for name in names if name] + [path for root in roots if root for path in
                                               sorted(glob.glob(os.path.join(root, "versions", "3.*", "bin", "python")), reverse=True)]


def versions():
    """{(3, 13): path of one that can make environments}, without this one."""
    found = {}
    for path in candidates():
        done = subprocess.run([path, "-c", ASK], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        said = re.match(r"(\d+) (\d+) True", done.stdout)
        version = tuple(map(int, said.groups())) if said and not done.returncode else None
        if version and version >= LEAST and version != sys.version_info[:2]:
            found.setdefault(version, path)
    return found


def main():
    source, build = os.environ["THRESH_SOURCE"], os.environ["THRESH_BUILD"]
    test = os.path.join(os.path.dirname(os.path.abspath(__file__)), "test_python_package.py")
    others = versions()
    if not others:
        print(f"skipped: no other Python than {sys.version.split()[0]} is on this machine (3.11 or later)")
        return 77
    for version, path in sorted(others.items()):
        name = "venv-python" + ".".join(map(str, version))
        inside, wheel = python_env.prepare(source, build, [], name, path)
        print(f"Python {'.'.join(map(str, version))}: {os.path.basename(wheel)}", flush=True)
        if subprocess.run([inside, "-B", test]).returncode:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
