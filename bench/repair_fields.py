#!/usr/bin/env python3
"""What becomes of a field whose own element changes, on real pages of one record.

usage: bench/repair_fields.py THRESH DETAIL [-v] [-e ENGINE] [-c font,div,move] [-s SITE] [-k FOLDER] [-p MOD] [--paper]

DETAIL has truth.jsonl, one line per page: {"page":, "site":, "records": [{attribute:
[value, ...]}]}. A wrapper is learnt from the first 8 pages of a site with their truth as labels (-e names an engine). On the
next 12 pages the element of ONE field is changed, the innermost one that holds the value and nothing else:

font   it becomes <font class="zz">
div    it becomes <div>
move   it goes out of its parent, before the block before that: the element before the parent, or before the nearest
       ancestor that has one. Nothing else of the page changes: a caption stays where it was.

A value without an element of its own (`<li><b>Price:</b> 20</li>`) is put into a new one. What the wrapper gives on the
unchanged pages is the reference, if its F1 by the truth is at least 0.9 there; other fields are left out, as are those whose
values are found in the source of fewer than three pages. A change that leaves the wrapper right (F1 0.9 of the reference)
harms nothing: "unharmed". Of the others:

noticed     `thresh verify` or `thresh repair` names the field as drifting, repaired or lost
right       the repaired wrapper is offered, and the field's F1 by the reference is at least 0.9
wrong       it is offered, and more than one in ten of the field's values is another one
not found   anything else: nothing is offered, or too little is found
harmed      it is offered, and another field has lost a value that the old wrapper gives on the changed pages

--paper learns, verifies and repairs as published (with -e stalker). -v names every case that is not right; -k keeps pages and wrappers; -s takes the sites whose name contains SITE; -p takes
sites by their number: "0/2" takes every second one from the first.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

import score_lists

LEARNT, CHANGED = 8, 12
LEAST_PAGES = 3
RIGHT, WRONG = 0.9, 0.1
EDITS = ("font", "div", "move")
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
RAW = ("script", "style", "textarea", "title", "xmp", "noscript")
# Comments, declarations, raw elements and tags of a page, as bytes.
TAGS = re.compile(rb"<!--.*?-->|<(script|style|textarea|title)\b[^>]*>.*?</\1\s*>|<(/?)([a-zA-Z][^\s/>]*)"
                  rb"((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>|<[!?][^>]*>", re.S | re.I)


class Element:
    def __init__(self, tag, open_start, open_end, parent):
        self.tag, self.parent, self.children = tag, parent, []
        self.open_start, self.open_end = open_start, open_end
        self.close_start = self.close_end = None


def elements(source):
    """The elements of a page, with the places of their tags: a root that holds all of it."""
    root = Element("", 0, 0, None)
    stack = [root]

    def close(until, start, end):
        while len(stack) > until:
            own = stack.pop()
            own.close_start, own.close_end = start, end if len(stack) == until else start

    for match in TAGS.finditer(source):
        name = match.group(3)
        if name is None:
            continue
        tag = name.decode("latin-1").lower()
        if match.group(2):
            at = next((i for i in range(len(stack) - 1, 0, -1) if stack[i].tag == tag), None)
            if at is not None:
                close(at, match.start(), match.end())
        else:
            same = {"li": ("li",), "tr": ("tr",), "td": ("td", "th"), "th": ("td", "th"), "p": ("p",),
                    "dt": ("dt", "dd"), "dd": ("dt", "dd"), "option": ("option",)}.get(tag, ())
            if stack[-1].tag in same:
                close(len(stack) - 1, match.start(), match.start())
            own = Element(tag, match.start(), match.end(), stack[-1])
            stack[-1].children.append(own)
            if tag in VOID or match.group(4).rstrip().endswith(b"/"):
                own.close_start = own.close_end = match.end()
            else:
                stack.append(own)
    close(0, len(source), len(source))
    return root


def innermost(root, start, end):
    at = root
    while True:
        inner = next((c for c in at.children if c.open_end <= start and end <= c.close_start and
                      c.close_start > c.open_end), None)
        if inner is None:
            return at
        at = inner


def has_text(source, start, end):
    return bool(re.sub(rb"<[^>]*>|&nbsp;|\s", b"", source[start:end]))


def place_of(source, root, start, end):
    """(outer start, inner start, inner end, outer end, element or None) of a value's own element, and what is around it."""
    own = innermost(root, start, end)
    if own is root:
        return None
    if own.close_end > own.close_start and not has_text(source, own.open_end, start) and \
            not has_text(source, end, own.close_start) and own.tag not in ("body", "html", "title") + RAW:
        return own.open_start, own.open_end, own.close_start, own.close_end, own.parent
    return start, start, end, end, own


