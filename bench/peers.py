#!/usr/bin/env python3
"""Thresh and other Python packages on the same pages, in one run: pages per second and answers, as a table.

    bench/peers.py BUILD DATA TOOLS [--pages N] [--only TOOL]...

DATA has the sets `lists` and `detail`, TOOLS the scorers. Of `lists` the first N pages of each site are used (default 1): the lists
of each page, without labels (thresh.regions; mdr; pydepta). Of `detail` one page of each site is labelled and the next 8 are read
(thresh.learn; autoscraper; scrapely). Times are processor time of a process of its own for each tool; a page that takes longer than
30 s counts as nothing found. A tool that fails on a page has found nothing there; how often is in the table.

The tools come from the registry into BUILD/venv-peers. Two of them are too old for this Python, so that their sources are
patched before they are built: stale generated C is made anew from .pyx, Python 2 becomes 3 (lib2to3), names that numpy
has removed are replaced, and comments are dropped, which today's lxml does not count as elements. What cannot be installed is in the table as such.
"""
import argparse
import collections
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
LISTS, DETAIL = ("thresh", "mdr", "pydepta"), ("thresh", "autoscraper", "scrapely")
LONGEST = 30  # seconds for a page
REGIONS = 5   # lists of a page that count for the best one
READ = 8      # pages of a detail site that are read


# ---- tools: each in a process of its own ------------------------------------------------------------------------------

def by_thresh(html):
    import thresh
    return [{"records": list(region.records)} for region in thresh.regions(html, most=REGIONS)]


def cells_of(trees):
    return [" ".join(text.split()) for tree in trees for text in tree.itertext() if text.strip()]


def by_mdr(html):
    from mdr.mdr import MDR, RecordFinder
    tool, out = MDR(), []
    for candidate in tool.list_candidates(html)[0][:REGIONS]:
        if len(candidate) < 2:
            continue
        finder_clusters = tool.hcluster(tool.calculate_similarity_matrix(candidate))
        records = RecordFinder(tool.tree_sim_cache).find_best_division(candidate.getchildren(), finder_clusters)
        if records:
            out.append({"records": [cells_of(record) for record in records]})
    return out


def by_pydepta(html):
    from pydepta import Depta
    regions = Depta().extract(html=html.decode("utf-8", "replace"))
    regions.sort(key=lambda region: -sum(len(item.fields) for item in region.items))
    return [{"records": [[field.text for field in item.fields] for item in region.items]} for region in regions]


class ThreshDetail:
    def learn(self, html, record):
        import thresh
        self.wrapper = thresh.learn([html], labels={0: {name: values[0] if len(values) == 1 else values
                                                        for name, values in record.items()}})

    def read(self, html):
        found = self.wrapper.extract(html)
        return found[0] if len(found) else {}


class AutoscraperDetail:
    def learn(self, html, record):
        from autoscraper import AutoScraper
        self.tool = AutoScraper()
        self.tool.build(html=html.decode("utf-8", "replace"), wanted_dict=record)

    def read(self, html):
        return self.tool.get_result_exact(html=html.decode("utf-8", "replace"), group_by_alias=True)


class ScrapelyDetail:
    def learn(self, html, record):
        from scrapely import Scraper
        self.tool, self.make = Scraper(), self.page
        self.tool.train_from_htmlpage(self.page(html), {name: values[0] for name, values in record.items()})

    def page(self, html):
        from scrapely.htmlpage import HtmlPage
        return HtmlPage(body=html.decode("utf-8", "replace"))

    def read(self, html):
        found = self.tool.scrape_page(self.page(html))
        return {name: value for record in found or [] for name, value in record.items() if name != "_template"}


DETAIL_TOOLS = {"thresh": ThreshDetail, "autoscraper": AutoscraperDetail, "scrapely": ScrapelyDetail}
LIST_TOOLS = {"thresh": by_thresh, "mdr": by_mdr, "pydepta": by_pydepta}


class Late(Exception):
    pass


def guarded(work, *words):
    """What the work gives and its processor time; None if it fails or takes too long."""
    def late(number, frame):
        raise Late
    signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    begin = time.process_time()
    try:
        found = work(*words)
    except Exception:  # whatever a tool fails with, it has found nothing
        found = None
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return found, time.process_time() - begin


def run_tool(kind, tool, job, out):
    """Runs a tool on the pages of a job; writes its answers and prints a summary."""
    with open(job, encoding="utf-8") as file:
        work = json.load(file)
    seconds = pages = failed = 0
    with open(out, "w", encoding="utf-8") as answers:
        for site in work:
            learner, learnt = None, True
            for page in site["pages"]:
                with open(page["path"], "rb") as file:
                    html = file.read()
                if kind == "lists":
                    found, took = guarded(LIST_TOOLS[tool], html)
                    line = {"page": page["page"], "regions": found or []}
                elif learner is None:  # the labelled page
                    learner = DETAIL_TOOLS[tool]()
                    record = {name: values for name, values in page["record"].items() if values}
                    learnt = guarded(lambda: learner.learn(html, record) or True)[0]
                    failed += not learnt
                    continue
                else:
                    found, took = guarded(learner.read, html) if learnt else (None, 0)
                    line = {"page": page["page"], "record": found or {}}
                pages += 1
                seconds += took
                failed += found is None
                answers.write(json.dumps(line, default=str) + "\n")
    print(json.dumps({"pages": pages, "seconds": seconds, "failed": failed}))


# ---- the environment ------------------------------------------------------------------------------------------------------

