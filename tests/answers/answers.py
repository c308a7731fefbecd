"""What Thresh answers: every engine and job, on generated sites and on real pages, page by page.

A *job* is one use of the program by one engine on one set of pages, such as `extract stalker detail`. A job gives
each page (or site, for what belongs to a site) a digest of the answer, and the job as a whole may have a figure
between 0 and 1. test_answers.py compares both with what is stored in pins.txt.
"""
import collections
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys

import scoring

LIST_ENGINES = ("auto", "mdr", "iepad")
LABEL_ENGINES = ("default", "stalker", "softmealy", "paths", "seams")
PAPERS = ("stalker-paper", "softmealy-paper", "exalg")  # as published, on generated pages
CHANGES = ("rename", "wrap", "reorder", "delete", "restyle", "redesign", "content")
LABELLED = 3  # pages with labels
DATE = "2026-01-01"  # so that wrappers do not depend on the day
# What the generator makes for each set. Seeds that no rule was ever made on.
GENERATED = {
    "gen-lists": "--sites 30 --pages 2 --seed 41001",
    "gen-detail": "--sites 14 --pages 10 --kind detail --seed 41002 --depth 0",
    "gen-nested": "--sites 7 --pages 10 --kind detail --seed 41003 --attrs 8..12 --depth 2",
    "gen-change": "--sites 10 --pages 3 --seed 41004",  # once for each kind of change
}


def digest(value):
    """Six digits are enough: a change is found by many pages, not by one."""
    text = value if isinstance(value, bytes) else json.dumps(value, sort_keys=True).encode()
    return hashlib.sha256(text).hexdigest()[:6]


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Job:
    """The answers of one engine on one set: digests by page, and the figure."""

    def __init__(self, name):
        self.name, self.digests, self.scores = name, {}, []

    def figure(self):
        return sum(self.scores) / len(self.scores) if self.scores else None