def block_before(source, parent):
    """Where the block before a parent begins, or None."""
    at = parent
    while at is not None and at.parent is not None and at.tag not in ("body", "html"):
        before = [c for c in at.parent.children if c.close_end <= at.open_start and c.tag not in VOID and
                  has_text(source, c.open_end, c.close_start)]
        if before:
            return before[-1].open_start
        at = at.parent
    return None


def edit(source, spans, how):
    """The page with the elements of the values at spans changed, or None."""
    root = elements(source)
    changes = []
    for start, end in spans:
        place = place_of(source, root, start, end)
        if place is None:
            return None
        out_from, in_from, in_to, out_to, parent = place
        inner = source[in_from:in_to]
        if how == "move":
            to = block_before(source, parent)
            if to is None:
                return None
            whole = source[out_from:out_to] if out_from < in_from else b"<span>" + inner + b"</span>"
            changes += [(out_from, out_to, b""), (to, to, whole)]
        else:
            tags = {"font": (b'<font class="zz">', b"</font>"), "div": (b"<div>", b"</div>")}[how]
            changes.append((out_from, out_to, tags[0] + inner + tags[1]))
    changes.sort(key=lambda c: (c[0], c[1]))
    out, at = [], 0
    for start, end, text in changes:
        if start < at:
            return None  # values inside of each other's elements
        out += [source[at:start], text]
        at = end
    return b"".join(out + [source[at:]])


def leaves(value, path="", out=None):
    """{path: [(text, span)]} of a record with spans."""
    out = collections.defaultdict(list) if out is None else out
    if isinstance(value, dict) and set(value) >= {"value", "start", "end"}:
        out[path].append((value["value"], (value["start"], value["end"])))
    elif isinstance(value, dict):
        for name, inner in value.items():
            leaves(inner, (path + "." if path else "") + name, out)
    elif isinstance(value, list):
        for inner in value:
            leaves(inner, path, out)
    elif value is not None:
        out[path].append((str(value), None))
    return out


