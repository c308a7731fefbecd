#!/usr/bin/env python3
"""Scores the records that were found on list pages.

usage: bench/score_lists.py TRUTH.jsonl FOUND.jsonl [--pick first|best] [--varied] [--sites] [--json]

TRUTH has a line per page: {"page": NAME, "site": SITE, "records": [{COLUMN: [VALUE, ...]}, ...]}.
FOUND has a line per page: {"page": NAME, "regions": [{"records": [RECORD, ...]}, ...]}, the best region first, as
`thresh regions -f pages` writes it. A RECORD is an object or a list of cells; a cell is a text, null, or nested. NAME may
have folders before it that the truth does not have. A page without a line counts as nothing found.

--pick first  scores the first region of each page: what a user gets who does not choose (the default).
--pick best   scores the region whose records are best against the truth: what a user gets who chooses.
--varied      leaves out true columns with one and the same text in nine of ten of their cells ("Add to cart"): thresh
              leaves constant columns out unless it is asked for --all.
--sites       prints a line per site before the totals, the worst first.
--json        prints the totals as one JSON object.

Rules
  Texts are compared by their letters and digits alone, whatever their case. A true cell without any is not scored.
  The names of a found record's columns are part of its text, each before its value: "Height: 15 cm" may come out as
  "15 cm" in a column named height.
  A found record is right if it holds nine in ten of the cells of a true record and no second true record. Each true
  record counts once.
  Cells are scored inside of right records. True columns are matched with found columns of the page, one to one, those
  that agree most often first. A cell is right if it equals the cell of the matched column. Recall is over all true cells,
  precision over the cells with a text in matched columns.
  The interval behind F1 is a bootstrap over sites (95%): sites differ more than versions of a program do.
"""
import argparse
import collections
import functools
import html
import json
import random
import re
import unicodedata

SHARE = 0.9       # of a true record's cells that a found one must hold
LONG_ENOUGH = 12  # letters and digits: a shorter true record may be inside of another one by chance
FEWEST = 3        # records from which a true column counts as constant
DRAWS = 500       # of the bootstrap
COUNTS = ("tp", "found", "wanted", "ctp", "cfound", "cwanted")  # records: right, found, true; cells: the same


@functools.lru_cache(1 << 18)
def norm(text):
    """The letters and digits of a text, case folded; of a text without any, all but its blanks."""
    text = unicodedata.normalize("NFKC", html.unescape(text or ""))
    return re.sub(r"[\W_]+", "", text).casefold() or re.sub(r"\s+", "", text)


def leaves(cell):
    """The texts of a cell, however it is nested."""
    if cell is None:
        return []
    if isinstance(cell, dict):
        return [text for part in cell.values() for text in leaves(part)]
    if isinstance(cell, (list, tuple)):
        return [text for part in cell for text in leaves(part)]
    return [cell if isinstance(cell, str) else str(cell)]


def is_data(column):
    """Columns such as _score are remarks."""
    return not str(column).startswith("_")


def true_cells(record):
    """{column: text} of a true record."""
    cells = {column: norm(" ".join(values)) for column, values in record.items() if is_data(column)}
    return {column: text for column, text in cells.items() if re.search(r"[^\W_]", text)}


def pred_cells(record):
    """{column: [text, ...]} of a found record."""
    cells = record.items() if isinstance(record, dict) else enumerate(record)
    return {str(column): [text for text in map(norm, leaves(cell)) if text] for column, cell in cells if is_data(column)}


def record_text(cells):
    """The text of a found record, first without and then with the names of its columns."""
    plain = "".join(text for texts in cells.values() for text in texts)
    named = "".join(norm(column) + "".join(texts) for column, texts in cells.items() if texts)
    return plain + "|" + named


def holds(text, cells):
    """Whether a text holds so many of a true record's cells that it may be that record."""
    missing, most = 0, (1 - SHARE) * len(cells) + 1e-9
    for cell in cells.values():
        missing += cell not in text
        if missing > most:
            return False
    return True


def size(cells):
    return sum(map(len, cells.values()))


def match(truth, found):
    """The right records, as pairs (index of the true record, index of the found one)."""
    pairs, taken = [], set()
    for f, record in enumerate(found):
        text = record_text(record)
        inside = [t for t, cells in enumerate(truth) if holds(text, cells)]
        if not inside:
            continue
        main = truth[max(inside, key=lambda t: (size(truth[t]), -t))]
        whole = "".join(main.values())
        second = any(truth[t] != main and size(truth[t]) >= LONG_ENOUGH
                     and not all(cell in whole for cell in truth[t].values()) for t in inside)
        free = [t for t in inside if truth[t] == main and t not in taken]
        if free and not second:
            taken.add(free[0])
            pairs.append((free[0], f))
    return pairs


