"""How many distinct slots of data a reader sees on pages of one template, counted without any engine.

A text is what stands between two tags, if it has a letter or a digit, outside of what a browser does not show (head,
script, style, noscript, hidden elements). Its position is the path of elements above it, each with its first class,
digits folded, and the text before it, when that is a label: a text that at least half of the pages have. A position is
a slot of data when at least two pages have it and they do not all say the same there. Several texts of a page at one
position, as those of a list, are one slot.
"""
import collections
import html.parser
import re

VOID = set("area base br col embed hr img input link meta param source track wbr".split())
UNSEEN = set("head script style noscript template iframe noframes select textarea svg".split())
# What ends an element that needs no end tag.
ENDS = {"li": {"li"}, "p": {"p"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "tr": {"tr", "td", "th"},
        "td": {"td", "th"}, "th": {"td", "th"}, "option": {"option"}}
STOPS = set("table ul ol dl div body html".split())


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack, self.found, self.hidden = [], [], 0  # (tag, step, hidden); (path, text)

    def pop(self):
        self.hidden -= self.stack.pop()[2]

    def handle_starttag(self, tag, attrs):
        if tag in VOID:
            return
        for at in range(len(self.stack) - 1, -1, -1):
            if self.stack[at][0] in ENDS.get(tag, ()):
                while len(self.stack) > at:
                    self.pop()
                break
            if self.stack[at][0] in STOPS:
                break
        given = dict(attrs)
        words = (given.get("class") or "").split()
        name = re.sub(r"\d+", "#", words[0]) if words else ""
        style = (given.get("style") or "").replace(" ", "").lower()
        unseen = tag in UNSEEN or "hidden" in given or "display:none" in style
        self.stack.append((tag, f"{tag}.{name}" if name else tag, unseen))
        self.hidden += unseen

    def handle_startendtag(self, tag, attrs):
        pass  # nothing in it

    def handle_endtag(self, tag):
        if any(step[0] == tag for step in self.stack):
            while self.stack[-1][0] != tag:
                self.pop()
            self.pop()

    def handle_data(self, data):
        text = " ".join(data.split())
        if not self.hidden and any(sign.isalnum() for sign in text):
            self.found.append(("/".join(step[1] for step in self.stack), text))


def texts_of(page):
    reader = Reader()
    with open(page, encoding="utf-8", errors="replace") as file:
        reader.feed(file.read())
    return reader.found


def count(pages):
    """The slots of data of pages, given by their paths."""
    found = [texts_of(page) for page in pages]
    usual = collections.Counter(text for texts in found for text in {text for _, text in texts})
    labels = {text for text, number in usual.items() if 2 * number >= len(pages)}
    slots = collections.defaultdict(dict)
    for number, texts in enumerate(found):
        before = ""
        for path, text in texts:
            slots[path, before].setdefault(number, []).append(text)
            before = text if text in labels else ""
    return sum(len(said) > 1 and len({tuple(texts) for texts in said.values()}) > 1 for said in slots.values())
