#!/usr/bin/env python3
"""Fits the model that ranks the lists of a page, and writes its table.

usage: bench/fit_lists.py BUILD [--folds N] [--out FILE]

Candidates and their evidence come from BUILD/bench/lists_candidates, on the pages of $THRESH_DATA (lists, mixed, versions),
on made sites and on the pages of tests/cases; each candidate is scored against the truth by score_lists.py.
The weights are such that softmax over the candidates of a page comes near to softmax of their F1; sites count equally,
whatever the number of their pages. Prints the F1 on sites that were held out of the fit (N folds, 5) and of the final
fit, and writes the weights to FILE (src/engine/lists/lists_weights.inc) and those of the folds to BUILD/fit_lists, for
bench/bench_answers.py --folds.
"""
import argparse
import collections
import hashlib
import json
import os
import pickle
import re
import subprocess
import sys

import score_lists

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.path.join(os.path.dirname(ROOT), "shared")
# Made sites to fit on: other seeds than those of the benches. Each row: sites, and the dials turned.
MADE = [(60, []), (20, ["--records", "2"]), (20, ["--records", "3"]), (20, ["--attrs", "2"]), (20, ["--adverts", "0.5"]),
        (20, ["--noise", "0.6"]), (20, ["--optional", "0.5"])]
SEED = 1901
CASES = ["lists", "found", "sections", "ranked"]  # of tests/cases


def data():
    return os.environ.get("THRESH_DATA") or os.path.join(ROOT, "build", "data")


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


def case_pages(work):
    """The pages of the case files for lists without labels, and their truth."""
    folder, rows = os.path.join(work, "cases"), []
    os.makedirs(folder, exist_ok=True)
    for name in CASES:
        with open(os.path.join(ROOT, "tests", "cases", name + ".case"), encoding="utf-8") as file:
            cases = re.split(r"^== ", file.read(), flags=re.M)[1:]
        for number, case in enumerate(cases):
            parts = re.split(r"^-- (.*)\n", case, flags=re.M)
            parts = dict(zip(parts[1::2], parts[2::2]))
            records = [json.loads(line) for line in parts.get("records a", "").splitlines() if line.startswith("{")]
            if set(parts) != {"page a", "records a"} or not records:
                continue
            page = "%s-%d.html" % (name, number)
            with open(os.path.join(folder, page), "w", encoding="utf-8") as file:
                file.write(parts["page a"])
            rows.append({"page": page, "site": page, "records": [
                {k: score_lists.leaves(v) for k, v in record.items() if score_lists.leaves(v)} for record in records]})
    return "cases", folder, rows


def sets(build, work):
    """Name, folder and truth of each set."""
    for name in ("lists", "mixed", "versions"):
        folder = os.path.join(data(), name)
        if os.path.isdir(folder):
            yield name, folder, read_truth(name, folder)
    yield case_pages(work)
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


# ---- the model -------------------------------------------------------------------------------------------------------

# What each set counts; its sites share that, and their pages share the site's.
WEIGHTS = {"lists": 1.0, "mixed": 1.0, "versions": 0.6, "made": 0.5, "cases": 0.5}
SHARP = 10.0  # a candidate whose F1 is 0.1 better is to be exp(1) times as likely
DECAY = 5e-3  # of weights, in units of a standard deviation of their evidence
ROUNDS, RATE = 400, 0.05
# What is known of the sign of a weight: without it a hundred sites teach that forms and empty records are good.
POSITIVE = "tells count link linked date price number heading like fields data_row cover main".split()
NEGATIVE = "few link_text control many uneven self gap aside aside_tag hidden hidden_some".split()


def with_numpy(build):
    """numpy; if it is missing, the script starts again in a virtual environment below the build folder."""
    try:
        import numpy
        return numpy
    except ImportError:
        folder = os.path.join(build, "fit_lists", "venv")
        python = os.path.join(folder, "bin", "python")
        if os.path.abspath(sys.prefix) == folder:
            raise
        if not os.path.exists(python):
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "numpy"], check=True)
        os.execv(python, [python, *sys.argv])


