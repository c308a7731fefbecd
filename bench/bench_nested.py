#!/usr/bin/env python3
"""How fast nested records are learnt and read from pages that are little else, against gumbo's parse of them.

usage: bench/bench_nested.py BUILD
       make bench T=nested

Makes sites of one record a page with lists two deep, without anything around the record (--chrome 0): all families, then
lines with br, the dearest kind for the engine seams. Prints what bench_labels says of them. How many come out right
is nested.py's question.
"""
import os
import subprocess
import sys
import tempfile

DIALS = "--seed 4242 --kind detail --pages 20 --attrs 8..14 --depth 2 --permute 0.2 --chrome 0".split()
KINDS = [("all families", ["--sites", "28"]), ("lines with br", ["--sites", "8", "--family", "br"])]
ENGINES = ["seams", "stalker"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    for name, dials in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.path.join(build, "tests", "gen", "thresh-gen"), "--out", folder, "--quiet", *DIALS, *dials],
                           check=True)
            print(name, flush=True)
            subprocess.run([os.path.join(build, "bench", "bench_labels"), folder, *ENGINES], check=True)


if __name__ == "__main__":
    main()
