#!/usr/bin/env python3
"""How often the clusters of a mixed folder are the sites that its pages are of.

usage: bench/clusters.py THRESH [PAGES] [--draws N] [--sites K] [--pages M] [--seed S] [--error]
       bench/clusters.py THRESH --pairs PAGES PAGES

PAGES holds folders of pages, one a site, at any depth. N times (200), K sites (5) are drawn and M pages of each (all
of them), the pages are shuffled and handed to `thresh clusters`. A draw is right when the clusters are the sites and no
page is an outlier. With --error a short error page stands among them, and must be the one outlier. Without PAGES the
detail pages below $THRESH_DATA are taken; where it is not set there is nothing to measure (exit code 77).

--pairs mixes the pages of each folder of the one with those of the folder of that name in the other, two templates of
one site, and tells how many are parted, and how many of the folders alone stay whole.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

ERROR = """<!DOCTYPE html><html><head><title>404 Not Found</title></head><body><h1>Not Found</h1>
<p>The requested page was not found on this server.</p><hr><address>Web server</address></body></html>
"""


def number(argv, name, default):
    return int(argv[argv.index(name) + 1]) if name in argv else default


def sites_below(folder):
    for root, _, files in sorted(os.walk(folder)):
        pages = [os.path.abspath(os.path.join(root, name)) for name in sorted(files) if name.endswith((".htm", ".html"))]
        if pages:
            yield pages


def clusters_of(thresh, pages):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.write("\n".join(pages) + "\n")
        names.flush()
        done = subprocess.run([thresh, "clusters", "-q", "-f", "ndjson", "@" + names.name],
                              stdout=subprocess.PIPE, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return ({frozenset(row["pages"]) for row in rows if row["cluster"]},
            [page for row in rows if not row["cluster"] for page in row["pages"]])


def pairs(thresh, first, second):
    parted = whole = wrong = alone = count = 0
    other = {os.path.basename(os.path.dirname(pages[0])): pages for pages in sites_below(second)}
    for pages in sites_below(first):
        mates = other.get(os.path.basename(os.path.dirname(pages[0])))
        if not mates:
            continue
        count += 1
        found, outliers = clusters_of(thresh, pages + mates)
        if found == {frozenset(pages), frozenset(mates)} and not outliers:
            parted += 1
        elif len(found) == 1 and not outliers:
            whole += 1
        else:
            wrong += 1
        alone += sum(clusters_of(thresh, some) == ({frozenset(some)}, []) for some in (pages, mates))
    print(f"{count} pairs: {parted} parted, {whole} taken for one template, {wrong} parted in another way; "
          f"of {2 * count} folders alone {alone} stay whole")


def main(argv):
    if "--pairs" in argv:
        return pairs(argv[0], *argv[argv.index("--pairs") + 1:])
    words = [word for i, word in enumerate(argv) if not word.startswith("--") and
             (i == 0 or argv[i - 1] not in ("--draws", "--sites", "--pages", "--seed"))]
    if len(words) == 1:
        if not os.environ.get("THRESH_DATA"):
            print("THRESH_DATA is not set: no real pages")
            sys.exit(77)
        words.append(os.path.join(os.environ["THRESH_DATA"], "detail"))
    if len(words) != 2:
        sys.exit(__doc__)
    thresh, folder = words
    draws, size = number(argv, "--draws", 200), number(argv, "--sites", 5)
    most, chance = number(argv, "--pages", 0), random.Random(number(argv, "--seed", 1))
    sites, right = list(sites_below(folder)), 0
    with tempfile.NamedTemporaryFile("w", suffix=".html") as error:
        error.write(ERROR)
        error.flush()
        for _ in range(draws):
            chosen = [chance.sample(pages, min(most or len(pages), len(pages)))
                      for pages in chance.sample(sites, size)]
            stray = [error.name] if "--error" in argv else []
            pages = [page for site in chosen for page in site] + stray
            chance.shuffle(pages)
            found, outliers = clusters_of(thresh, pages)
            fine = found == {frozenset(site) for site in chosen} and outliers == stray
            right += fine
            if not fine:
                names = " ".join("/".join(site[0].split("/")[-3:-1]) for site in chosen)
                print(f"not right: {names}: {len(found)} clusters of {sorted(map(len, found))} pages, "
                      f"{len(outliers)} outliers")
    print(f"{right} of {draws} draws of {size} sites are right")
    sys.exit(right != draws)


if __name__ == "__main__":
    main(sys.argv[1:])
