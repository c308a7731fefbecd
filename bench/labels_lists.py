#!/usr/bin/env python3
"""How well a wrapper does that was learnt from two labelled records of a list page.

usage: bench/labels_lists.py THRESH LISTS OUT [--records N] [--sites NAME]

LISTS holds TOPIC/SITE/1.htm, 2.htm, ... and truth.jsonl, one line a page: {"page":, "site":, "records": [{column:
[value, ...]}]}. Of each site the first N (2) records of its first page are given as labels, its other pages without,
and the wrapper runs on all of them. A labelled value that is not on the page as written is left out. Written, for a
scorer of lists:

    OUT/truth.jsonl    the truth of the pages
    OUT/found.jsonl    what the wrappers gave: {"page":, "regions": [{"records": [...]}]}
"""
import argparse
import json
import os
import re
import subprocess
import sys

MISSING = re.compile(r"of records\[(\d+)\]\.(\w+)(\[\d+\])? is not on the page")


def learn(args, labels, wrapper, page, records, pages):
    """Learns, leaving out what is not on the page. What was told; None when all is well."""
    while True:
        if os.path.exists(wrapper):
            os.remove(wrapper)
        with open(labels, "w", encoding="utf-8") as file:
            file.write(json.dumps({"page": page, "records": records}) + "\n")
        done = subprocess.run([args.thresh, "learn", "-q", "--labels", labels, "-o", wrapper] + pages,
                              cwd=args.lists, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        missing = MISSING.search(done.stderr)
        if os.path.exists(wrapper) or not missing:  # status 1 where it does not give all that is labelled
            return None if os.path.exists(wrapper) else done.stderr
        del records[int(missing.group(1))][missing.group(2)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("thresh")
    parser.add_argument("lists")
    parser.add_argument("out")
    parser.add_argument("--records", type=int, default=2)
    parser.add_argument("--sites", default="")
    args = parser.parse_args()
    args.thresh, args.out = os.path.abspath(args.thresh), os.path.abspath(args.out)
    os.makedirs(args.out, exist_ok=True)
    sites = {}
    with open(os.path.join(args.lists, "truth.jsonl"), encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if args.sites in row["site"]:
                sites.setdefault(row["site"], []).append((row["page"], row["records"], line))
    with open(os.path.join(args.out, "truth.jsonl"), "w", encoding="utf-8") as truth, \
            open(os.path.join(args.out, "found.jsonl"), "w", encoding="utf-8") as found:
        for site, rows in sorted(sites.items()):
            rows.sort()
            truth.writelines(line for _, _, line in rows)
            name = os.path.join(args.out, site.replace("/", "_"))
            records = [{key: value for key, value in record.items() if not key.startswith("_")}
                       for record in rows[0][1][:args.records]]
            pages = [page for page, _, _ in rows]
            wrong = learn(args, name + ".jsonl", name + ".json", pages[0], records, pages)
            if wrong:
                print(f"{site}: {wrong.strip()}", file=sys.stderr)
                continue
            out = subprocess.run([args.thresh, "extract", "-q", "-f", "pages", "-w", name + ".json"] + pages,
                                 cwd=args.lists, stdout=subprocess.PIPE, text=True, check=False).stdout
            for line in out.splitlines():
                row = json.loads(line)
                found.write(json.dumps({"page": row["page"], "regions": [{"records": row["records"]}]}) + "\n")


if __name__ == "__main__":
    main()
