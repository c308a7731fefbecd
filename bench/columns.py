#!/usr/bin/env python3
"""Measures the columns of the first list of each page: would a person want them?

usage: bench/columns.py PAGES_FOLDER FOUND.jsonl [--list] [--json]

FOUND has a line per page, as `thresh --pick 1 -f pages` or `thresh regions -f pages` writes it; PAGES_FOLDER is where the
page names begin. Nothing here
looks at how thresh chooses names: the words below were written down from class names of common frameworks.

--list   prints each list before the totals: its columns, with the marks u (utility), h (hashed), c (constant), d (duplicate)
--json   prints the totals as one JSON object

Rules
  A name is from a class if a class of the page, or the part behind its last "-" or "_", reads like it (a number or "_url"
  behind the name aside). It is a utility class if it says how things look or where they are (col-md-4, mt-2, text-center,
  clearfix, pull-left, btn), hashed if a tool made it (css-1q2w3e, sc-bdVaJa, _3xKj9).
  A list has a title if a column named title, name, headline, subject or something_title, something_name ... has a text in
  more than half of the records.
  A column is constant if two or more records have it, and all of these have the same value; a duplicate if an earlier
  column has the same values in all records. Lists of fewer than three records are not judged: there, chance makes constants.
"""
import argparse
import collections
import json
import os
import re

FEWEST = 3  # records from which a constant column can be told
MOST = 60   # columns that a list should have

# Whole classes of frameworks and of hand-made sheets that speak of looks, place or state.
UTILITY_WORDS = set("""
    row col cols column columns cell container wrapper wrap inner outer left right center middle top bottom first last odd even
    clearfix clear cf group block inline hidden hide visible show active disabled selected open closed collapse collapsed fade
    in out box media body grid flex float pull push span div item items element unit part section small smaller large larger
    big medium mini tiny bold strong italic normal muted light dark red green blue gray grey black white orange yellow primary
    secondary success danger warning default btn button icon icons fa glyphicon sprite pill well panel border bordered
    rounded shadow round padded padding margin spacing spacer gutter responsive fixed sticky absolute relative full half third
    quarter nowrap ellipsis truncate uppercase lowercase capitalize sr only js no one two three four five six last-child
    first-child line lines underline arrow toggle dropdown tooltip modal fluid offset stretch align aligned vertical horizontal
    """.split())

UTILITY_SHAPES = re.compile(r"""^(?:
    (?:col|row|span|grid|g|u|pure-u|uk|l|lg|md|sm|xs|xl|xxl|small|medium|large|tablet|desktop|mobile)
        (?:-(?:xs|sm|md|lg|xl|xxl|auto|offset|push|pull|\d+))+
  | [mp][tblrxyse]?-?(?:n?\d+|auto|none|xs|sm|md|lg|xl)
  | (?:d|display)-(?:[a-z]+-)?(?:none|block|inline|flex|grid|table|inline-block|table-cell)
  | (?:w|h|mw|mh|vw|vh|z|gap|top|left|right|bottom|order|opacity|leading|tracking)-[\d/a-z]{1,5}
  | (?:fs|fw|lh|ff|size|font)-?(?:\d+|bold|normal|light|italic|small|medium|large|weight-[a-z]+|size-[a-z\d]+)
  | (?:text|align|valign|font|bg|border|color|txt|justify|items|self|flex|float|pull|push|rounded|shadow|overflow|cursor|position|
       vertical-align|clear|fl|fr)-(?:xs|sm|md|lg|xl|\d?xl|left|right|center|middle|top|bottom|justify|start|end|between|around|
       muted|primary|secondary|success|danger|warning|info|light|dark|white|black|gr[ae]y(?:-\d+)?|red|green|blue|orange|
       bold|normal|italic|small|large|big|nowrap|truncate|uppercase|lowercase|capitalize|none|hidden|auto|wrap|row|column|both|
       pointer|relative|absolute|fixed|\d+)
  | (?:hidden|visible|hide|show)-(?:xs|sm|md|lg|xl|phone|tablet|desktop|mobile|print|small|large|for-[a-z-]+|[a-z]+-(?:up|down))
  | btn(?:-[a-z]+)* | (?:fa|icon|glyphicon|ico|sprite|svg)(?:-[a-z\d]+)+
  | (?:media|panel|card|list-group|input-group|btn-group|nav|navbar)-(?:body|left|right|object|item|inner|default|block)
  | a-(?:section|row|column|span\d*|size-[a-z]+|color-[a-z]+|spacing-[a-z]+|text-[a-z]+|link-normal|fixed-[a-z-]+)
  | (?:no|has|is|js)-[a-z-]+ | (?:small|medium|large)-\d+ | (?:one|two|three|four)-(?:half|third|quarter|fourth|columns?)
)$""", re.X | re.I)


def is_utility(word):
    word = word.lower()
    parts = re.split(r"[-_]+", word.strip("-_"))
    return bool(UTILITY_SHAPES.match(word.replace("_", "-"))) or all(part in UTILITY_WORDS for part in parts)


