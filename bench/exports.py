#!/usr/bin/env python3
"""Whether exports of wrappers give the records that the wrappers give.

usage: bench/exports.py THRESH DATA OUT [--sets lists,detail] [--targets css,xpath,parsel,scrapy,python]
                        [--sites NAME] [--engine paths] [--labelled 3] [--others]

DATA holds folders of pages with their truth: lists (several pages a site; wrappers are learnt without labels) and detail
(wrappers are learnt from the truth of the first pages, with eight more without labels). Each wrapper is exported to each
target, checked by Thresh on the pages that it was learnt from; here the export runs in an environment with parsel, Scrapy
and lxml, on the same pages. Printed for each set and target: wrappers that are identical, different and refused, fields
refused of all, seconds for an export; then the names of those that differ or are refused. --others runs exports on the
pages of each site that were not learnt from, and prints the share of them on which the records are the same.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
URL = "https://example.org/shop/list.html"  # of all pages, for both sides
TARGETS = ("css", "xpath", "parsel", "scrapy", "python")
WITHOUT_LABELS = 8


def enter_environment(folder):
    """Starts again with the python that has the packages."""
    if os.environ.get("THRESH_EXPORTS"):
        return
    made = subprocess.run([os.path.join(HERE, "..", "scripts", "venv"), folder, "export"], stdout=subprocess.PIPE, text=True,
                          check=False)
    if made.returncode:
        sys.exit(made.returncode)
    os.environ["THRESH_EXPORTS"] = "1"
    python = made.stdout.strip()
    os.execv(python, [python] + sys.argv)


# ---- exports

SELECTORS = os.path.join(HERE, "..", "examples", "exports", "selectors.py")


def load(path):
    namespace = {"__name__": "export"}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), namespace)  # our own program
    return namespace


def run_export(target, path, html):
    if target in ("css", "xpath"):
        with open(path, encoding="utf-8") as file:
            return list(load(SELECTORS)["records"](json.load(file), html, URL))
    names = load(path)
    if target == "scrapy":
        from scrapy.http import HtmlResponse
        response = HtmlResponse(URL, body=html.encode("utf-8"), encoding="utf-8")
        return [dict(one) for one in names["RecordsSpider"]().parse(response)]
    return list(names["records"](html, URL))


# ---- wrappers

def read_sites(folder, wanted):
    sites = collections.OrderedDict()
    with open(os.path.join(folder, "truth.jsonl"), encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if wanted in row["site"]:
                sites.setdefault(row["site"], []).append(row)
    return sites


def learn(args, kind, folder, site, rows):
    """(wrapper, its pages, the other pages); the wrapper is None where nothing was learnt."""
    wrapper = os.path.join(args.out, kind, site.replace("/", "_") + ".json")
    os.makedirs(os.path.dirname(wrapper), exist_ok=True)
    pages = [row["page"] for row in rows]
    command = [args.thresh, "learn", "-q", "-o", wrapper]
    if kind == "detail":
        labels = wrapper + ".labels.jsonl"
        with open(labels, "w", encoding="utf-8") as file:
            for row in rows[:args.labelled]:
                file.write(json.dumps({"page": row["page"], "records": row["records"]}) + "\n")
        command += ["--labels", labels] + (["--engine", args.engine] if args.engine else [])
        pages, others = pages[:args.labelled + WITHOUT_LABELS], pages[args.labelled + WITHOUT_LABELS:]
    else:
        others = []
    if os.path.exists(wrapper):
        os.remove(wrapper)
    subprocess.run(command + pages, cwd=folder, stderr=subprocess.DEVNULL, check=False)
    return (wrapper if os.path.exists(wrapper) else None), pages, others


def extract(args, folder, wrapper, page):
    done = subprocess.run([args.thresh, "extract", "-q", "-f", "ndjson", "--url", URL, "-w", wrapper, page], cwd=folder,
                          stdout=subprocess.PIPE, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def html_of(args, folder, page):
    """The page as the text that Thresh reads."""
    encoding = json.loads(subprocess.run([args.thresh, "show", "--info", "-f", "ndjson", page], cwd=folder, text=True,
                                         stdout=subprocess.PIPE, check=True).stdout)["encoding"]
    with open(os.path.join(folder, page), encoding=encoding, errors="replace", newline="") as file:
        return file.read().lstrip("\ufeff")


def compare(wanted, found):
    """None, or the first difference."""
    if len(wanted) != len(found):
        return f"{len(found)} records instead of {len(wanted)}"
    for number, (left, right) in enumerate(zip(wanted, found)):
        if left != right:
            for key in left:
                if left[key] != right.get(key, "(no such field)"):
                    return f"record {number + 1}, {key}: {right.get(key)!r} instead of {left[key]!r}"[:300]
            return f"record {number + 1}: other fields"
    return None


def judge(args, kind, folder, site, rows, tally):
    wrapper, pages, others = learn(args, kind, folder, site, rows)
    if not wrapper:
        print(f"{kind} {site}: nothing was learnt")
        return
    wanted = {page: extract(args, folder, wrapper, page) for page in pages}
    html = {page: html_of(args, folder, page) for page in pages}
    with open(wrapper, encoding="utf-8") as file:
        data = json.load(file)
    fields = len({name for records in wanted.values() for record in records for name in record})
    for target in args.targets:
        counts = tally[kind, target]
        path = f"{wrapper}.{target}.{'json' if target in ('css', 'xpath') else 'py'}"
        begun = time.time()
        with open(path, "w", encoding="utf-8") as file:
            done = subprocess.run([args.thresh, "show", "--as", target, "--url", URL, wrapper] + pages, cwd=folder,
                                  stdout=file, stderr=subprocess.PIPE, text=True, check=False)
        counts["seconds"] += time.time() - begun
        counts["wrappers"] += 1
        counts["fields"] += fields
        if done.returncode:
            counts["refused"] += 1
            counts["refused fields"] += fields if "the records cannot" in done.stderr else done.stderr.count("cannot be exported")
            print(f"{kind} {target} {site} ({data['engine']}): refused\n    " + done.stderr.strip().replace("\n", "\n    "))
            continue
        different = None
        for page in pages:
            try:
                different = compare(wanted[page], run_export(target, path, html[page]))
            except Exception as error:  # what a generated program does wrong is told, not raised
                different = f"{type(error).__name__}: {error}"
            if different:
                print(f"{kind} {target} {site} ({data['engine']}): DIFFERENT on {page}: {different}")
                break
        counts["different" if different else "identical"] += 1
        for page in others if args.others else []:
            counts["others"] += 1
            counts["others same"] += not compare(extract(args, folder, wrapper, page),
                                                 run_export(target, path, html_of(args, folder, page)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("thresh", type=os.path.abspath)
    parser.add_argument("data")
    parser.add_argument("out", type=os.path.abspath)
    parser.add_argument("--sets", default="lists,detail")
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--sites", default="")
    parser.add_argument("--engine", default="paths")
    parser.add_argument("--labelled", type=int, default=3)
    parser.add_argument("--others", action="store_true")
    args = parser.parse_args()
    args.targets = args.targets.split(",")
    os.makedirs(args.out, exist_ok=True)
    enter_environment(os.path.join(args.out, "venv"))
    tally = collections.defaultdict(collections.Counter)
    for kind in args.sets.split(","):
        folder = os.path.join(args.data, kind)
        for site, rows in read_sites(folder, args.sites).items():
            judge(args, kind, folder, site, rows, tally)
    print(f"{'set':8} {'target':8} {'wrappers':>8} {'identical':>9} {'different':>9} {'refused':>8} {'fields refused':>16} "
          f"{'s/export':>8} {'other pages same':>17}")
    for (kind, target), c in tally.items():
        others = f"{c['others same']} of {c['others']}" if c["others"] else ""
        print(f"{kind:8} {target:8} {c['wrappers']:8} {c['identical']:9} {c['different']:9} {c['refused']:8} "
              f"{c['refused fields']:6} of {c['fields']:6} {c['seconds'] / c['wrappers']:8.2f} {others:>17}")
    return any(c["different"] for c in tally.values())


if __name__ == "__main__":
    sys.exit(main())