def f1(score):
    return 2 * score[0] / (score[1] + score[2]) if score[1] + score[2] else 0.0


class Pages:
    """Candidates of all pages, page after page."""

    def __init__(self, np, names, rows):
        self.np, self.names = np, names
        self.rows = [row for row in rows if row[4]]
        self.start = np.cumsum([0] + [len(row[4]) for row in self.rows])
        self.x = np.array([e for row in self.rows for e in row[3]], dtype=float)
        self.y = np.array([f1(s) for row in self.rows for s in row[4]])
        self.mean, self.spread = self.x.mean(0), self.x.std(0) + 1e-6
        self.site = [row[0] + "/" + row[1] for row in self.rows]
        pages, sites = collections.Counter(self.site), collections.defaultdict(set)
        for row, site in zip(self.rows, self.site):
            sites[row[0]].add(site)
        self.weight = np.array([WEIGHTS[row[0]] / len(sites[row[0]]) / pages[site]
                                for row, site in zip(self.rows, self.site)])

    def fit(self, wanted):
        """Weights by listwise softmax on the wanted pages: minimizes the cross entropy against softmax(SHARP * F1)."""
        np = self.np
        chosen = [i for i in range(len(self.rows)) if wanted(self.site[i])
                  and self.y[self.start[i]:self.start[i + 1]].max() > 0.3]
        take = np.concatenate([np.arange(self.start[i], self.start[i + 1]) for i in chosen])
        sizes = np.array([self.start[i + 1] - self.start[i] for i in chosen])
        first = np.cumsum(sizes) - sizes
        a, weight = (self.x[take] - self.mean) / self.spread, self.weight[chosen]

        def softmax(z):
            e = np.exp(z - np.repeat(np.maximum.reduceat(z, first), sizes))
            return e / np.repeat(np.add.reduceat(e, first), sizes)

        target, share = softmax(SHARP * self.y[take]), np.repeat(weight / weight.sum(), sizes)
        w = np.zeros(a.shape[1])
        low = np.array([0 if name in POSITIVE else -np.inf for name in self.names])
        high = np.array([0 if name in NEGATIVE else np.inf for name in self.names])
        m, v = np.zeros_like(w), np.zeros_like(w)
        for t in range(1, ROUNDS + 1):  # Adam
            gradient = a.T @ ((softmax(a @ w) - target) * share) + DECAY * w
            m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient * gradient
            w = np.clip(w - RATE * (m / (1 - 0.9 ** t)) / (np.sqrt(v / (1 - 0.999 ** t)) + 1e-8), low, high)
        return w / self.spread

    def first(self, scores):
        """The score of the first candidate of each page."""
        for i, row in enumerate(self.rows):
            at = int(self.np.argmax(scores[self.start[i]:self.start[i + 1]]))
            yield row[0], self.site[i], row[4][at], max(row[4], key=f1)


def summary(pages, scores):
    """A line per set: record F1, by site; first, and best of all candidates."""
    for name in WEIGHTS:
        text = []
        for pick in (2, 3):
            sites = collections.defaultdict(lambda: [0] * 6)
            for row in pages.first(scores):
                if row[0] == name:
                    sites[row[1]] = [a + b for a, b in zip(sites[row[1]], row[pick])]
            if sites:
                text.append("%.4f by site %.4f" % (f1([sum(c) for c in zip(*sites.values())]),
                                                  sum(map(f1, sites.values())) / len(sites)))
        if text:
            print("    %-9s first %s, best %s" % (name, text[0], text[1]))


def fold_of(site, folds):
    return int(hashlib.md5(site.encode()).hexdigest(), 16) % folds


