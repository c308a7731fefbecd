#!/usr/bin/env python3
"""Nested lists: how many generated sites come out perfect after five labelled pages?

usage: nested.py THRESH THRESH-GEN [--seeds A,B,...] [--sites N] [--engines front,stalker] [--how asked,first,showing]
                 [--only SITE] [--dials "..."] [--leave-out SHARE] [-v]

Makes N sites a seed, all families in turn: one record a page, lists two deep, optional fields, fields that change
places, the generator's other dials as they are. Each site has 20 pages, all of which are given to `thresh learn`; five
of them have labels:

  asked    the first page, then four that `thresh suggest` names, asked with a stalker wrapper of the labels so far (the
           next page where it names none): what a user does
  first    the first five
  showing  five that between them show every field and every list empty, with one item and with several, as far as
           five pages can

With --leave-out that share of a site's fields, nested ones among them, is neither labelled nor asked for: text that
varies from page to page stands between the values.

A site is perfect when all 20 pages come out as they are, nested: every value, every item, nothing else. `front` is
learning without an engine named. With -v every value that is wrong is shown with what stands around it.
"""
import argparse
import collections
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

LABELS = 5
DIALS = "--kind detail --pages 20 --attrs 8..14 --depth 2 --permute 0.2"


def clean(value):
    """What counts: nulls, empty lists and objects of nothing are nothing."""
    if isinstance(value, dict):
        kept = {k: clean(v) for k, v in value.items()}
        return {k: v for k, v in kept.items() if v not in (None, [], {})} or None
    if isinstance(value, list):
        return [v for v in map(clean, value) if v is not None]
    return value


def shapes(value, path="", out=None):
    """What a record shows: its fields, and how many items its lists have (none, one, more)."""
    out = set() if out is None else out
    if isinstance(value, dict):
        for key, member in value.items():
            shapes(member, path + "." + key, out)
    elif isinstance(value, list):
        out.add("%s#%d" % (path, min(len(value), 2)))
        for item in value:
            shapes(item, path + "[]", out)
    elif value is not None:
        out.add(path)
    return out


def left_out(site, share, path):
    """Whether a field is one of those that nobody asks for; always the same ones."""
    digest = hashlib.sha256(("%s %s" % (site, path)).encode()).digest()
    return digest[0] / 256 < share


def without(site, share, value, path=""):
    """A record without such fields; items and lists stay, though they may be empty."""
    if isinstance(value, dict) and not ("start" in value and "end" in value):
        kept = {k: without(site, share, v, path + "." + k) for k, v in value.items()
                if isinstance(v, (list, dict)) and not ("start" in v and "end" in v) or not left_out(site, share, path + "." + k)}
        return {k: v for k, v in kept.items() if v not in ([], {})}
    if isinstance(value, list):
        if value and not isinstance(value[0], (list, dict)) or value and "start" in value[0]:
            return [] if left_out(site, share, path) else value
        return [item for item in (without(site, share, item, path) for item in value) if item != {}]
    return value


def differences(true, got, path=""):
    """Where two values differ."""
    if isinstance(true, dict) and isinstance(got, dict):
        for key in sorted(set(true) | set(got)):
            yield from differences(true.get(key), got.get(key), path + "." + key)
    elif isinstance(true, list) and isinstance(got, list) and len(true) == len(got):
        for n, (a, b) in enumerate(zip(true, got)):
            yield from differences(a, b, "%s[%d]" % (path, n))
    elif true != got:
        yield path, true, got