def columns(truth, found, pairs):
    """(right cells, cells with a text in the matched columns) of the right records."""
    agree = collections.Counter()
    for t, f in pairs:
        for column, text in truth[t].items():
            for other, texts in found[f].items():
                agree[column, other] += text in texts or text == "".join(texts)
    right, of_true, of_found = 0, set(), set()
    for (column, other), count in sorted(agree.items(), key=lambda item: (-item[1], item[0])):
        if count and column not in of_true and other not in of_found:
            of_true.add(column)
            of_found.add(other)
            right += count
    return right, sum(bool(record.get(column)) for record in found for column in of_found)


def f1(right, found, wanted):
    """(precision, recall, F1)"""
    precision = right / found if found else 0.0
    recall = right / wanted if wanted else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


def without_constants(truth):
    """True records without the cells of columns that have one and the same text in nearly all of their records."""
    texts = collections.defaultdict(collections.Counter)
    for cells in truth:
        for column, text in cells.items():
            texts[column][text] += 1
    constant = {column for column, counts in texts.items()
                if sum(counts.values()) >= FEWEST and max(counts.values()) >= SHARE * sum(counts.values())}
    return [{column: text for column, text in cells.items() if column not in constant} for cells in truth]


def page_score(true_records, regions, pick, constants=True):
    """The counts of a page, see COUNTS."""
    truth = list(map(true_cells, true_records))
    truth = [cells for cells in (truth if constants else without_constants(truth)) if cells]
    best = dict.fromkeys(COUNTS, 0)
    best.update(wanted=len(truth), cwanted=sum(map(len, truth)))
    none = True
    for region in regions[:1] if pick == "first" else regions:
        found = [cells for cells in map(pred_cells, region.get("records", [])) if any(cells.values())]
        pairs = match(truth, found)
        right, matched = columns(truth, found, pairs)
        score = dict(best, tp=len(pairs), found=len(found), ctp=right, cfound=matched)
        if none or records_f1(score) > records_f1(best):
            best, none = score, False
    return best


def records_f1(counts):
    return f1(counts["tp"], counts["found"], counts["wanted"])[2]


def cells_f1(counts):
    return f1(counts["ctp"], counts["cfound"], counts["cwanted"])[2]


def interval(sites):
    """The middle 95% of records F1 over draws of sites."""
    draw, names, drawn = random.Random(1), sorted(sites), []
    for _ in range(DRAWS):
        total = collections.Counter()
        for name in draw.choices(names, k=len(names)) if names else []:
            total.update(sites[name])
        drawn.append(records_f1(total))
    drawn.sort()
    return drawn[12], drawn[487]


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def score_all(truth, found, pick, constants=True):
    """(totals for --json, counts by site) of the lines of both files."""
    regions = {row.get("page") or row["file"]: row.get("regions", []) for row in found}
    total, sites, by_page, unanswered = collections.Counter(), collections.defaultdict(collections.Counter), [], 0
    for row in truth:
        names = [name for name in regions if name == row["page"] or name.endswith("/" + row["page"])]
        unanswered += not names
        counts = page_score(row["records"], regions[names[0]] if names else [], pick, constants)
        total.update(counts)
        sites[row["site"]].update(counts)
        by_page.append(records_f1(counts))
    precision, recall, both = f1(total["tp"], total["found"], total["wanted"])
    cell_precision, cell_recall, cell_both = f1(total["ctp"], total["cfound"], total["cwanted"])
    low, high = interval(sites)
    return {"pages": len(by_page), "unanswered": unanswered, "record_precision": precision, "record_recall": recall,
            "record_f1": both, "record_f1_by_site": sum(map(records_f1, sites.values())) / max(1, len(sites)),
            "perfect_pages": by_page.count(1.0) / max(1, len(by_page)), "cell_precision": cell_precision,
            "cell_recall": cell_recall, "cell_f1": cell_both, "pick": pick, "record_f1_low": low,
            "record_f1_high": high}, sites


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("truth")
    parser.add_argument("found")
    parser.add_argument("--pick", choices=("first", "best"), default="first")
    parser.add_argument("--varied", action="store_true")
    parser.add_argument("--sites", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    out, sites = score_all(read_lines(given.truth), read_lines(given.found), given.pick, not given.varied)
    if given.sites:
        for site, s in sorted(sites.items(), key=lambda item: records_f1(item[1])):
            print("%-44s record F1 %.3f  (%d right, %d found, %d wanted)  cell F1 %.3f" % (
                site, records_f1(s), s["tp"], s["found"], s["wanted"], cells_f1(s)))
    if given.json:
        print(json.dumps({name: round(value, 4) if isinstance(value, float) else value for name, value in out.items()}))
        return
    print("pages %(pages)d (%(unanswered)d without an answer), region: %(pick)s" % out)
    print("records: precision %(record_precision).3f  recall %(record_recall).3f  F1 %(record_f1).3f  | mean F1 by site "
          "%(record_f1_by_site).3f | " % out + "perfect pages %.1f%% | 95%% %.3f to %.3f" % (
              100 * out["perfect_pages"], out["record_f1_low"], out["record_f1_high"]))
    print("cells:   precision %(cell_precision).3f  recall %(cell_recall).3f  F1 %(cell_f1).3f" % out)


if __name__ == "__main__":
    main()
