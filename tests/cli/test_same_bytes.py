#!/usr/bin/env python3
"""The same pages give the same bytes: with one worker or eight, whatever memory held before, in any order of inputs.

usage: test_same_bytes.py THRESH THRESH_GEN [--sites N] [--seed S]

Each command runs with -j1, with -j8, and with -j8 on its pages in another order, on generated sites and, where
$THRESH_DATA is there, on some real pages. MALLOC_PERTURB_ fills fresh memory differently each time, so that bytes that
were never written show in the output. In the given order everything that a command writes must be equal: standard output,
standard error, its file, and its exit code. In another order:

- a command that works page by page gives the same for each page, in the order of the inputs;
- a command that looks at all pages together (clusters, learn, suggest, verify, repair) gives the same whole: it takes
  its inputs in the order of their names. monitor is not tried: its records follow the order of the inputs, and its
  verdict shows the first values that it saw as examples.
"""
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile

FINDERS = ["lists", "mdr", "iepad"]  # need no labels
LEARNERS = ["softmealy", "stalker", "seams", "paths"]  # need labels
DIALS = [  # kind and dials; the sites are shared out among them
    ("list", "--pages 4 --records 3..9"),
    ("list", "--pages 3 --records 2..8 --noise 0.8 --empties 0.2 --optionals 0.8 --permute 0.3"),
    ("detail", "--pages 5 --attrs 3..8 --depth 0 --choices 0"),
    ("faculty", "--pages 3 --perms 1..4"),
]
REAL = ["lists", "detail"]  # folders of $THRESH_DATA
REAL_PAGES = 6
REAL_BYTES = 60000  # larger pages are left out: time

Run = collections.namedtuple("Run", "code stdout stderr file")