class Site:
    def __init__(self, thresh, folder, engine, name, rows, labels, paper=False):
        self.thresh, self.folder, self.engine, self.name = thresh, folder, engine, name
        self.paper = ["--paper"] * paper
        self.pages = [row["page"] for row in rows]
        self.true = {row["page"]: [clean(r) for r in row["data"]] for row in rows}
        self.spans = {row["page"]: row["spans"]["values"] for row in rows}
        self.labels = labels

    def run(self, *args):
        done = subprocess.run([self.thresh, *args], cwd=self.folder, capture_output=True, text=True)
        if done.returncode and not (args[0] == "learn" and os.path.getsize(args[args.index("-o") + 1])):
            sys.exit("%s: thresh %s: %s" % (self.name, " ".join(args), done.stderr))
        return done.stdout

    def learn(self, labelled, wrapper, engine=None):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as labels:
            labels.writelines(self.labels[page] for page in labelled)
            labels.flush()
            named = engine or self.engine
            self.run("learn", "-q", *([] if named == "front" else ["--engine", named]), *self.paper, "--labels", labels.name, "-o", wrapper, *self.pages)

    def wrong(self, wrapper):
        """The pages that do not come out as they are, with what comes out."""
        rows = [json.loads(line) for line in self.run("extract", "-q", "-w", wrapper, "-f", "pages", *self.pages).splitlines()]
        found = {row["page"]: row["records"] if "records" in row else [row.get("record")] for row in rows}
        got = {page: [r for r in map(clean, found.get(page, [])) if r] for page in self.pages}
        return {page: got[page] for page in self.pages if got[page] != self.true[page]}

    def next_asked(self, labelled, wrapper):
        left = [page for page in self.pages if page not in labelled]
        line = self.run("suggest", "-q", "-w", wrapper, "-f", "ndjson", "--most", "1", *left).split("\n")[0]
        return json.loads(line)["page"] if line else left[0]

    def next_showing(self, labelled):
        seen = set().union(*(shapes(self.true[page]) for page in labelled)) if labelled else set()
        left = [page for page in self.pages if page not in labelled]
        return max(left, key=lambda page: (len(shapes(self.true[page]) - seen), -self.pages.index(page)))

    def trial(self, how, verbose):
        """Whether all is right after five labelled pages."""
        labelled = []
        with tempfile.NamedTemporaryFile(suffix=".json") as wrapper:
            while len(labelled) < LABELS:
                if how == "showing":
                    labelled.append(self.next_showing(labelled))
                elif how == "first" or not labelled:
                    labelled.append(self.pages[len(labelled)])
                else:
                    self.learn(labelled, wrapper.name, "stalker")
                    labelled.append(self.next_asked(labelled, wrapper.name))
            self.learn(labelled, wrapper.name)
            wrong = self.wrong(wrapper.name)
        if verbose and wrong:
            self.show(how, labelled, wrong)
        return not wrong, len(wrong)

    def show(self, how, labelled, wrong):
        print("%s, %s: %d pages wrong; labelled %s" % (
            self.name, how, len(wrong), " ".join(str(self.pages.index(page)) for page in labelled)))
        shown = set().union(*(shapes(self.true[page]) for page in labelled))
        for page, got in wrong.items():
            text = open(os.path.join(self.folder, page), "rb").read()
            for path, a, b in differences(self.true[page], got):
                bare = re.sub(r"\[\d+\]", "[]", path)
                new = "" if bare in shown or not isinstance(a, str) else " (on no labelled page)"
                print("  %s %s%s\n    true %s\n    got  %s" % (
                    page, path, new, json.dumps(a, ensure_ascii=False), json.dumps(b, ensure_ascii=False)))
                spans = [v for v in self.spans[page] if isinstance(a, str) and v[4] == a]
                for _, _, start, end, _ in spans[:1]:
                    around = text[max(0, start - 90):end + 60].decode("utf-8", "replace")
                    print("    in   %s" % re.sub(r"\s+", " ", around))


def read_sites(folder, share=0):
    sites, labels, site_of = collections.defaultdict(list), {}, {}
    with open(os.path.join(folder, "truth.jsonl"), encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if share:
                row["data"] = [without(row["site"], share, record) for record in row["data"]]
            site_of[row["page"]] = row["site"]
            sites[row["site"]].append(row)
    with open(os.path.join(folder, "labels.jsonl"), encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if share:
                row["records"] = [without(site_of[row["page"]], share, record) for record in row["records"]]
            labels[row["page"]] = json.dumps(row) + "\n" if share else line
    return sites, labels


def main():
    args = argparse.ArgumentParser(usage=__doc__)
    args.add_argument("thresh")
    args.add_argument("generator")
    args.add_argument("--seeds", default="3111")
    args.add_argument("--sites", type=int, default=56)
    args.add_argument("--engines", default="front,stalker")
    args.add_argument("--how", default="asked,first,showing")
    args.add_argument("--only", default="", help="sites whose name begins with this")
    args.add_argument("--dials", default=DIALS)
    args.add_argument("--leave-out", type=float, default=0, help="share of the fields that nobody asks for")
    args.add_argument("--paper", action="store_true")
    args.add_argument("-v", action="store_true", dest="verbose")
    args = args.parse_args()
    ways = [(e, h) for e in args.engines.split(",") for h in args.how.split(",")]
    perfect = {way: collections.Counter() for way in ways}
    pages, tried = collections.Counter(), collections.Counter()
    for seed in args.seeds.split(","):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([args.generator, "--out", folder, "--seed", seed, "--sites", str(args.sites),
                            *args.dials.split()], check=True, capture_output=True)
            sites, labels = read_sites(folder, args.leave_out)
            for name in sorted(n for n in sites if n.startswith(args.only)):
                family = name.rsplit("-", 1)[0]
                tried[family] += 1
                for way in ways:
                    site = Site(os.path.abspath(args.thresh), folder, way[0], name, sites[name], labels, args.paper)
                    right, wrong = site.trial(way[1], args.verbose)
                    perfect[way][family] += right
                    pages[way] += len(site.pages) - wrong
    total, count = sum(tried.values()), sum(tried.values()) * 20
    for way in ways:
        print("%s, %s: " % way + ", ".join("%s %d of %d" % (f, perfect[way][f], tried[f]) for f in sorted(tried)))
        right = sum(perfect[way].values())
        print("  perfect sites: %d of %d (%.0f%%); pages that are all right: %d of %d (%.1f%%)" % (
            right, total, 100 * right / total, pages[way], count, 100 * pages[way] / count), flush=True)


if __name__ == "__main__":
    main()