class Bench:
    def __init__(self, args, score, work):
        self.args, self.score, self.work = args, score, work
        self.thresh, self.norm = os.path.abspath(args.thresh), score.norm
        self.paper = ["--paper"] if args.paper else []

    def run(self, *args):
        return subprocess.run((self.thresh,) + args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def extract(self, wrapper, pages):
        """By page: {field: [(text, span)]}."""
        out = self.run("extract", "-q", "-j", "1", "--charset", "utf-8", "--spans", "-f", "pages", "-w", wrapper, *pages)
        found = {page: {} for page in pages}
        for line in out.stdout.decode("utf-8", "replace").splitlines():
            row = json.loads(line)
            record = row["record"] if "record" in row else (row.get("records") or [{}])[0]
            found[row["page"]] = leaves(record or {})
        return found

    def learn(self, site, rows, folder):
        labels, wrapper = os.path.join(folder, "labels.jsonl"), os.path.join(folder, "wrapper.json")
        several = {name for row in rows for name, values in row["records"][0].items() if len(values) > 1}
        with open(labels, "w", encoding="utf-8") as file:
            for row in rows[:LEARNT]:
                record = {name: values if name in several else (values or [None])[0]
                          for name, values in row["records"][0].items()}
                file.write(json.dumps({"page": os.path.join(self.args.detail, row["page"]), "record": record}) + "\n")
        engine = ["--engine", self.args.engine] if self.args.engine else []
        if os.path.exists(wrapper):
            os.remove(wrapper)
        self.run("learn", "-q", "--date", "2026-01-01", "--labels", labels, *engine, *self.paper, "-o", wrapper,
                 *(os.path.join(self.args.detail, row["page"]) for row in rows[:LEARNT]))
        return wrapper if os.path.exists(wrapper) else None

    def f1(self, wanted, found):
        """[F1, share of what is found that is not wanted] of two lists of sets."""
        hit = sum(len(a & b) for a, b in zip(wanted, found))
        many, all_ = sum(map(len, found)), sum(map(len, wanted))
        return (2 * hit / (many + all_) if many + all_ else 1.0), ((many - hit) / many if many else 0.0)

    def values(self, found, pages, field):
        return [{self.norm(text) for text, _ in found[page].get(field, []) if self.norm(text)} for page in pages]

    def site(self, task):
        name, rows = task
        folder = os.path.join(self.work, name)
        os.makedirs(folder, exist_ok=True)
        wrapper = self.learn(name, rows, folder)
        rows = rows[LEARNT:LEARNT + CHANGED]
        if not wrapper:
            return [{"site": name, "field": "", "edit": "", "what": "not learnt"}]
        pages = [os.path.join(self.args.detail, row["page"]) for row in rows]
        found = self.extract(wrapper, pages)
        out = []
        for field in sorted({field for row in rows for field, values in row["records"][0].items() if values}):
            truth = [{self.norm(v) for v in row["records"][0].get(field, []) if self.norm(v)} for row in rows]
            wanted = self.values(found, pages, field)
            if self.f1(truth, wanted)[0] < RIGHT:
                out.append({"site": name, "field": field, "edit": "", "what": "not read"})
                continue
            for how in self.args.edits:
                out.append(self.case(name, folder, wrapper, pages, found, field, wanted, how))
        return out

    def change(self, folder, pages, found, field, how):
        """Writes the changed pages: their names, or None if too few could be changed."""
        names, some = [], 0
        os.makedirs(folder, exist_ok=True)
        for page in pages:
            with open(page, "rb") as file:
                source = file.read()
            # Byte ranges are those of the page's text: valid UTF-8 without a mark at its start.
            source = source.decode("utf-8", "replace").encode("utf-8").removeprefix(b"\xef\xbb\xbf")
            spans = [span for text, span in found[page].get(field, []) if span and self.norm(text)]
            changed = None
            if any(text.split()[0].encode() not in source[start:end + 8] and b"&" not in source[start:end] for
                   text, (start, end) in found[page].get(field, []) if (start, end) in spans):
                continue
            if spans:
                changed = edit(source, sorted(set(spans)), how)
                if changed is None:
                    continue  # a page whose value cannot be changed is left out
                some += 1
            names.append((page, os.path.join(folder, os.path.basename(page))))
            with open(names[-1][1], "wb") as file:
                file.write(changed or source)
        return names if some >= LEAST_PAGES else None

    def case(self, site, folder, wrapper, pages, found, field, wanted, how):
        case = os.path.join(folder, "%s-%s" % (field, how))
        row = {"site": site, "field": field, "edit": how, "folder": case}
        names = self.change(case, pages, found, field, how)
        if names is None:
            return dict(row, what="not changed")
        keep = {old for old, _ in names}
        wanted = [w for page, w in zip(pages, wanted) if page in keep]
        news = [new for _, new in names]
        broken = self.extract(wrapper, news)
        row["old"] = self.f1(wanted, self.values(broken, news, field))[0]
        if row["old"] >= RIGHT:
            return dict(row, what="unharmed")
        row["noticed"], mended, row["told"] = self.repair(case, wrapper, field, news)
        if mended is None:
            return dict(row, what="not found")
        fixed = self.extract(mended, news)
        values = self.values(fixed, news, field)
        row["new"], other = self.f1(wanted, values)
        row["what"] = "right" if row["new"] >= RIGHT else "wrong" if other > WRONG else "not found"
        row["given"] = next((sorted(b - a) for a, b in zip(wanted, values) if b - a), [])[:2]
        fields = {f for page in news for f in broken[page] if f != field}
        row["harmed"] = sorted(f for f in fields if any(
            (a & c) - b for a, b, c in zip(self.values(broken, news, f), self.values(fixed, news, f),
                                           self.values(found, [o for o, _ in names], f))))
        return row

    def repair(self, case, wrapper, field, news):
        """(noticed, the repaired wrapper or None, what repair says)."""
        mended = os.path.join(case, "repaired.json")
        if os.path.exists(mended):
            os.remove(mended)
        checked = json.loads(self.run("verify", "-q", *self.paper, "-j", "1", "--charset", "utf-8", "-f", "json", "-w", wrapper,
                                      *news).stdout or b"{}")
        own = [e for e in checked.get("evidence", []) if re.sub(r"\[\].*", "", e["field"] or "") == field]
        noticed = any(e.get("drift") for e in own)
        out = self.run("repair", "-q", *self.paper, "-j", "1", "--charset", "utf-8", "-f", "json", "--date", "2026-01-02", "-w",
                       wrapper, "-o", mended, *news).stdout
        told = json.loads(out or b"{}")
        said = [e for e in told.get("fields", []) if re.sub(r"\[\].*", "", e["field"]) == field]
        noticed = noticed or any(e["outcome"] in ("repaired", "lost") for e in said)
        return noticed, mended if os.path.exists(mended) else None, [e["outcome"] for e in said]


def read_sites(args):
    sites = collections.defaultdict(list)
    with open(os.path.join(args.detail, "truth.jsonl"), encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            sites[row["site"]].append(row)
    chosen = [(name, sorted(rows, key=lambda row: row["page"])) for name, rows in sorted(sites.items())]
    first, step = map(int, args.part.split("/"))
    return [task for task in chosen[first::step] if args.sites in task[0]]


def percent(part, whole):
    return "%.1f%%" % (100 * part / whole) if whole else "-"


def line(title, rows):
    count = collections.Counter(row["what"] for row in rows)
    broken = [row for row in rows if row["what"] in ("right", "wrong", "not found")]
    all_, noticed = len(broken), sum(row["noticed"] for row in broken)
    print("%-6s %4d broken: noticed %d (%s), right %d (%s), wrong %d (%s), not found %d (%s); harmed %d; unharmed %d; "
          "left out: not changed %d, not read %d, not learnt %d" % (
              title, all_, noticed, percent(noticed, all_), count["right"], percent(count["right"], all_), count["wrong"],
              percent(count["wrong"], all_), count["not found"], percent(count["not found"], all_),
              sum(bool(row.get("harmed")) for row in broken), count["unharmed"], count["not changed"], count["not read"],
              count["not learnt"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("thresh")
    parser.add_argument("detail")
    parser.add_argument("-v", dest="told", action="store_true")
    parser.add_argument("-e", dest="engine")
    parser.add_argument("-c", dest="edits", default=",".join(EDITS))
    parser.add_argument("-s", dest="sites", default="")
    parser.add_argument("-p", dest="part", default="0/1")
    parser.add_argument("-k", dest="kept")
    parser.add_argument("--paper", action="store_true")
    args = parser.parse_args()
    args.edits = args.edits.split(",")
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(args, score_lists, args.kept or work)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            rows = [row for site in pool.map(bench.site, read_sites(args)) for row in site]
    if args.told:
        for row in rows:
            if row["what"] not in ("right", "unharmed") or row.get("harmed"):
                print("  %-28s %-18s %-5s %-11s %s %s %s%s" % (
                    row["site"], row["field"], row["edit"], row["what"],
                    "" if row.get("noticed", True) else "UNNOTICED", ",".join(row.get("told", [])),
                    "%.2f -> %.2f %s" % (row["old"], row["new"], row["given"]) if "new" in row else "",
                    " harmed: " + ",".join(row["harmed"]) if row.get("harmed") else ""))
    for how in args.edits:
        line(how, [row for row in rows if row["edit"] == how])
    line("all", rows)


if __name__ == "__main__":
    main()