def is_hashed(word):
    if re.match(r"^(?:css|sc|jsx|svelte|emotion|styled|jss|makeStyles)-?[-_]?(?=.*\d|.*[a-z][A-Z])", word):
        return True
    for part in re.split(r"[-_]+", word):
        letters = re.sub(r"\d", "", part)
        if re.search(r"[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d", part) and len(part) >= 4:
            return True  # _3xKj9
        if len(letters) >= 5 and (re.search(r"[bcdfghjklmnpqrstvwxz]{6}", letters, re.I) or not re.search("[aeiouy]", letters, re.I)):
            return True
        if 4 <= len(part) <= 10 and len(re.findall(r"[a-z][A-Z]", part)) >= 2 and len(re.findall(r"[A-Z][a-z]{0,1}(?=[A-Z]|$)", part)) >= 2:
            return True  # bdVaJa
    return False


def tidy(text):
    text = re.sub(r"([a-z])([A-Z])", r"\1_\2", text)
    return re.sub(r"[^a-z0-9\x80-\uffff]+", "_", text.lower()).strip("_")


def class_names(page):
    """{name: class} for each class of a page and for its last part."""
    names = {}
    for value in re.findall(r"""\bclass\s*=\s*("[^"]*"|'[^']*'|[^\s>"']+)""", page, re.I):
        for word in value.strip("\"'").split():
            names.setdefault(tidy(word), word)
            part = re.split(r"[-_]", word)[-1]
            names.setdefault(tidy(part), part)
    return names


def stem(name):
    return re.sub(r"(?:_url|_image|_\d+)+$", "", name)


def texts(cell):
    if isinstance(cell, dict):
        return [text for part in cell.values() for text in texts(part)]
    if isinstance(cell, list):
        return [text for part in cell for text in texts(part)]
    return [] if cell is None or cell == "" else [str(cell)]


def is_title(name):
    return bool(re.match(r"^(?:.*_)?(?:title|name|headline|subject|heading_text|titel|titre|titulo|título|nombre|nom|naam|"
                         r"称|名称|タイトル|названи\w*|наименовани\w*)(?:_\d+)?$", name))


def look(records, classes):
    """Marks of each column, and whether there is a title."""
    names = list(dict.fromkeys(name for record in records for name in record))
    cells = {name: [tuple(texts(record.get(name))) for record in records] for name in names}
    marks, seen = {}, set()
    for name in names:
        word, values = classes.get(stem(name)), tuple(cells[name])
        mark = ""
        if word is not None:
            mark += "h" if is_hashed(word) else "u" if is_utility(word) else ""
        if len(records) >= FEWEST:
            filled = [value for value in values if value]
            mark += "c" if len(filled) > 1 and len(set(filled)) == 1 else "d" if values in seen else ""
        seen.add(values)
        marks[name] = mark
    title = any(is_title(name) and 2 * sum(map(bool, cells[name])) > len(records) for name in names)
    return marks, title


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("folder")
    args.add_argument("found")
    args.add_argument("--list", action="store_true")
    args.add_argument("--json", action="store_true")
    args = args.parse_args()
    total = collections.Counter()
    widest, where = 0, "-"
    with open(args.found, encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            records = line["regions"][0]["records"] if line.get("regions") else line.get("records")
            if not records:
                continue
            with open(os.path.join(args.folder, line["page"]), encoding="utf-8", errors="replace") as page:
                classes = class_names(page.read())
            marks, title = look(records, classes)
            total["lists"] += 1
            total["columns"] += len(marks)
            total["titled"] += title
            for mark in "uhcd":
                total[mark] += sum(mark in of for of in marks.values())
            total["too wide"] += len(marks) > MOST
            total["text"] += sum(bool(re.match(r"text_\d+$", name)) for name in marks)
            if len(marks) > widest:
                widest, where = len(marks), line["page"]
            if args.list:
                print(line["page"], "" if title else "(no title)")
                print("   ", "  ".join(name + (f"({mark})" if mark else "") for name, mark in marks.items()))
    columns, lists = total["columns"] or 1, total["lists"] or 1
    answer = {
        "lists": total["lists"], "columns": total["columns"],
        "utility": total["u"] / columns, "hashed": total["h"] / columns, "titled": total["titled"] / lists,
        "constant": total["c"] / columns, "duplicate": total["d"] / columns,
        "unnamed": total["text"] / columns, "widest": widest, "too_wide": total["too wide"],
    }
    if args.json:
        print(json.dumps(answer))
        return
    print(f"lists {total['lists']}, columns {total['columns']}, widest {widest} ({where}), above {MOST}: {total['too wide']}")
    print(f"names from utility classes {answer['utility']:.1%}, hashed {answer['hashed']:.1%}; text_N {answer['unnamed']:.1%}")
    print(f"lists with a title or name {answer['titled']:.1%}")
    print(f"constant columns {answer['constant']:.1%}, duplicates {answer['duplicate']:.1%}")


if __name__ == "__main__":
    main()
