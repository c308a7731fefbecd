#!/usr/bin/env python3
"""Pages of many sites in one run give the records that each site gives alone, in any order of the inputs.

usage: test_several.py THRESH THRESH_GEN
"""
import json
import os
import random
import subprocess
import sys
import tempfile

SITES, PAGES = 7, 45  # one site of each family, and more than 256 pages before the last one


def records(thresh, words, folder):
    """What each page gives."""
    wrap = os.environ.get("THRESH_WRAP", "").split()
    out = subprocess.run([*wrap, thresh, "-q", "-f", "pages", *words], cwd=folder, stdout=subprocess.PIPE, check=True).stdout
    return {row.pop("page"): row for row in map(json.loads, out.splitlines())}


def main(thresh, generator):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([generator, "--quiet", "--out", folder, "--kind", "detail", "--sites", str(SITES), "--pages", str(PAGES),
                        "--depth", "0", "--seed", "11"], check=True)
        sites = sorted(name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name)))
        files = [os.path.join(site, page) for site in sites for page in sorted(os.listdir(os.path.join(folder, site)))]
        alone = {}
        for site in sites:
            alone.update(records(thresh, [site], folder))
        shuffled = random.Random(5).sample(files, len(files))
        with open(os.path.join(folder, "list"), "w", encoding="utf-8") as file:
            file.write("\n".join(shuffled) + "\n")
        ways = {"folders": sites, "the folder": ["."], "files": files, "files in another order": shuffled,
                "a list": ["@list"], "one thread": [*reversed(sites), "-j1"]}
        for way, words in ways.items():
            together = {os.path.normpath(page): row for page, row in records(thresh, words, folder).items() if page.endswith(".html")}
            differ = sum(alone[page] != together.get(page) for page in alone)
            if differ or len(together) != len(alone):
                print(f"{way}: {differ} of {len(alone)} pages have other records than site by site")
                failed += 1
        print(f"{len(sites)} sites, {len(alone)} pages, {sum('record' in row for row in alone.values())} of them one record")
    return 1 if failed or len(alone) < SITES * PAGES or not any("record" in row for row in alone.values()) else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])))
