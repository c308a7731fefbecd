#!/usr/bin/env python3
"""Someone who follows `thresh page.html` through the code opens few files.

    tests/test_walk.py THRESH BUILD [-v]

Runs the program on one page under callgrind, which counts every function that is called, and looks up the file of each
one in the symbol tables of the objects. Fails above LIMIT files of src/ and cli/. A static function counts if its name is
unique. -v lists the files. Skipped without valgrind.
"""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT = 60
SKIP = 77
PAGE = """<!DOCTYPE html><title>Books</title><h1>Books</h1><ul>
<li><a href=/b/1>The Hollow Hill</a> <b>12.50</b> <i>in stock</i></li>
<li><a href=/b/2>Salt and Iron</a> <b>9.00</b> <i>two weeks</i></li>
<li><a href=/b/3>A Field Guide to Rain</a> <b>18.20</b> <i>in stock</i></li>
<li><a href=/b/4>Night Trains</a> <b>7.95</b> <i>out of print</i></li></ul>
"""


def source_of(path):
    """The source file of an object of meson's: libthresh.so.0.p/src_base_mem.c.o is base/mem.c"""
    name = os.path.basename(path)[:-2]
    return name[len("src_"):] if name.startswith("src_") else name


def functions(build):
    """{function: its file}, for the program and the library"""
    files = collections.defaultdict(set)
    objects = glob.glob(os.path.join(build, "libthresh*.p", "src_*.c.o")) + glob.glob(os.path.join(build, "thresh.p", "cli_*.c.o"))
    for path in objects:
        table = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout
        for name in re.findall(r" [tT] ([\w.]+)$", table, flags=re.M):
            files[name.split(".")[0]].add(source_of(path))
    return {name: next(iter(paths)) for name, paths in files.items() if len(paths) == 1}


def called(thresh, folder):
    page, out = os.path.join(folder, "page.html"), os.path.join(folder, "calls")
    with open(page, "w", encoding="utf-8") as file:
        file.write(PAGE)
    done = subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", thresh, page],
                          capture_output=True, text=True)
    if done.returncode or "Night Trains" not in done.stdout:
        sys.exit(f"thresh {page} failed under callgrind:\n{done.stdout}{done.stderr}")
    with open(out, encoding="utf-8", errors="replace") as file:
        return {name.split("'")[0].split(".")[0] for name in re.findall(r"^c?fn=\(\d+\) (\S+)", file.read(), flags=re.M)}


def main(thresh, build, verbose):
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return SKIP
    where = functions(build)
    if len(where) < 500:
        sys.exit(f"no objects with symbols in {build}")
    with tempfile.TemporaryDirectory() as folder:
        files = sorted({where[name] for name in called(thresh, folder) if name in where})
    print(f"thresh page.html passes through {len(files)} files, at most {LIMIT}")
    if verbose:
        print("\n".join(files))
    return 1 if len(files) > LIMIT else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "-v"]
    if len(words) != 2:
        sys.exit(__doc__)
    sys.exit(main(words[0], words[1], "-v" in sys.argv))
