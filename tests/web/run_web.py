#!/usr/bin/env python3
"""Runs the tests of the workbench in a real browser.

    run_web.py THRESH GENERATOR [NAME]...

They need node, Chromium and the front end's packages (web/node_modules); where one of them cannot be had
they are skipped, and this says which. Where CI is set they fail instead: nobody would see that they did not run.
With THRESH_PICTURES=1 they make the pictures of docs/WORKBENCH.md anew, too.
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
        return "node is not there (scripts/setup browser installs it)"
    if not (os.environ.get("CHROMIUM") or shutil.which("chromium")):
        return "chromium is not there (scripts/setup browser installs it)"
    if not os.path.isdir(os.path.join(ROOT, "web", "node_modules", "playwright-core")):
        return "the front end's packages are not there (make web fetches them with npm)"
    if not os.path.exists(os.path.join(ROOT, "web", "dist", "index.html")):
        return "the front end is not built (make web)"
    return None


def chosen():
    """True if somebody asked for a run without the workbench."""
    return bool(os.environ.get("THRESH_WRAP") or os.environ.get("THRESH_NO_WEB"))


def main():
    why = missing()
    if why and os.environ.get("CI", "").lower() not in ("", "0", "false") and not chosen():
        print(f"failed: {why}, and CI is set")
        return 1
    if why:
        print(f"skipped: {why}")
        return SKIPPED
    here = os.path.join(ROOT, "tests", "web", "workbench.mjs")
    code = subprocess.run(["node", here, *sys.argv[1:]]).returncode
    if not code and os.environ.get("THRESH_PICTURES"):
        code = subprocess.run(["node", os.path.join(ROOT, "tests", "web", "screenshots.mjs"), sys.argv[1],
                               os.path.join(ROOT, "docs", "workbench"), "--docs"]).returncode
    return code


if __name__ == "__main__":
    sys.exit(main())
