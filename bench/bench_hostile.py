#!/usr/bin/env python3
"""Peak memory of every command on hostile pages: at most 60 bytes for each byte of input.

    bench_hostile.py FOLDER|PROGRAM [--quick] [--verbose] [NAME-PART]...

Each kind of page is made with 1.5 MB and given to each command. A run fails when it takes more than MOST times its
input, whatever the kind of page; when it ends otherwise than with 0, with the status that tells of a verdict (VERDICTS),
or with a message that nothing was found (NOTHING); or when it takes longer than SECONDS. What the process takes on a page
of some hundred bytes, 10 to 15 MB for its libraries, is not counted, and FLOOR bytes are no fault: both are for pages
that are small. --quick runs each command on some kinds that have needed most, for the suite.
"""
import os
import resource
import subprocess
import sys
import tempfile

SIZE, MOST, FLOOR, SECONDS = 1500 * 1000, 60, 64 << 20, 120
# A test runner may ask malloc to fill memory, which then is used although nobody wrote there.
PLAIN = {key: value for key, value in os.environ.items() if key != "MALLOC_PERTURB_"}
VERDICTS = ("verify", "monitor", "repair")  # status 3: the pages are not what the wrapper is for
NOTHING = ("nothing to learn from", "next to nothing in common")


def fill(first, unit, last="", size=SIZE):
    """`unit`, in which {0} is a number that counts up, again and again between first and last."""
    parts, length, number = [first], len(first), 0
    while length < size:
        parts.append(unit.format(number) if "{" in unit else unit)
        length += len(parts[-1])
        number += 1
    return "".join(parts) + last


def nested(first, unit, depth, last, size=SIZE):
    """Boxes `depth` deep, one after the other."""
    return fill(first, unit * depth + last * depth + "\n", "", size)


def spanning(size=SIZE):
    """A cell with n links that spans n rows, beside n rows of two cells."""
    count = size // 45
    return (f"<table><tr><td rowspan={count}>" + "".join(f"<a href=/{i}>l{i}</a>" for i in range(count)) +
            "<tr>".join(f"<td>n{i}<td>v{i}" for i in range(count)) + "</table>")


ITEM = "<li><a href=/p/{0}>Item {0}</a> <b>{0}.50</b>"
PAGES = {
    "list": lambda: fill("<ul>", ITEM),
    "tiny items": lambda: fill("<ul>", "<li>a"),
    "tiny elements": lambda: fill("", "<p>"),
    "deep": lambda: fill("", "<div>"),
    "deep with text": lambda: fill("", "<div>x"),
    "boxes 400 deep": lambda: nested("", "<div>a", 400, "</div>"),
    "lists in lists": lambda: fill("", "<ul><li>a<li>b"),
    "lists in lists, closed": lambda: nested("", "<ul><li>a<li>b", 100, "</ul>"),
    "lists of lists of lists": lambda: fill("<ul>", "<li>A{0}<ul><li>b<ul><li>c<li>d</ul><li>e<ul><li>f<li>g</ul></ul>"),
    "tables in tables": lambda: fill("", "<table><tr><td>a<td>b<tr><td>"),
    "tables in tables, closed": lambda: nested("", "<table><tr><td>a<td>b<tr><td>c<td>", 100, "</table>"),
    "spanning": lambda: spanning(),
    "rows": lambda: fill("<table>", "<tr><td>{0}<td>b<td>c"),
    "cells": lambda: fill("<table><tr>", "<td>x"),
    "wide rows": lambda: fill("<table>", "<tr>" + "<td>x" * 1000),
    "attributes": lambda: fill("<ul><li>a<li>b<li", " a{0}=b", ">c</ul>"),
    "attributes of items": lambda: fill("<ul>", "<li class=c{0} id=i{0} data-a{0}=b><a href=u{0}>x</a>"),
    "unclosed tags": lambda: fill("", "<b><i><p>x"),
    "tag never closed": lambda: fill("<ul><li>a<li>b<a ", "b "),
    "one text": lambda: fill("<p>", "word {0} "),
    "one word": lambda: fill("<p>", "a"),
    "texts with br": lambda: fill("<p>", "a {0}<br>"),
    "tags, all different": lambda: fill("", "<x-{0}>a</x-{0}>"),
    "classes, all different": lambda: fill("<ul>", "<li><b class=c{0}>a</b><i>b</i>"),
    "columns, all different": lambda: fill("<ul>", "<li><b class=c{0}>a</b><i class=d{0}>b</i><u id=e{0}>c</u>"),
    "labels, all different": lambda: fill("<ul>", "<li><b>L{0}:</b> v<br><b>M{0}:</b> w"),
    "definition lists": lambda: fill("<dl>", "<dt>t{0}<dd>d<dd>e"),
    "headings and lists": lambda: fill("", "<h2>H{0}</h2><ul><li>a<li>b</ul>"),
    "comments": lambda: fill("", "<!-- a --><p>b"),
    "punctuation": lambda: fill("<ul>", "<li>a, b; c: d - e / f"),
}
# All commands on some kinds, the ones that need most on others.
QUICK = {"tiny items": None, "rows": None, "spanning": ("records", "learn auto", "extract auto"),
         "lists in lists": ("records", "learn auto", "extract auto"), "deep with text": ("learn template", "show --tree")}

