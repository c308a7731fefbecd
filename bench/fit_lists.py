#!/usr/bin/env python3
"""Fits the model that ranks the lists of a page, and writes its table.

usage: bench/fit_lists.py BUILD [--folds N] [--out FILE] [--models FOLDER]

Candidates and their evidence come from BUILD/bench/lists_candidates, on the pages of $THRESH_DATA (lists, mixed, versions)
and on made sites; each candidate is scored against the truth by $THRESH_TOOLS/score_lists.py.
"""
import argparse
import collections
import functools
import hashlib
import json
import os
import pickle
import random
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.path.join(os.path.dirname(ROOT), "shared")
# Made sites to fit on: other seeds than those of the benches. Each row: sites, and the dials turned.
MADE = [(60, []), (20, ["--records", "2"]), (20, ["--records", "3"]), (20, ["--attrs", "2"]), (20, ["--adverts", "0.5"]),
        (20, ["--noise", "0.6"]), (20, ["--optional", "0.5"])]
SEED = 1901


def tools():
    return os.environ.get("THRESH_TOOLS") or os.path.join(SHARED, "tools")


def data():
    return os.environ.get("THRESH_DATA") or os.path.join(ROOT, "build", "data")


sys.path.insert(0, tools())
import score_lists  # noqa: E402


def held(text, cells):
    """As score_lists.held, but as soon as too many cells are missing it is 0: what matters is whether it reaches SHARE."""
    missing, most = 0, (1 - score_lists.SHARE) * len(cells) + 1e-9
    for value in cells.values():
        if value not in text:
            missing += 1
            if missing > most:
                return 0.0
    return 1.0


score_lists.held = held
score_lists.norm = functools.lru_cache(1 << 20)(score_lists.norm)  # candidates share their texts


def read_truth(name, folder):
    """The truth of a set of pages; addresses of versions are left out: another scraper made them absolute."""
    rows = []
    with open(os.path.join(folder, "truth.jsonl"), encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if name == "versions":
                row["records"] = [{k: v for k, v in r.items() if "url" not in k} for r in row["records"]]
            rows.append(row)
    return rows


def make_sites(build, work):
    """Folders of made sites."""
    for number, (sites, dials) in enumerate(MADE):
        folder = os.path.join(work, "made", str(number))
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        if not os.path.isdir(folder):
            subprocess.run([os.path.join(build, "tests", "gen", "thresh-gen"), "--out", folder, "--quiet", "--seed",
                            str(SEED + number), "--sites", str(sites), "--pages", "1", *dials], check=True)
        yield "made", folder


def sets(build, work):
    """Name, folder and truth of each set."""
    for name in ("lists", "mixed", "versions"):
        folder = os.path.join(data(), name)
        if os.path.isdir(folder):
            yield name, folder, read_truth(name, folder)
    for name, folder in make_sites(build, work):
        rows = read_truth(name, folder)
        for row in rows:
            row["site"] = folder + row["site"]
        yield name, folder, rows


def candidates(build, folder, pages):
    """Regions and evidence by page."""
    evidence = os.path.join(build, "fit_lists.evidence")
    found, names = {}, []
    done = subprocess.run([os.path.join(build, "bench", "lists_candidates"), "--evidence", evidence, *pages], cwd=folder,
                          check=True, stdout=subprocess.PIPE, text=True)
    with open(evidence, encoding="utf-8") as file:
        for line, given in zip(done.stdout.splitlines(), file):
            row, given = json.loads(line), json.loads(given)
            found[row["page"]] = list(zip(row["regions"], given["evidence"]))
            names = given["names"]
    return found, names


def score(truth, region, cache):
    """tp, found, wanted, ctp, cfound, cwanted of a region."""
    key = hashlib.sha1(json.dumps([truth, region["records"]], sort_keys=True).encode()).digest()
    if key not in cache:
        s = score_lists.page_score(truth, [region], "first")
        cache[key] = tuple(s[k] for k in ("tp", "found", "wanted", "ctp", "cfound", "cwanted"))
    return cache[key]


def prepare(build):
    """A row per page: (set, site, page, names, evidence, scores)."""
    work = os.path.join(build, "fit_lists")
    os.makedirs(work, exist_ok=True)
    kept = os.path.join(work, "scores.pickle")
    cache = {}
    if os.path.exists(kept):
        with open(kept, "rb") as file:
            cache = pickle.load(file)
    rows, all_names = [], []
    for name, folder, truth in sets(build, work):
        found, names = candidates(build, folder, [row["page"] for row in truth])
        all_names = names or all_names
        for row in truth:
            here = found.get(row["page"], [])
            scores = [score(row["records"], region, cache) for region, _ in here]
            rows.append((name, row["site"], row["page"], [e for _, e in here], scores))
        with open(kept, "wb") as file:
            pickle.dump(cache, file)
    return all_names, rows


def main(argv):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    given = parser.parse_args(argv)
    names, rows = prepare(os.path.abspath(given.build))
    with open("/tmp/R/rows.pickle", "wb") as file:
        pickle.dump((names, rows), file)


if __name__ == "__main__":
    main(sys.argv[1:])