class Site:
    """Pages with the commands that are tried on them; what differs is told."""

    def __init__(self, thresh, folder, pages, labels, seed):
        self.thresh, self.folder, self.pages, self.labels = thresh, folder, pages, labels
        self.shuffled = pages[:]
        while len(pages) > 1 and self.shuffled == pages:
            random.Random(seed).shuffle(self.shuffled)
        self.faults, self.tried, self.scratch = [], collections.Counter(), tempfile.TemporaryDirectory()

    def run(self, words, pages, jobs, fill, out=None):
        env = dict(os.environ, MALLOC_PERTURB_=str(fill))
        path = os.path.join(self.scratch.name, "out")
        done = subprocess.run([*os.environ.get("THRESH_WRAP", "").split(), self.thresh, *words, f"-j{jobs}",
                               *(["-o", path] if out else []), *pages],
                              cwd=self.folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        file = None
        if out and os.path.exists(path):
            with open(path, "rb") as stream:
                file = stream.read()
            os.remove(path)
        return Run(done.returncode, done.stdout, done.stderr, file)

    def fault(self, words, what, one, other):
        self.faults.append(f"{self.folder}: thresh {' '.join(words)}: {what}")
        for before, after in zip(one.splitlines(), other.splitlines()):
            if before != after:
                self.faults.append(f"    {before[:300]!r}\n    {after[:300]!r}")
                return
        self.faults.append(f"    {len(one)} bytes, {len(other)} bytes")

    def compare(self, words, whole, out=False):
        """Tries a command. whole gives what must be equal in any order of the pages. Gives its file."""
        one = self.run(words, self.pages, 1, 85, out)
        many = self.run(words, self.pages, 8, 170, out)
        other = self.run(words, self.shuffled, 8, 170, out)
        self.tried[words[0]] += one.code == 0
        for part in Run._fields:
            if getattr(one, part) != getattr(many, part):
                self.fault(words, f"{part} differs between -j1 and -j8", str(getattr(one, part)), str(getattr(many, part)))
        if one.code != other.code:
            self.fault(words, "exit code depends on the order of the pages", str(one), str(other))
        elif one.code in (0, 3):
            given = [whole(run.file if out else run.stdout, pages)
                     for run, pages in ((one, self.pages), (other, self.shuffled))]
            if given[0] != given[1]:
                self.fault(words, "depends on the order of the pages", *given)
        return one.file if one.code == 0 else None

    def by_page(self, output, pages):
        """Lines of pages as one text in the order of self.pages; they must come in the order of the inputs."""
        lines = [(json.loads(line)["page"], line.decode()) for line in output.splitlines()]
        seen = list(dict.fromkeys(name for name, _ in lines))
        if seen != [page for page in pages if page in seen]:
            return f"pages come as {seen}, inputs as {pages}"
        return "\n".join(line for _, line in sorted(lines, key=lambda row: self.pages.index(row[0])))

    def learn(self, words):
        """Tries learn, and what can be done with its wrapper."""
        text = self.compare(["learn", "--date", "2020-02-02", *words], whole_text, out=True)
        if not text:
            return
        path = os.path.join(self.scratch.name, "wrapper.json")
        with open(path, "wb") as file:
            file.write(text)
        self.compare(["extract", "-w", path, "-f", "pages"], self.by_page)
        self.compare(["verify", "-w", path, "-f", "json"], whole_text)
        self.compare(["repair", "-w", path, "--date", "2020-02-03", "-f", "json"], whole_text, out=True)
        if "--labels" in words:
            self.compare(["suggest", "-w", path, "-f", "ndjson"], whole_text)

    def all(self):
        for engine in FINDERS:
            for paper in ([], ["--paper"]):
                self.compare(["records", "--engine", engine, "-f", "pages", *paper], self.by_page)
                self.compare(["regions", "--engine", engine, "-f", "pages", *paper], self.by_page)
                self.learn(["--engine", engine, *paper])
        for view in ("--info", "--tree", "--fine"):
            self.compare(["show", view, "-f", "ndjson"], self.by_page)
        self.compare(["clusters", "-f", "json"], whole_text)
        self.learn([])
        for engine in ("template", "exalg"):
            self.learn(["--engine", engine])
        if not self.labels:
            return self
        self.compare(["labels", "-f", "pages", self.labels], self.by_page)
        self.learn(["--labels", self.labels])
        for engine in LEARNERS:
            for paper in ([], ["--paper"]) if engine in ("softmealy", "stalker") else ([],):
                self.learn(["--engine", engine, "--labels", self.labels, *paper])
        return self


def whole_text(output, pages):
    return (output or b"").decode()


def generated(thresh, generator, folder, sites, seed):
    for number in range(sites):
        kind, dials = DIALS[number % len(DIALS)]
        place = os.path.join(folder, f"site{number}")
        family = ["--family", "all"] if kind == "faculty" else []
        subprocess.run([generator, "--quiet", "--out", place, "--kind", kind, *dials.split(), *family,
                        "--seed", str(seed + number)], check=True)
        pages = sorted(os.path.relpath(os.path.join(where, name), place)
                       for where, _, names in os.walk(place) for name in names if name.endswith(".html"))
        yield Site(thresh, place, pages, "labels.jsonl", seed)


def real(thresh, seed):
    for part in REAL:
        place = os.path.join(os.environ.get("THRESH_DATA", ""), part)
        if not os.environ.get("THRESH_DATA") or not os.path.isdir(place):
            print(f"{part}: no real pages")
            continue
        names = sorted(os.path.relpath(os.path.join(where, name), place) for where, _, names in os.walk(place)
                       for name in names if name.endswith(".htm") and
                       os.path.getsize(os.path.join(where, name)) < REAL_BYTES)
        if names:
            yield Site(thresh, place, names[::max(1, len(names) // REAL_PAGES)][:REAL_PAGES], None, seed)


def main(thresh, generator, count, seed):
    with tempfile.TemporaryDirectory() as folder:
        sites = [*generated(os.path.abspath(thresh), generator, folder, count, seed), *real(os.path.abspath(thresh), seed)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = list(pool.map(Site.all, sites))
    tried = sum((site.tried for site in done), collections.Counter())
    print(", ".join(f"{name} {times}" for name, times in tried.items()))
    never = [name for name, times in tried.items() if not times]
    if never:
        print(f"never succeeded: {' '.join(never)}")
    faults = [fault for site in done for fault in site.faults]
    print("\n".join(faults[:200]))
    return 1 if faults or never else 0


if __name__ == "__main__":
    words = dict(zip(sys.argv[3::2], sys.argv[4::2]))
    if len(sys.argv) < 3 or set(words) - {"--sites", "--seed"}:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:3], int(words.get("--sites", 8)), int(words.get("--seed", 1))))
