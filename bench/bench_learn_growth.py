#!/usr/bin/env python3
"""How the cost of learning, extracting and repairing grows with the records of a page, engine by engine.

usage: bench/bench_learn_growth.py BUILD [--engines NAME,...] [--sizes N,...] [--limit GROWTH] [--seconds MOST]
       make bench T=learn_growth

Makes lists of 125 to 100,000 records, and pages of one record that has a list of as many, with five records labelled
and with all. Prints the processor's seconds of each command, and in brackets how many times more that is for twice the
records; 2 is linear. A row ends after a command that took more than MOST seconds. Fails where the last growth of a row
is above GROWTH (2.3).
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


def make_list(count):
    """A list page, and its records."""
    return (f"<html><body><h1>Shop</h1><ul class=hits>{''.join(record(i) for i in range(count))}</ul><p>End</p>",
            [truth(i) for i in range(count)])


def make_detail(count):
    """A page of one record with a list of items."""
    return (make_list(count)[0].replace("Shop", "Shop of hats", 1),
            [{"title": "Shop of hats", "items": [truth(i) for i in range(count)]}])


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


def write_page(folder, kind, count, few):
    """Writes the page and its labels; their names."""
    text, records = kind(count)
    if few:
        records = records[:FEW]
    page, labels = f"{count}.html", f"{count}.jsonl"
    with open(os.path.join(folder, page), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(folder, labels), "w", encoding="utf-8") as file:
        file.write(json.dumps({"page": page, "records": records}) + "\n")
    return page, labels


def learn(thresh, engine, page, labels):
    return ([thresh, "learn", "-q", "--date", "x", "--engine", engine, "-o", page + ".json"] +
            (["--labels", labels] if engine in LABELS else []) + [page])


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--engines", default="auto,mdr,iepad,exalg,softmealy,stalker,seams,paths")
    parser.add_argument("--sizes", default="125,1000,10000,100000")
    parser.add_argument("--limit", type=float, default=2.3)
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
    thresh = os.path.abspath(os.path.join(args.build, "thresh"))
    sizes, fine = [int(size) for size in args.sizes.split(",")], True
    for kind in (make_list, make_detail):
        for engine in args.engines.split(","):
            for few in (True, False) if engine in LABELS and kind is make_list else (False,):
                with tempfile.TemporaryDirectory() as folder:
                    pages = {count: write_page(folder, kind, count, few) for count in sizes}
                    name = f"{engine}, {kind.__name__[5:]}" + (f", {FEW} labelled" if few else "")
                    fine &= measure(name + ": learn", sizes, lambda n: learn(thresh, engine, *pages[n]), folder,
                                    args.seconds, args.limit)
                    made = [n for n in sizes if os.path.exists(os.path.join(folder, pages[n][0] + ".json"))]
                    if not made:
                        continue
                    fine &= measure(name + ": extract", made, lambda n: extract(thresh, pages[n][0]), folder,
                                    args.seconds, args.limit)
                    if kind is make_list:
                        new = {n: other_tags(folder, pages[n][0]) for n in made}
                        fine &= measure(name + ": repair", made, lambda n: repair(thresh, new[n], pages[n][0]), folder,
                                        args.seconds, args.limit)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
