#!/usr/bin/env python3
"""Fits the model that finds the link to the next page, and writes its table.

usage: bench/fit_next.py BUILD [--folds N] [--out FILE]

Candidates and their evidence come from BUILD/bench/next_candidates, on the pages of $THRESH_DATA/nextpage. A page is a
choice between the URLs that it links to and no next page; the weights make the right choice likely (softmax, hosts count
equally), and are drawn towards what is expected of them. Evidence for a next page may not count against it, nor the other way round, whatever a few
hosts teach. Prints what next_pages.py measures, on hosts that were held out of the fit (N folds, 10), and writes the
weights of all pages to FILE (src/site/next_weights.inc).
"""
import argparse
import hashlib
import json
import math
import os
import subprocess
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DECAY, ROUNDS, RATE = 0.03, 300, 0.1
# What is expected of the weights before any page was seen, and what they are drawn towards: forty hosts have few
# links that say "Next" and nothing else. Their signs are held.
EXPECTED = {"ONE": -3, "REL_LINK": 0.5, "REL_A": 3, "WORD": 3, "WORD_IN": 1.5, "OLDER": 1.5, "MORE": 0, "ARROW": 2,
            "FAR": 1, "LEFT": -2, "BACK": -2, "OTHER": -2.5, "CLASS_NEXT": 2, "CLASS_BACK": -1.5, "NUMBER": 1,
            "NUMBER_OTHER": -1, "PLUS": 1, "NEAREST": 0.5, "COUNTER": 0.5, "LOWER": -2, "SELF": -2, "PAGER": 1,
            "ASIDE": -2, "LONG": -1, "ELSEWHERE": -1, "MUTE": -2}


def data():
    return os.path.join(os.environ.get("THRESH_DATA") or os.path.join(ROOT, "build", "data"), "nextpage")


class Page:
    """A page with its candidates: hrefs and evidence of each; `right` has those that the truth names."""

    def __init__(self, row, found):
        self.name, self.url, self.truth = row["page"], row["url"], row["next"]
        self.host = urllib.parse.urlsplit(row["url"]).hostname
        self.hrefs = [target["hrefs"] for target in found["targets"]]
        self.evidence = [target["evidence"] for target in found["targets"]]
        self.right = [bool(set(hrefs) & set(self.truth)) for hrefs in self.hrefs]

    def chances(self, weights):
        """Of no next page, and of each candidate."""
        scores = [0.0] + [sum(w * x for w, x in zip(weights, row) if x) for row in self.evidence]
        most = max(scores)
        powers = [math.exp(score - most) for score in scores]
        total = sum(powers)
        return [power / total for power in powers]


def read_pages(build):
    """The evidence's names, and the pages."""
    with open(os.path.join(data(), "truth.jsonl"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    done = subprocess.run([os.path.join(build, "bench", "next_candidates")], cwd=data(), check=True, text=True,
                          input="".join("%s %s\n" % (row["page"], row["url"]) for row in rows), stdout=subprocess.PIPE)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return found[0]["names"], [Page(row, one) for row, one in zip(rows, found)]


def fit(names, pages):
    """Weights that make the truth of the pages likely: Adam, with the known signs held."""
    hosts = {}
    for page in pages:
        hosts[page.host] = hosts.get(page.host, 0) + 1
    expected = [float(EXPECTED[name]) for name in names]
    low = [0.0 if x >= 0 else -math.inf for x in expected]
    high = [0.0 if x < 0 else math.inf for x in expected]
    weights, m, v = list(expected), [0.0] * len(names), [0.0] * len(names)
    for t in range(1, ROUNDS + 1):
        gradient = [DECAY * (w - x) for w, x in zip(weights, expected)]
        for page in pages:
            share = 1 / hosts[page.host] / len(hosts)
            chances = page.chances(weights)
            wanted = [0.0] + [float(right) for right in page.right]
            if not any(wanted):
                if page.truth:
                    continue  # none of the candidates is right: nothing to learn
                wanted[0] = 1.0
            hit = sum(chance for chance, want in zip(chances, wanted) if want)
            for k, row in enumerate(page.evidence):
                target = chances[k + 1] / hit if wanted[k + 1] and hit > 0 else 0.0
                for e, x in enumerate(row):
                    if x:
                        gradient[e] += share * (chances[k + 1] - target) * x
        for e, g in enumerate(gradient):
            m[e], v[e] = 0.9 * m[e] + 0.1 * g, 0.999 * v[e] + 0.001 * g * g
            step = RATE * (m[e] / (1 - 0.9 ** t)) / (math.sqrt(v[e] / (1 - 0.999 ** t)) + 1e-8)
            weights[e] = min(max(weights[e] - step, low[e]), high[e])
    return weights


def choose(page, weights, least=0.5):
    """The href that is given for a page, or None."""
    chances = page.chances(weights)[1:]
    if not chances or max(chances) < least:
        return None
    return page.hrefs[chances.index(max(chances))][0]


def held_out(names, pages, folds):
    """(page, href or None), each chosen by weights of other hosts."""
    def fold(page):
        return int(hashlib.md5(page.host.encode()).hexdigest(), 16) % folds
    for number in range(folds):
        inside = [page for page in pages if fold(page) == number]
        if inside:
            weights = fit(names, [page for page in pages if fold(page) != number])
            for page in inside:
                yield page, choose(page, weights), page.chances(weights)


HEAD = """/*
 * next_weights.inc: the weights of the model that finds the link to the next page: see next.h.
 *
 * Made by bench/fit_next.py; do not edit. Fitted on %d pages of %d hosts.
 */
/* X(evidence, weight) */
#define TH__NEXT_WEIGHTS(X) \\
%s
"""


def main(argv):
    import next_pages
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--out", default=os.path.join(ROOT, "src", "site", "next_weights.inc"))
    given = parser.parse_args(argv)
    names, pages = read_pages(os.path.abspath(given.build))
    print("held out, %d folds by host: %s" % (given.folds, next_pages.measure(
        (page, href) for page, href, _ in held_out(names, pages, given.folds))))
    weights = fit(names, pages)
    print("fitted on all:              %s" % next_pages.measure((page, choose(page, weights)) for page in pages))
    for name, weight in zip(names, weights):
        print("    %-14s %6.2f" % (name, weight))
    with open(given.out, "w", encoding="utf-8") as file:
        file.write(HEAD % (len(pages), len({page.host for page in pages}), " \\\n".join(
            "    X(%s, %.2fF)" % pair for pair in zip(names, weights))))
    subprocess.run(["clang-format", "-i", given.out], check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
