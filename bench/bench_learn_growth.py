#!/usr/bin/env python3
"""How the cost of learning, extracting and repairing grows with the records of a page, engine by engine.

usage: bench/bench_learn_growth.py BUILD [--engines NAME,...] [--sizes N,...] [--limit GROWTH] [--seconds MOST]
       make bench T=learn_growth

Makes lists of 125 to 100,000 records, pages of one record that has a list of as many tuples or texts, and lists on
four pages, with five records labelled and with all. Prints the processor's seconds of each command, and in brackets how
many times more that is for twice the records; 2 is linear. A row ends after a command that took more than MOST seconds
or that the engine refuses. Fails where the last growth of a row is above GROWTH (2.3).
"""
import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

FEW = 5
LABELS = {"softmealy", "stalker", "seams", "paths"}


def record(i):
    note = "<em class=note>only a few left</em>" if i % 4 == 0 else ""
    return (f"<li class=hit><h3><a href=/item/{i}>Item number {i} of all</a></h3><p class=by>by maker {i * 7}x</p>"
            f"<span class=price>{i * 3}.{i % 100:02}</span>{note}</li>\n")


def truth(i):
    return {"name": f"Item number {i} of all", "maker": f"by maker {i * 7}x", "price": f"{i * 3}.{i % 100:02}"}


def page_of(first, count):
    items = "".join(record(i) for i in range(first, first + count))
    return f"<html><body><h1>Shop {first}</h1><ul class=hits>{items}</ul><p>End</p>"


# Kinds of pages: their texts, and the records of the first.
def make_list(count):
    return [page_of(0, count)], [truth(i) for i in range(count)]


def make_tuples(count):
    return [page_of(0, count)], [{"title": "Shop 0", "items": [truth(i) for i in range(count)]}]


def make_texts(count):
    return [page_of(0, count)], [{"title": "Shop 0", "names": [truth(i)["name"] for i in range(count)]}]


def make_pages(count):
    return [page_of(count * k, count // 4 + k) for k in range(4)], []


# With the engines that learn them, and whether a few labels are enough to.
KINDS = [(make_list, "auto,mdr,iepad,softmealy,stalker", True), (make_tuples, "softmealy,stalker,seams", False),
         (make_texts, "softmealy,stalker,seams,paths", False), (make_pages, "template", False)]


def seconds(command, cwd):
    """The processor's seconds of a command; None when it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3):
        print(f"    {' '.join(command[1:])}: {done.stderr.strip()[:200]}")
        return None
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def best(command, cwd):
    """The least of several runs of a short command: others use the machine too."""
    taken = seconds(command, cwd)
    for _ in range(3):
        if taken is None or taken > 0.3:
            break
        taken = min(taken, seconds(command, cwd) or taken)
    return taken


def write_pages(folder, kind, count, few):
    """Writes the pages and their labels; the names of the pages."""
    texts, records = kind(count)
    names = [f"{count}-{k}.html" for k in range(len(texts))]
    for name, text in zip(names, texts):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(folder, names[0] + ".jsonl"), "w", encoding="utf-8") as file:
        file.write(json.dumps({"page": names[0], "records": records[:FEW] if few else records}) + "\n")
    return names


def learn(thresh, engine, pages):
    return ([thresh, "learn", "-q", "--date", "2026-01-01", "--engine", engine, "-o", pages[0] + ".json"] +
            (["--labels", pages[0] + ".jsonl"] if engine in LABELS else []) + pages)


def suggest(thresh, page):
    return [thresh, "suggest", "-q", "-w", page + ".json", page]


def extract(thresh, page):
    return [thresh, "extract", "-q", "-w", page + ".json", page]


def repair(thresh, page, old):
    """The page with other tags, and a wrapper of the page as it was."""
    return [thresh, "repair", "-q", "-w", old + ".json", "-o", page + ".repaired.json", page]


def measure(name, sizes, commands, folder, most, limit):
    """Prints the row of a command; whether its growth is below the limit."""
    row, last, growth = [], None, 0
    for count in sizes:
        taken = best(commands(count), folder)
        if taken is None:
            break
        if last:
            growth = (max(taken, 1e-4) / max(last[1], 1e-4)) ** (1 / math.log2(count / last[0]))
        row.append(f"{count}: {taken:.3f}" + (f" ({growth:.2f})" if last else ""))
        last = count, taken
        if taken > most:
            break
    fine = growth <= limit
    print(f"  {name:32} " + "  ".join(row) + ("" if fine else "  TOO MUCH"), flush=True)
    return fine


def other_tags(folder, page):
    with open(os.path.join(folder, page), encoding="utf-8") as file:
        text = file.read()
    new = "new-" + page
    with open(os.path.join(folder, new), "w", encoding="utf-8") as file:
        file.write(text.replace("h3>", "h4>").replace("class=price", "class=cost").replace("class=hit", "class=row"))
    return new


def measure_engine(thresh, engine, kind, few, args):
    """The rows of an engine on pages of a kind; whether all are below the limit."""
    sizes = [int(size) for size in args.sizes.split(",")]
    name = f"{engine}, {kind.__name__[5:]}" + (f", {FEW} labelled" if few else "")
    with tempfile.TemporaryDirectory() as folder:
        def row(command, sizes, make):
            return measure(f"{name}: {command}", sizes, make, folder, args.seconds, args.limit)

        pages = {count: write_pages(folder, kind, count, few) for count in sizes}
        fine = row("learn", sizes, lambda n: learn(thresh, engine, pages[n]))
        made = [n for n in sizes if os.path.exists(os.path.join(folder, pages[n][0] + ".json"))]
        if made:
            fine &= row("extract", made, lambda n: extract(thresh, pages[n][0]))
        if made and engine in ("stalker", "paths"):
            fine &= row("suggest", made, lambda n: suggest(thresh, pages[n][0]))
        if made and kind is make_list:
            new = {n: other_tags(folder, pages[n][0]) for n in made}
            fine &= row("repair", made, lambda n: repair(thresh, new[n], pages[n][0]))
    return fine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--engines", default="auto,mdr,iepad,template,softmealy,stalker,seams,paths")
    parser.add_argument("--sizes", default="125,1000,10000,100000")
    parser.add_argument("--limit", type=float, default=2.3)
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
    thresh, fine = os.path.abspath(os.path.join(args.build, "thresh")), True
    for kind, engines, few_too in KINDS:
        for engine in engines.split(","):
            if engine not in args.engines.split(","):
                continue
            if few_too and engine in LABELS:
                fine &= measure_engine(thresh, engine, kind, True, args)
            fine &= measure_engine(thresh, engine, kind, False, args)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
