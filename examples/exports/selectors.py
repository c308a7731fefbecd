#!/usr/bin/env python3
"""Runs an export of `thresh show --as css` or `--as xpath` on pages.

    selectors.py EXPORT PAGE...

Pages are files in UTF-8. Prints one record per line, as JSON. Needs parsel. This is all that such an export asks of a
program: docs/EXPORTS.md explains each key.
"""
import json
import re
import sys
from urllib.parse import urljoin

from lxml import etree
from parsel import Selector

BLANKS = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
# Elements that separate words, and elements whose text is not shown.
BLOCKS = set(
    "address article aside blockquote body br button caption center col colgroup dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input legend li "
    "listing main marquee menu nav noframes ol optgroup option p plaintext pre search section select summary table tbody "
    "td textarea tfoot th thead title tr ul xmp".split())
HIDDEN = set("iframe noembed noframes noscript script style template".split())


def fold(text):
    """The text with each run of white space as one blank, and none at its ends."""
    return BLANKS.sub(" ", text.replace("\0", "")).strip(" ")


def pieces(node):
    """The texts of a node, with a blank where a block begins and ends."""
    if isinstance(node, str):
        return [node]
    parts, foreign = [], 0
    walk = etree.iterwalk(node, events=("start", "end", "comment", "pi"))
    for event, one in walk:
        if event in ("start", "end"):
            drawing = one.tag in ("svg", "math")
            foreign += drawing and event == "start"
            if foreign or one.tag in BLOCKS or "-" in one.tag:
                parts.append(" ")
            foreign -= drawing and event == "end"
        if event == "start" and one.tag in HIDDEN:
            walk.skip_subtree()
        elif event == "start":
            parts.append(one.text or "")
        elif one is not node:
            parts.append(one.tail or "")
    return parts


def absolute(link, base):
    """A link as an absolute URL, as far as the URL of the page is known."""
    link = re.sub("[\t\n\r]", "", link.strip("".join(map(chr, range(33)))))
    web = re.match(r"(https?|file|ftp|wss?):", link, re.IGNORECASE)
    if not web and (not base or re.match(r"[a-z][a-z0-9+.-]*:", link, re.IGNORECASE)):
        return link
    return re.sub("[\0- \"<>\x7f]", lambda match: f"%{ord(match.group()):02X}", urljoin(base, link))


def own_text(element, number):
    """A text right inside an element, blank ones aside: the first is 1, the last is -1."""
    own = element.xpath("text()[normalize-space()]")
    return own[number - 1 if number > 0 else number].root if len(own) >= abs(number) else None


def children(node, rule):
    """The text of neighbouring children of an element: after the n-th child with a tag, up to another one."""
    after, until, through = (tuple(rule.get(key + "_child", ())) for key in ("after", "until", "through"))
    seen, inside, parts = {}, not after, []
    if inside:
        parts.append(node.text or "")
    for child in node:
        seen[child.tag] = seen.get(child.tag, 0) + 1
        here = (child.tag, seen[child.tag])
        if here == until:
            break
        if inside:
            parts.extend(pieces(child))
        if here == through:
            break
        inside = inside or here == after
        if inside:
            parts.append(child.tail or "")
    return "".join(parts)


def cut(text, rule):
    """The part of a text that a rule asks for."""
    text = text.strip(" " + rule.get("strip", ""))
    after = rule.get("after", rule.get("after_last", ""))
    if after not in text:
        return None
    text = text[text.index(after) + len(after):]
    while after and "after_last" in rule and after in text:
        text = text[text.index(after) + len(after):]
    before = rule.get("before", "")
    if before and len(text) > len(before) and text.endswith(before):
        text = text[:-len(before)]
    elif before and before in text:
        text = text[:text.index(before)]
    return text.strip(" ") or None


def values(found, rule, base, css):
    """What a rule takes from the nodes that its selector found."""
    if rule["take"] == "children" and not css:  # by XPath: nodes that are one text
        texts = ["".join("".join(pieces(node.root)) for node in found)]
    elif rule["take"] == "children":
        texts = [children(node.root, rule) for node in found]
    elif rule["take"] == "own_text":
        texts = [text for text in (own_text(node, rule["number"]) for node in found) if text is not None]
    elif rule["take"] == "link":
        return [absolute(node.root, base) or None for node in found]
    else:
        texts = ["".join(pieces(node.root)) for node in found]
    return [cut(fold(text), rule) for text in texts]


def records(export, html, url=""):
    """The records of a page, given as a string; url makes its links absolute."""
    css = export["selectors"] == "css"

    def select(node, selector):
        return node.css(selector) if css else node.xpath(selector)

    def one(node, rules):
        for rule in rules:
            found, pick = values(select(node, rule["select"]), rule, base, css), rule.get("pick", 1)
            index = pick - 1 if pick > 0 else len(found) + pick
            if 0 <= index < len(found) and found[index]:
                return found[index]
        return None

    def several(node, rules, join):
        if join == "union":
            union = (", " if css else " | ").join(rule["select"] for rule in rules)
            found = values(select(node, union), rules[0], base, css) if rules else []
        else:
            found = []
            for rule in rules:
                these, pick = values(select(node, rule["select"]), rule, base, css), rule.get("pick", 0)
                index = pick - 1 if pick > 0 else len(these) + pick
                found += these if not pick or not css and rule["take"] == "children" else these[index:index + 1] if index >= 0 else []
        found = [value for value in found if value]
        return (list(dict.fromkeys(found)) if join == "distinct" else found) or None

    page = Selector(text=html)
    base = urljoin(url, page.css("base::attr(href)").get("").strip())
    for node in [page] if export["records"] is None else select(page, export["records"]):
        record = {field["name"]: several(node, field["rules"], field["list"]) if "list" in field
                  else one(node, field["rules"]) for field in export["fields"]}
        if export["records"] is not None or any(value is not None for value in record.values()):
            yield record


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        selectors = json.load(file)
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8", newline="") as file:
            for found_record in records(selectors, file.read()):
                print(json.dumps(found_record, ensure_ascii=False))
