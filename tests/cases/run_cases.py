#!/usr/bin/env python3
"""Runs case files: pages, labels and the records that Thresh must give.

    tests/cases/run_cases.py THRESH [--update] [-k WORDS] [FILE.case]...

A case file is text that anyone can extend:

    Lines before the first case, and after its name, are for the reader.

    == several values are a list
    engine: stalker                 the options of `thresh`, without their dashes; a switch has no value: `paper:`
    -- page a
    <ol><li><h2>One</h2><span>red</span>
    -- labels
    {"page": "a", "records": [{"title": "One", "tag": ["red"]}]}
    -- records a
    {"title":"One","tag":["red"]}

Without labels the records are those that `thresh records` finds on each page. With labels, or with a line `learn`,
a wrapper is learnt from the pages that have labels and those of which nothing is expected (all, if that leaves none), and
then run on the pages whose records are given. `-- records a` may be empty: nothing is found.

    again: paper                    the case once more, with this option: `again: engine mdr` takes the place of `engine: ...`
    -- corrections a                labels of page a that mend the wrapper: `thresh learn --correct`
    -- shows                        texts that `thresh show` must say of the wrapper, one per line
    -- says                         messages that standard error must hold, one per line
    -- fails                        the same, of a case that must end with exit status 1
    -- verify b c                   texts that `thresh verify` must say of these pages, one per line
                                    (with `paper:` also as published)
    -- repair b c                   the same of `thresh repair`, which writes the wrapper that records are read with

Many pages of one kind are written once, here with the values $t and $n; these hold until a case has other values:

    -- values
    t: The Quiet Harbour | A Winter Tale | Salt and Linen
    n: 100 | 137 | 174 | 211
    -- page old*                    as many pages as the shortest list has values: old0, old1, old2
    <h1>$t</h1><p>No. $n</p>        $n1 is the value of the next page, $n2 of the page after it
    -- labels
    {"page": "old*", "record": {"title": "$t", "no": "$n"}}

`old*0-1` are the first two of them alone. The star works in page, labels, records, verify and repair.
--update writes the records that come out into the file; look at the difference before you commit it.
"""
import argparse
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Case:
    def __init__(self, name, line):
        self.name, self.line, self.options, self.parts = name, line, [], []

    def all(self, kind):
        return {title: text for what, title, text in self.parts if what == kind}


STAR = re.compile(r"\*(?:(\d+)-(\d+))?")


def expand(parts, values):
    """The parts with a part for each page where the title has a star."""
    for _, _, text in (part for part in parts if part[0] == "values"):
        values.clear()
        for line in text.splitlines():
            name, _, words = line.partition(":")
            values[name] = [word.strip() for word in words.split("|")]
    count = min(map(len, values.values()), default=0)

    def fill(text, page):
        return re.sub(r"\$([a-z])(\d?)", lambda m: values[m[1]][(page + int(m[2] or 0)) % len(values[m[1]])] if m[1] in values else m[0], text)

    def pages(text):
        """(text with the number of a page for the star, the number)"""
        star = STAR.search(text)
        numbers = range(int(star[1]), int(star[2]) + 1) if star and star[1] else range(count)
        return [(STAR.sub(str(number), text, count=1), number) for number in numbers] if star else [(text, 0)]

    out = []
    for kind, title, text in parts:
        if kind in ("verify", "repair"):
            out.append([kind, " ".join(name for word in title.split() for name, _ in pages(word)), text])
        elif kind == "labels":
            lines = [(re.match(r'{"page": ?"[^"]*"', line) or [""])[0] for line in text.splitlines()]
            out.append([kind, title, "".join(start + fill(line[len(head):], number) + "\n" for head, line in zip(lines, text.splitlines())
                                             for start, number in pages(head))])
        else:
            out += [[kind, name, fill(text, number) if "*" in title else text] for name, number in pages(title)]
    return out


