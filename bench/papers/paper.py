"""What the scripts of this folder share. Each measures what a table or a figure of a paper shows: run as

    bench/papers/NAME.py BUILD

it prints a section in Markdown: a table of the paper's numbers beside ours, and the pages that ours are from. The pages are in
$THRESH_DATA, or in build/data where scripts/test unpacks them; generated ones are made as they are needed.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bench"))

import score_lists  # noqa: E402

LISTS = "270 search-result pages of 90 sites (`lists`)"


class Missing(Exception):
    """Something that the figure needs is not there."""


class Bench:
    def __init__(self, build):
        self.thresh = os.path.join(os.path.abspath(build), "thresh")
        self.gen = os.path.join(os.path.abspath(build), "tests", "gen", "thresh-gen")
        self.driver = os.path.join(os.path.abspath(build), "tests", "papers", "papers_driver")

    def data(self, name):
        folder = os.path.join(os.environ.get("THRESH_DATA") or os.path.join(ROOT, "build", "data"), name)
        if not os.path.exists(os.path.join(folder, "truth.jsonl")):
            raise Missing(f"the pages of {name} are not there: set THRESH_DATA, or run scripts/test once")
        return folder

    def made(self, folder, *options):
        """Generated list pages."""
        run(self.gen, "--quiet", "--out", folder, *map(str, options))
        return folder

    def regions(self, folder, *options, program=None):
        """The truth of a folder, and the lines of `thresh regions -f pages` for its pages."""
        truth = score_lists.read_lines(os.path.join(folder, "truth.jsonl"))
        command = program or [self.thresh, "regions", "-q", "-f", "pages"]
        out = run(*command, *options, *[row["page"] for row in truth], cwd=folder)
        return truth, [json.loads(line) for line in out.splitlines()]

    def all_regions(self, folder, *options):
        """The same with all regions of a page, where the program can be asked for them."""
        try:
            return self.regions(folder, *options, "--most", "10000"), "all"
        except Missing:
            return self.regions(folder, *options), "the first ten"


def run(*command, cwd=None):
    """The standard output of a command; raises Missing with what it said if it fails."""
    if not os.path.exists(command[0]):
        raise Missing(f"{os.path.relpath(command[0], ROOT)} is not built")
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing((done.stderr.strip().splitlines() or ["it failed"])[-1])
    return done.stdout


def script(name, *arguments):
    """The output of a bench."""
    return run(sys.executable, os.path.join(ROOT, "bench", name), *arguments)


def percent(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.1f}%)" if whole else "0 of 0"


def folder():
    return tempfile.TemporaryDirectory()


def main(title, rows):
    """Prints the section. `rows` is called with a Bench and gives (what, paper, ours, pages used)."""
    if len(sys.argv) != 2:
        sys.exit(sys.modules["__main__"].__doc__)
    try:
        found = list(rows(Bench(sys.argv[1])))
    except Missing as why:
        sys.exit(f"not measured: {why}")
    print(f"### {title}\n\n| | paper | ours | our pages |\n|---|---|---|---|")
    for row in found:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