VIEWS = ["info", "tree", "text", "links", "tokens", "fine"]
SMALL = "<h1>Title 1</h1><ul>" + "".join(ITEM.format(i) for i in range(30)) + "</ul>"
LABELS = '{"page": "a.html", "record": {"title": "Title 1"}}\n'


def commands():
    """Name, words and number of hostile pages of each command, in the order in which they use each other's files."""
    yield "records", ["a.html"], 1
    yield "records of two", ["a.html", "b.html"], 2
    for engine in ("auto", "mdr", "iepad"):
        yield "regions " + engine, ["regions", "--engine", engine, "-f", "pages", "a.html"], 1
        yield "learn " + engine, ["learn", "--engine", engine, "a.html", "-o", "w.json"], 1
        yield "extract " + engine, ["extract", "-w", "w.json", "a.html"], 1
    yield "learn template", ["learn", "--engine", "template", "a.html", "b.html", "-o", "x.json"], 2
    yield "extract template", ["extract", "-w", "x.json", "a.html"], 1
    for engine in ("stalker", "softmealy", "seams", "paths"):
        yield "learn " + engine, ["learn", "--engine", engine, "--labels", "l.jsonl", "a.html", "-o", "l.json"], 1
        yield "extract " + engine, ["extract", "-w", "l.json", "a.html"], 1
    yield "suggest", ["suggest", "-w", "l.json", "a.html", "b.html"], 2
    yield "labels", ["labels", "l.jsonl", "a.html"], 1
    yield "verify", ["verify", "-w", "s.json", "a.html"], 1
    yield "repair", ["repair", "-w", "s.json", "a.html", "-o", "r.json"], 1
    yield "clusters", ["clusters", "a.html", "b.html"], 2
    for view in VIEWS:
        yield "show --" + view, ["show", "--" + view, "a.html"], 1


def fault(command, status, said):
    """What is wrong with the end of a run, or ""."""
    if status == 0 or (status == 3 and command in VERDICTS) or (status == 1 and any(text in said for text in NOTHING)):
        return ""
    return f"ended by signal {-status}" if status < 0 else f"status {status}: {said[:90]}"


def run(program, words, folder):
    """Exit status, peak memory in bytes, seconds and the last line on standard error; status -1 after SECONDS."""
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen([program, *words, "-j1"], cwd=folder, stdout=subprocess.DEVNULL, stderr=errors, env=PLAIN,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)))
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace").strip().split("\n")
    return child.returncode, used.ru_maxrss * 1024, used.ru_utime + used.ru_stime, said[-1]


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return os.path.getsize(path)


def check(program, name, only, folder, least):
    """Runs the commands on one kind of page; gives the number of failures."""
    body, failed, worst = PAGES[name](), 0, (0, "")
    sizes = [write(os.path.join(folder, page), f"<h1>Title {i}</h1>" + body) for i, page in ((1, "a.html"), (2, "b.html"))]
    for command, words, pages in commands():
        wrapper = words[words.index("-w") + 1] if "-w" in words else None
        if (only and command not in only) or (wrapper and not os.path.exists(os.path.join(folder, wrapper))):
            continue  # nothing was learnt, as where a page has no list
        made = os.path.join(folder, words[-1]) if "-o" in words else ""
        if os.path.exists(made):
            os.remove(made)  # a wrapper of another engine or kind of page is not this one's
        size = sum(sizes[:pages])
        status, memory, seconds, said = run(program, words, folder)
        memory -= least
        worst = max(worst, (memory / size, command))
        wrong = fault(command, status, said)
        if memory > max(MOST * size, FLOOR):
            wrong = wrong or "TOO MUCH"
        failed += wrong != ""
        if wrong or VERBOSE:
            print(f"  {name:28} {command:18} {memory / size:6.1f} times, {seconds:6.1f} s, status {status}  {wrong}", flush=True)
    print(f"{name:30} {worst[0]:6.1f} times its bytes ({worst[1]})", flush=True)
    return failed


def main(program, quick, parts):
    if os.path.isdir(program):
        program = os.path.join(program, "thresh")
    program, failed = os.path.abspath(program), 0
    names = [name for name in (QUICK if quick else PAGES) if not parts or any(part in name for part in parts)]
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "small.html"), SMALL)
        write(os.path.join(folder, "l.jsonl"), LABELS)
        least = run(program, ["learn", "small.html", "-o", "s.json"], folder)[1]
        for name in names:
            failed += check(program, name, QUICK[name] if quick else None, folder, least)
    print(f"{failed} runs took too much, or failed" if failed else "all fine")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    VERBOSE = "--verbose" in sys.argv
    sys.exit(main(words[0], "--quick" in sys.argv, words[1:]))