def read_cases(path):
    """The cases of a file. A part is [kind, title, text]."""
    cases, part, values = [], None, {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("== "):
                cases.append(Case(line[3:].strip(), number))
                part = None
            elif line.startswith("-- ") and cases:
                kind, _, title = line[3:].strip().partition(" ")
                part = [kind, title, ""]
                cases[-1].parts.append(part)
            elif part:
                part[2] += line
            elif cases and re.match(r"(learn|[a-z-]+:.*)$", line):
                cases[-1].options.append(line.strip())
    for case in cases:
        case.parts = expand([[kind, title, text.rstrip("\n") + "\n" if text.strip() else ""] for kind, title, text in case.parts], values)
    return cases


def words_of(options, again):
    words = []
    for option in options:
        name, _, value = option.partition(":")
        if name not in ("learn", "again", again.partition(" ")[0]):
            words += ["--" + name] + ([value.strip()] if value.strip() else [])
    return words + ("--" + again).split(" ", 1) if again else words


class Runner:
    def __init__(self, thresh, folder):
        self.command, self.folder = shlex.split(os.environ.get("THRESH_WRAP", "")) + [thresh], folder
        self.said, self.shown, self.verdicts, self.failed = "", "", {}, False

    def run(self, *words):
        done = subprocess.run([*self.command, *words], cwd=self.folder, text=True, encoding="utf-8", capture_output=True, check=False)
        if done.returncode not in (0, 1, 3):
            sys.exit(f"thresh {' '.join(words)}: exit {done.returncode}\n{done.stderr}")
        self.said += done.stderr
        self.failed = self.failed or done.returncode == 1
        return done.stdout

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def answer(self, case, again):
        """{page: records as lines}"""
        pages, labels, wanted = case.all("page"), case.all("labels").get(""), list(case.all("records"))
        for name, text in pages.items():
            self.write(name, text)
        words = words_of(case.options, again)
        if labels is None and "learn" not in case.options:
            return {name: self.run("records", "-f", "ndjson", *words, name) for name in wanted}
        labelled = [json.loads(line).get("page") for line in (labels or "").splitlines()]
        mended = case.all("corrections")
        others = {*wanted, *mended, *" ".join([*case.all("verify"), *case.all("repair")]).split()}
        shown = [name for name in pages if name in labelled or name not in others] or list(pages)
        if labels is not None:
            self.write("labels.jsonl", labels)
            words += ["--labels", "labels.jsonl"]
        self.run("learn", "--date", "2026-01-01", "-o", "wrapper.json", *words, *shown)
        for name, text in mended.items():
            self.write("corrections.jsonl", text)
            self.run("learn", "--date", "2026-01-01", "-o", "wrapper.json", "--correct", "wrapper.json", "--labels", "corrections.jsonl", name)
        if not os.path.exists(os.path.join(self.folder, "wrapper.json")):
            return {name: "" for name in wanted}
        paper = ["--paper"] * ("--paper" in words)
        for names in case.all("verify"):
            self.verdicts["verify", names] = self.run("verify", *paper, "-w", "wrapper.json", *names.split())
        for names in case.all("repair"):
            self.verdicts["repair", names] = self.run("repair", *paper, "--date", "2026-01-01", "-w", "wrapper.json", "-o", "wrapper.json", *names.split())
        if case.all("shows"):
            self.shown = self.run("show", "wrapper.json")
        return {name: self.run("extract", "-f", "ndjson", "-w", "wrapper.json", name) for name in wanted}


def run_once(thresh, case, again):
    """Returns the answer, and what is wrong as a list of printable texts."""
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(thresh, folder)
        got = runner.answer(case, again)
    wrong = []
    for name, want in case.all("records").items():
        if got[name] != want:
            wrong.append(f"  page {name}\n" + "".join(f"    want {line}\n" for line in want.splitlines())
                         + "".join(f"    got  {line}\n" for line in got[name].splitlines()))
    places = [("said", "says", "", runner.said), ("said", "fails", "", runner.said), ("shown", "shows", "", runner.shown)]
    places += [("in the verdict", kind, names, runner.verdicts.get((kind, names), "")) for kind in ("verify", "repair") for names in case.all(kind)]
    for word, kind, title, where in places:
        missed = [line for line in case.all(kind).get(title, "").splitlines() if line not in where]
        wrong += [f"  not {word}: {line}\n" for line in missed]
        if missed:
            wrong.append("".join(f"    {line}\n" for line in where.splitlines()))
    if bool(case.all("fails")) != runner.failed:
        wrong.append("  exit status 0, wanted 1\n" if case.all("fails") else "  exit status 1\n")
    if wrong and runner.said:
        wrong.append("".join(f"    said {line}\n" for line in runner.said.splitlines()))
    return got, wrong


def run_case(thresh, case):
    """Returns the answer, and what is wrong as printable text."""
    got, wrong = run_once(thresh, case, "")
    for option in case.options:
        if option.startswith("again:"):
            again = option[len("again:"):].strip()
            worse = run_once(thresh, case, again)[1]
            wrong += [f"  again, with {again}:\n"] + worse if worse else []
    return got, "".join(wrong)


def write_answers(path, answers):
    """Puts the records that came out into the file; answers: {line of the case: {page: lines}}."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    out, case, skip = [], None, False
    for number, line in enumerate(lines, 1):
        if line.startswith(("== ", "-- ")):
            skip = False
        if line.startswith("== "):
            case = number
        if skip and line:
            continue
        skip = skip and bool(line)
        out.append(line)
        name = line[len("-- records "):].strip() if line.startswith("-- records ") else None
        if name and name in answers.get(case, {}):
            out += answers[case][name].splitlines()
            skip = True
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("thresh")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("-k", dest="words", default="")
    options = parser.parse_args()
    thresh, count, failed = os.path.abspath(options.thresh), 0, 0
    for path in options.files or sorted(glob.glob(os.path.join(HERE, "*.case"))):
        answers = {}
        for case in read_cases(path):
            if options.words not in case.name:
                continue
            if not any(case.all(kind) for kind in ("records", "fails", "says", "shows", "verify", "repair")):
                sys.exit(f"{path}:{case.line}: {case.name}: nothing is expected, so it cannot fail")
            got, wrong = run_case(thresh, case)
            answers[case.line] = got
            count += 1
            if wrong:
                failed += 1
                print(f"{os.path.relpath(path)}:{case.line}: {case.name}\n{wrong}", end="")
        if options.update:
            write_answers(path, answers)
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
