#!/usr/bin/env python3
"""How the time of verify, repair and monitor grows with the pages, for wrappers of every engine.

usage: bench/bench_repair_growth.py BUILD [-q] [-e ENGINES]

Pages of a list grow in records from 125 to 128,000, doubling, and sites in pages of ten records from 10 to 1,280; both as the
wrapper knows them and in a new layout. Engines of pages of one record have a list in it. Fails when twice the input takes
more than 2.3 times as long, over all doublings of a row from the first that takes 0.1 s of processor time; single doublings
are noise. -q: no more than repairs in a new layout, of up to 4,000 records on a page: the test suite runs that.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

LIMIT = 2.3
LEAST = 0.1  # seconds: less is noise
ENGINES = ("auto", "mdr", "iepad", "template", "softmealy", "stalker", "seams", "paths")
LISTS = ("auto", "mdr", "iepad", "template")  # learn without labels
SINGLE = ("seams", "paths")
COMMANDS = (("verify", "-w", "w.json"), ("repair", "-w", "w.json", "-o", "x.json"),
            ("monitor", "--repair", "--records", "r.csv", "-w", "m.json"))


def record(i):
    return {"title": "Item Number %d" % i, "author": "Anna Field %d" % (i % 97), "price": "$ %d.95" % (i * 7 % 1000)}


OLD = ("<ul>", '<li class=row><b class=t>{title}</b> <i class=a>{author}</i> <u class=p>{price}</u></li>\n', "</ul>")
NEW = ("<div class=list>", '<div class=entry><h4>{title}</h4><em>{author}</em><span>{price}</span></div>\n', "</div>")


def page(layout, first, count):
    rows = "".join(layout[1].format(**record(i)) for i in range(first, first + count))
    head = "<p class=n>Lot %d of many</p>" if layout is OLD else "<h2>Lot %d of many</h2>"
    return "<html><body>%s%s%s%s</body></html>" % (head % first, layout[0], rows, layout[2])


class Growth:
    def __init__(self, thresh):
        self.thresh = thresh
        self.slow = []

    def run(self, *args):
        """Processor time of a command, and what it did."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run((self.thresh,) + args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode not in (0, 3):
            sys.exit("%s: %s" % (" ".join(args[:8]), done.stderr))
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def learn(self, engine):
        names = []
        with open("l.jsonl", "w", encoding="utf-8") as labels:
            for first, count in ((0, 20), (50, 24), (100, 22)):
                names.append("old-%d.html" % first)
                with open(names[-1], "w", encoding="utf-8") as file:
                    file.write(page(OLD, first, count))
                records = [record(i) for i in range(first, first + count)]
                one = {"lot": "Lot %d of many" % first, "titles": [r["title"] for r in records]}
                labels.write(json.dumps({"page": names[-1], "record": one} if engine in SINGLE else
                                        {"page": names[-1], "records": records}) + "\n")
        self.run("learn", "-q", "--engine", engine, "-o", "w.json", *(() if engine in LISTS else ("--labels", "l.jsonl")),
                 *names)

    def row(self, name, command, layout, sizes, pages_of):
        times = []
        for size in sizes:
            names = []
            for i, count in enumerate(pages_of(size)):
                names.append("p%04d.html" % i)
                with open(names[-1], "w", encoding="utf-8") as file:
                    file.write(page(layout, 1000 + i * count, count))
            with open("w.json", encoding="utf-8") as old, open("m.json", "w", encoding="utf-8") as copy:
                copy.write(old.read())
            times.append(self.run(command[0], "-q", *command[1:], *names))
        first = next((i for i, time in enumerate(times) if time >= LEAST), None)
        first = min(first, len(times) - 3) if first is not None else None  # one doubling is noise
        doublings = len(times) - 1 - first if first is not None else 0
        factor = (times[-1] / max(times[first], LEAST / 4)) ** (1 / doublings) if doublings else 0
        told = "x%.2f a doubling" % factor if doublings else "-"
        print("%-40s %s  %s" % (name, told, " ".join("%.2f" % time for time in times)), flush=True)
        if factor > LIMIT:
            self.slow.append(name)


def main(argv):
    quick = "-q" in argv
    engines = argv[argv.index("-e") + 1].split(",") if "-e" in argv else ENGINES
    growth = Growth(os.path.join(os.path.abspath(argv[0]), "thresh"))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for engine in engines:
            growth.learn(engine)
            if quick:
                growth.row("%s repair" % engine, COMMANDS[1], NEW, [500, 1000, 2000, 4000], lambda size: [size])
            for command in () if quick else COMMANDS:
                for layout, told in ((OLD, "same"), (NEW, "new")):
                    name = "%s %s %s" % (engine, command[0], told)
                    growth.row(name + " records", command, layout, [125 << i for i in range(11)], lambda size: [size])
                    growth.row(name + " pages", command, layout, [10 << i for i in range(8)], lambda size: [10] * size)
        os.chdir("/")
    if growth.slow:
        sys.exit("more than %.1f times as long for twice the input: %s" % (LIMIT, ", ".join(growth.slow)))


if __name__ == "__main__":
    main(sys.argv[1:])
