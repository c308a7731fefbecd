#!/usr/bin/env python3
"""Runs tests/web/words.mjs: the texts of the workbench and their translations. Needs node and the front end's packages."""
import os
import shutil
import subprocess
import sys

from run_web import ROOT, SKIPPED, chosen


def missing():
    if not shutil.which("node"):
        return "node is not there (scripts/setup browser installs it)"
    if not os.path.isdir(os.path.join(ROOT, "web", "node_modules", "typescript")):
        return "the front end's packages are not there (make web fetches them with npm)"
    return None


def main():
    why = missing()
    if why and os.environ.get("CI", "").lower() not in ("", "0", "false") and not chosen():
        print(f"failed: {why}, and CI is set")
        return 1
    if why:
        print(f"skipped: {why}")
        return SKIPPED
    return subprocess.run(["node", os.path.join(ROOT, "tests", "web", "words.mjs")]).returncode


if __name__ == "__main__":
    sys.exit(main())