def confidence(pages, scores):
    """How the scores tell the main list: see find_confidence in regions.c."""
    np = pages.np
    d, right, weight, firsts = [], [], [], []
    for i in range(len(pages.rows)):
        z, y = scores[pages.start[i]:pages.start[i + 1]], pages.y[pages.start[i]:pages.start[i + 1]]
        if pages.rows[i][0] in ("made", "cases"):
            continue
        order = np.argsort(-z)[:10]
        if y[order[0]] >= 0.8:
            firsts.append(z[order[0]])
        for k, at in enumerate(order if len(order) > 1 else []):
            d.append(z[at] - z[order[0 if k else 1]])
            right.append(y[at] >= 0.8)
            weight.append(pages.weight[i])
    a = np.stack([np.ones(len(d)), np.array(d)], 1)
    right, weight = np.array(right, dtype=float), np.array(weight) / sum(weight)
    w = np.zeros(2)
    for _ in range(50):  # Newton
        p = 1 / (1 + np.exp(-a @ w))
        w += np.linalg.solve((a * (p * (1 - p) * weight)[:, None]).T @ a + 1e-6 * np.eye(2),
                             a.T @ ((right - p) * weight))
    p = 1 / (1 + np.exp(-a @ w))
    for low, high in ((0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.01)):
        some = (p >= low) & (p < high)
        if some.any():
            print("    confidence %.1f to %.1f: %d lists, %.3f right" % (low, min(high, 1), some.sum(), right[some].mean()))
    return w[0], w[1], float(np.percentile(firsts, 1))


HEAD = """/*
 * lists_weights.inc: the weights of the model that ranks lists: see lists_model.h.
 *
 * Made by bench/fit_lists.py; do not edit. Fitted on %d pages of %d sites.
 */
/* X(evidence, weight) */
#define TH__LISTS_WEIGHTS(X) \\
%s

/* Bias, slope and least of th__confidence. */
#define TH__LISTS_CONFIDENCE {%.3g, %.3g, %.3g}
"""


def write_header(path, pages, w, sure):
    lines = ["    X(%s, %.4gF)" % pair for pair in zip(pages.names, w)]
    lines = [line.replace("X(%s, %sF)" % (name, "%.4g" % x), "X(%s, %sF)" % (name, number(x)))
             for line, name, x in zip(lines, pages.names, w)]
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD % (len(pages.rows), len(set(pages.site)), " \\\n".join(lines), *sure))
    subprocess.run(["clang-format", "-i", path], check=False)


def number(x):
    text = "%.4g" % x
    return text if "." in text or "e" in text else text + ".0"


def write_model(path, names, w):
    with open(path, "w", encoding="utf-8") as file:
        for pair in zip(names, w):
            file.write("%s %.6g\n" % pair)


def main(argv):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--out", default=os.path.join(ROOT, "src", "engine", "lists", "lists_weights.inc"))
    given = parser.parse_args(argv)
    build = os.path.abspath(given.build)
    np = with_numpy(build)
    pages = Pages(np, *prepare(build))
    print("%d pages, %d candidates, %d numbers each" % (len(pages.rows), len(pages.y), len(pages.names)))
    scores = np.zeros(len(pages.y))
    folds = np.repeat([fold_of(site, given.folds) for site in pages.site], np.diff(pages.start))
    for fold in range(given.folds):
        w = pages.fit(lambda site, fold=fold: fold_of(site, given.folds) != fold)
        write_model(os.path.join(build, "fit_lists", "fold-%d.model" % fold), pages.names, w)
        scores[folds == fold] = pages.x[folds == fold] @ w
    print("held out, %d folds by site:" % given.folds)
    summary(pages, scores)
    bias, slope, least = confidence(pages, scores)
    w = pages.fit(lambda site: True)
    print("fitted on all:")
    summary(pages, pages.x @ w)
    for at in np.argsort(-np.abs(w * pages.spread)):
        print("    %-14s %8.4f  %6.2f in standard deviations" % (pages.names[at], w[at], w[at] * pages.spread[at]))
    w[pages.names.index("one")] = -least
    write_header(given.out, pages, w, (bias, slope, 0.5))


if __name__ == "__main__":
    main(sys.argv[1:])
