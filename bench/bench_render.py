#!/usr/bin/env python3
"""Pages drawn late by JavaScript: how many thresh renders in a second, and whether it finds all of their records.

    bench/bench_render.py FOLDER|PROGRAM [PAGES]

A server on this machine has the pages of tests/cli/test_render.py, which draw themselves late in many ways, up to three
seconds. The start of the browser is counted. The load of the machine is printed, since it decides.
"""
import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main(place, pages=50):
    program = os.path.join(place, "thresh") if os.path.isdir(place) else place
    sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))
    sys.argv = [sys.argv[0], program]
    import test_render
    before = os.getloadavg()[0]
    with test_render.Server(test_render.answer) as server:
        start = time.monotonic()
        ran = test_render.render([server.url(f"/late/{number}") for number in range(pages)])
        seconds = time.monotonic() - start
    names = set(test_render.names_in(ran.out))
    found = sum(names.issuperset(test_render.words(number)) for number in range(pages))
    print(ran.err, end="")
    print(f"{found} of {pages} pages found in {seconds:.1f} s: {pages / seconds:.1f} pages per second "
          f"({os.cpu_count()} processors, load {before:.1f} before, {os.getloadavg()[0]:.1f} after)")
    return 0 if found == pages else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:3])))
