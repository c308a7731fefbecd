"""The extension module of a build with the address sanitizer, through the package's own tests.

    test_python_asan.py MODULE

A page must outlive the buffer that it was made of: allocations of Python go to malloc, so that the sanitizer sees them.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main(module):
    runtime = subprocess.run(["gcc", "-print-file-name=libasan.so"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="thresh-asan-") as folder:
        package = pathlib.Path(folder, "thresh")
        package.mkdir()
        for file in (ROOT / "bindings" / "python" / "thresh").glob("*.py*"):
            os.symlink(file, package / file.name)
        os.symlink(module, package / os.path.basename(module))
        env = {**os.environ, "PYTHONPATH": folder, "PYTHONMALLOC": "malloc", "LD_PRELOAD": os.path.realpath(runtime),
               "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1", "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run([sys.executable, ROOT / "tests" / "python" / "test_python_package.py"], env=env).returncode


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