def pip(python, *words, **more):
    done = subprocess.run([python, "-m", "pip", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    return done.returncode == 0, done.stdout


def patch(folder, python):
    """Brings the sources of a package up to this Python."""
    for path in glob.glob(os.path.join(folder, "**", "*.pyx"), recursive=True):
        stale = path[:-3] + "c"
        if os.path.exists(stale):
            os.remove(stale)
    if os.path.basename(folder).startswith("mdr-"):
        subprocess.run([python, "-m", "lib2to3", "-w", "-n", os.path.join(folder, "mdr")], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        for path in glob.glob(os.path.join(folder, "mdr", "*.py*")):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            text = re.sub(r"np\.(float|int)\b", r"\1", text)
            text = re.sub(r"from (io|cStringIO) import StringIO", "from io import BytesIO as StringIO", text)
            # today's lxml does not count a comment as an element
            text = text.replace("HTMLParser(encoding=encoding)", "HTMLParser(encoding=encoding, remove_comments=True, remove_pis=True)")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        subprocess.run([os.path.join(os.path.dirname(python), "cython"), "-3", os.path.join(folder, "mdr", "_tree.pyx")],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def install(python, name):
    """Installs a package, patched where it must be; says what is wrong, or None."""
    if subprocess.run([python, "-c", f"import {name}"], stderr=subprocess.DEVNULL).returncode == 0:
        return None
    with tempfile.TemporaryDirectory(prefix="thresh-peers-") as folder:
        ok, said = pip(python, "download", "-q", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "-d", folder, name)
        if not ok:
            return "not on the registry" if "from versions: none" in said else said.strip().splitlines()[-1]
        shutil.unpack_archive(glob.glob(os.path.join(folder, name + "-*"))[0], folder)
        source = next(path for path in glob.glob(os.path.join(folder, name + "-*")) if os.path.isdir(path))
        patch(source, python)
        ok, said = pip(python, "install", "-q", "--no-deps", "--no-build-isolation", source, env={**os.environ, "CYTHONIZE": "1"})
        return None if ok else said.strip().splitlines()[-1]


# ---- the table --------------------------------------------------------------------------------------------------------------

def read_truth(folder):
    sites = collections.OrderedDict()
    with open(os.path.join(folder, "truth.jsonl"), encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            sites.setdefault(row["site"], []).append(row)
    return sites


def make_job(folder, kind, count):
    work = []
    for site, rows in read_truth(folder).items():
        chosen = rows[:count] if kind == "lists" else rows[:1 + READ]
        work.append({"site": site, "pages": [{"page": row["page"], "path": os.path.join(folder, row["page"]),
                                             "record": row["records"][0]} for row in chosen if row["records"]]})
    return work


def score(tools, kind, truth, answers, *words):
    script = os.path.join(tools, f"score_{kind}.py")
    done = subprocess.run([sys.executable, script, truth, answers, "--json", *words], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def measure(python, kind, tool, job, folder):
    out = os.path.join(folder, f"{kind}-{tool}.jsonl")
    done = subprocess.run([python, os.path.abspath(__file__), "--run", kind, tool, job, out], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    return (json.loads(done.stdout.splitlines()[-1]), out) if done.returncode == 0 else (None, out)


def main(argv):
    if argv[:1] == ["--run"]:
        return run_tool(*argv[1:])
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("build")
    words.add_argument("data")
    words.add_argument("tools")
    words.add_argument("--pages", type=int, default=1)
    words.add_argument("--only", action="append")
    given = words.parse_args(argv)
    sys.path.insert(0, os.path.join(SOURCE, "tests", "python"))
    import python_env
    python, _ = python_env.prepare(SOURCE, os.path.abspath(given.build), ["peers"], "venv-peers")
    absent = {name: install(python, name) for name in ("mdr", "scrapely", "pydepta")}
    with tempfile.TemporaryDirectory(prefix="thresh-peers-") as folder:
        for kind, tools in (("lists", LISTS), ("detail", DETAIL)):
            data = os.path.join(os.path.abspath(given.data), kind)
            work = make_job(data, kind, given.pages)
            job, truth = os.path.join(folder, kind + ".json"), os.path.join(folder, kind + "-truth.jsonl")
            with open(job, "w", encoding="utf-8") as file:
                json.dump(work, file)
            read = {page["page"] for site in work for page in (site["pages"] if kind == "lists" else site["pages"][1:])}
            with open(truth, "w", encoding="utf-8") as file:
                for rows in read_truth(data).values():
                    file.writelines(json.dumps(row) + "\n" for row in rows if row["page"] in read)
            print(f"\n| {kind}, {len(read)} pages | pages/s, one core | " +
                  ("records, first / best list | cells, first / best |" if kind == "lists" else "F1, one labelled page per site |") +
                  " failed |\n" + ("|---|---|---|---|---|" if kind == "lists" else "|---|---|---|---|"))
            for tool in tools:
                if given.only and tool not in given.only:
                    continue
                if absent.get(tool):
                    print(f"| {tool} | does not install: {absent[tool]} |" + (" | | |" if kind == "lists" else " | |"), flush=True)
                    continue
                said, out = measure(python, kind, tool, job, folder)
                if said is None:
                    print(f"| {tool} | failed |", flush=True)
                    continue
                speed = f"{said['pages'] / max(said['seconds'], 1e-9):.3g}"
                if kind == "lists":
                    first, best = (score(given.tools, kind, truth, out, "--pick", pick) for pick in ("first", "best"))
                    print(f"| {tool} | {speed} | {first['record_f1']:.3f} / {best['record_f1']:.3f} | "
                          f"{first['cell_f1']:.3f} / {best['cell_f1']:.3f} | {said['failed']} |", flush=True)
                else:
                    print(f"| {tool} | {speed} | {score(given.tools, kind, truth, out)['f1']:.3f} | {said['failed']} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