class Program:
    """Runs thresh in the folder of a set. A crash ends the test."""

    def __init__(self, thresh, folder, room):
        self.thresh, self.folder, self.room = thresh, folder, room

    def run(self, *words):
        done = subprocess.run([self.thresh, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        if done.returncode < 0:
            sys.exit(f"thresh {' '.join(words)}: ended by signal {-done.returncode}\n{done.stderr.decode(errors='replace')}")
        return done

    def lines(self, *words):
        return [json.loads(line) for line in self.run(*words).stdout.splitlines()]

    def file(self, *parts):
        return os.path.join(self.room, "-".join(parts).replace("/", "_"))

    def learn(self, engine, case, pages, labels=None):
        """The wrapper that is learnt, or None."""
        wrapper = self.file(engine, case, "wrapper.json")
        if os.path.exists(wrapper):
            os.remove(wrapper)
        words = ["learn", "-q", "--date", DATE, "-o", wrapper]
        if engine not in ("default", "default-unlabelled"):
            words += ["--engine", engine.removesuffix("-paper")]
        if engine.endswith("-paper"):
            words.append("--paper")
        if labels is not None:
            path = self.file(engine, case, "labels.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in labels)
            words += ["--labels", path]
        self.run(*words, *pages)
        return wrapper if os.path.exists(wrapper) else None

    def extract(self, wrapper, pages):
        """The records of each page."""
        found = {}
        for row in self.lines("extract", "-q", "-f", "pages", "-w", wrapper, *pages) if wrapper else []:
            found[row["page"]] = row["records"] if "records" in row else [row["record"]] if row["record"] else []
        return found


def rules(wrapper):
    """What of a wrapper decides its answers."""
    if not wrapper:
        return None
    with open(wrapper, encoding="utf-8") as file:
        whole = json.load(file)
    return {key: whole.get(key) for key in ("schema", "rules")}


def by_site(rows):
    sites = collections.defaultdict(list)
    for row in rows:
        sites[row["site"]].append(row)
    return {name: sorted(sites[name], key=lambda row: row["page"]) for name in sorted(sites)}


def regions(program, name, rows, words=()):
    """Lists found without labels. The figure is the mean over pages of the record F1 of the first list."""
    job = Job(name)
    truth = {row["page"]: row["records"] for row in rows}
    for row in program.lines("regions", "-q", "-f", "pages", *words, *truth):
        found = row["regions"]
        job.digests[row["page"]] = digest(found)
        job.scores.append(scoring.record_f1(truth[row["page"]], found[0]["records"] if found else []))
    job.scores += [0.0] * (len(truth) - len(job.digests))
    return [job]


def records(program, name, rows):
    """What `thresh PAGE` prints, page by page as nobody would name an engine."""
    job = Job(name)
    for row in rows:
        job.digests[row["page"]] = digest(program.run("-q", "-f", "ndjson", row["page"]).stdout)
    return [job]


def wrappers_of_lists(program, engine, group, sites):
    """A wrapper from the first page of a site, run on its other pages."""
    learn, extract = Job(f"learn {engine} {group}"), Job(f"extract {engine} {group}")
    for site, rows in sites.items():
        wrapper = program.learn(engine, site, [rows[0]["page"]])
        learn.digests[site] = digest(rules(wrapper))
        found = program.extract(wrapper, [row["page"] for row in rows[1:]])
        for row in rows[1:]:
            extract.digests[row["page"]] = digest(found.get(row["page"]))
            extract.scores.append(scoring.record_f1(row["records"], found.get(row["page"], [])))
    return [learn, extract]


def details(program, engine, group, sites, labels):
    """A wrapper from a few pages of a site, with labels or without, run on the others; and what suggest asks."""
    learn, extract, ask = (Job(f"{job} {engine} {group}") for job in ("learn", "extract", "suggest"))
    labelled = engine.removesuffix("-paper") in LABEL_ENGINES
    for site, rows in sites.items():
        cut = LABELLED if labelled else len(rows) // 2
        some = [labels[row["page"]] for row in rows[:cut]] if labelled else None
        wrapper = program.learn(engine, site, [row["page"] for row in rows[:cut + 2]], some)
        learn.digests[site] = digest(rules(wrapper))
        rest = rows[cut + 2:]
        found = program.extract(wrapper, [row["page"] for row in rest])
        for row in rest:
            extract.digests[row["page"]] = digest(found.get(row["page"]))
        pairs = [(row["records"][0], (found.get(row["page"]) or [{}])[0]) for row in rest]
        extract.scores.append(scoring.site_f1(pairs, labelled))
        if labelled and wrapper:
            ask.digests[site] = digest(program.run("suggest", "-q", "-f", "ndjson", "-w", wrapper,
                                                   *(row["page"] for row in rest)).stdout)
    return [learn, extract] + ([ask] if labelled else [])


def without_words(value):
    """What a verdict says, without its sentences."""
    if isinstance(value, list):
        return [without_words(one) for one in value]
    if isinstance(value, dict):
        return {key: without_words(one) for key, one in value.items() if key != "words"}
    return value


class Change:
    """One wrapper whose pages changed: does verify notice, does repair mend?"""

    def __init__(self, program, group, engine, jobs):
        self.program, self.group, self.engine = program, group, engine
        self.verify, self.repair = jobs

    def case(self, name, old, new, labels):
        """old and new: {page: true records}."""
        program, engine = self.program, self.engine
        wrapper = program.learn(engine, name, sorted(old), labels)
        if not wrapper:
            return
        verdict = program.run("verify", "-q", "-f", "json", "-w", wrapper, *sorted(new))
        self.verify.digests[name] = digest([verdict.returncode, without_words(json.loads(verdict.stdout or "null"))])
        were = scoring.pages_f1(old, program.extract(wrapper, sorted(old)))
        are = scoring.pages_f1(new, program.extract(wrapper, sorted(new)))
        if were < 0.5:
            return  # no working wrapper to begin with
        broken = are < 0.8 * were
        if broken or are >= 0.98 * were:
            self.verify.scores.append(float(broken == (verdict.returncode == 3)))
        mended = program.file(engine, name, "mended.json")
        if os.path.exists(mended):
            os.remove(mended)
        program.run("repair", "-q", "--allow-lost", "--new-fields", "--date", DATE, "-w", wrapper, "-o", mended, *sorted(new))
        mended = mended if os.path.exists(mended) else None
        self.repair.digests[name] = digest(rules(mended))
        if broken:
            after = scoring.pages_f1(new, program.extract(mended, sorted(new)))
            self.repair.scores.append(min(1.0, max(after, are) / were))


def changes(program, engine, group, cases):
    """cases: (name, old, new, labels)."""
    jobs = Job(f"verify {engine} {group}"), Job(f"repair {engine} {group}")
    change = Change(program, group, engine, jobs)
    for name, old, new, labels in cases:
        change.case(name, old, new, labels if engine in LABEL_ENGINES else None)
    return list(jobs)


def generated_changes(folder):
    for kind in CHANGES:
        sides = []
        for side in ("before", "after"):
            pages = collections.defaultdict(dict)
            for row in read_lines(os.path.join(folder, kind, side, "truth.jsonl")):
                pages[row["site"].rsplit("-", 1)[1]][f"{kind}/{side}/{row['page']}"] = row["records"]
            sides.append(pages)
        labels = {}
        for row in read_lines(os.path.join(folder, kind, "before", "labels.jsonl")):
            page = f"{kind}/before/{row['page']}"
            labels[page] = dict(row, page=page)
        for site in sorted(sides[0]):
            old, new = sides[0][site], sides[1][site]
            yield f"{kind}-{site}", old, new, [labels[page] for page in sorted(old)]


def generate(gen, group, folder):
    dials = GENERATED[group].split()
    if group != "gen-change":
        subprocess.run([gen, "--quiet", "--out", folder, *dials], check=True)
        return
    for kind in CHANGES:
        subprocess.run([gen, "--quiet", "--out", os.path.join(folder, kind), "--change", kind, *dials], check=True)


def version_cases(folder):
    truth = {row["page"]: row["records"] for row in read_lines(os.path.join(folder, "truth.jsonl"))}
    for number, pair in enumerate(read_lines(os.path.join(folder, "pairs.jsonl"))):
        old, new = pair["old"], pair["new"]
        yield f"pair-{number:03}", {old: truth[old]}, {new: truth[new]}, None


def tasks(group, folder, program):
    """The calls that answer everything about a set: pairs of an engine and a function that gives jobs."""
    if group in ("gen-change", "versions"):
        cases = list(generated_changes(folder) if group == "gen-change" else version_cases(folder))
        engines = LIST_ENGINES + (("stalker", "softmealy") if group == "gen-change" else ())
        for engine in engines:
            yield engine, lambda engine=engine: changes(program, engine, group, cases)
        if group == "gen-change":
            return
    rows = read_lines(os.path.join(folder, "truth.jsonl"))
    sites = by_site(rows)
    if group in ("gen-lists", "lists", "mixed", "versions"):
        for engine in LIST_ENGINES:
            yield engine, lambda engine=engine: regions(program, f"regions {engine} {group}", rows, ("--engine", engine))
            if group in ("gen-lists", "lists"):
                yield engine, lambda engine=engine: wrappers_of_lists(program, engine, group, sites)
        if group == "gen-lists":
            for engine in ("mdr", "iepad"):
                yield engine, lambda engine=engine: regions(program, f"regions {engine}-paper {group}", rows,
                                                            ("--engine", engine, "--paper"))
            yield "auto", lambda: records(program, f"records auto {group}", rows)
        return
    if group == "detail":
        labels = {row["page"]: {"page": row["page"], "records": row["records"]} for row in rows}
    else:
        labels = {row["page"]: row for row in read_lines(os.path.join(folder, "labels.jsonl"))}
    for engine in LABEL_ENGINES + ("template", "default-unlabelled") + (PAPERS if group == "gen-detail" else ()):
        yield engine.removesuffix("-paper"), lambda engine=engine: details(program, engine, group, sites, labels)


def answer(thresh, groups, room, engines=()):
    """The jobs of these engines, or of all, on all sets; groups: {name: folder}."""
    work = []
    for group, folder in groups.items():
        place = os.path.join(room, "work", group)
        os.makedirs(place, exist_ok=True)
        work += [call for engine, call in tasks(group, folder, Program(thresh, folder, place)) if not engines or engine in engines]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return {job.name: job for jobs in pool.map(lambda call: call(), work) for job in jobs}
