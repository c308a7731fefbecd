#!/usr/bin/env python3
"""Runs the tests of the workbench in a real browser.

    run_web.py THRESH GENERATOR [NAME]...

They need node, Chromium and the front end's packages (web/node_modules); where one of them cannot be had
they are skipped, and this says which.
"""
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77


def missing():
    if os.environ.get("THRESH_WRAP"):
        return "the program is run under valgrind, which is too slow for a browser"
    if not shutil.which("node"):
        return "node is not there (scripts/setup test installs it)"
    if not (os.environ.get("CHROMIUM") or shutil.which("chromium")):
        return "chromium is not there (scripts/setup test installs it)"
    if not os.path.isdir(os.path.join(ROOT, "web", "node_modules", "playwright-core")):
        return "the front end's packages are not there (make web fetches them with npm)"
    if not os.path.exists(os.path.join(ROOT, "web", "dist", "index.html")):
        return "the front end is not built (make web)"
    return None


def main():
    why = missing()
    if why:
        print(f"skipped: {why}")
        return SKIPPED
    here = os.path.join(ROOT, "tests", "web", "workbench.mjs")
    return subprocess.run(["node", here, *sys.argv[1:]]).returncode


if __name__ == "__main__":
    sys.exit(main())
