"""Random inputs for the engines, and how their answers are compared with the references'. See test_references.py.

A check has the name of a task of papers_driver.c, a function that makes an input, and one that compares the answer with the
reference's: it gives None, or the kind of a difference and what differs.
"""
import collections

import datapro
import exalg
import iepad
import mdr
import softmealy
import stalker

# Differences that are meant. Each is named in compare functions below and argued here.
DIFFERENCES = {
    "unknown pattern":
        "EXALG, table 1, pattern 6: a position with texts and classes, or with several classes in a row, is one text in the paper. The "
        "engine makes a member of each where they always come in one order, which loses nothing: the text can be read as before by "
        "joining them.",
    "rotation over options":
        "IEPAD, section 2.4.1, stops rotating at a column with options. Then the section's own example, [U|-]N[A|-][M|-], cannot be reached: "
        "only N is a repeat of all its records, which gives N[A|-][M|-][U|-]. The engine passes columns with options as long as one "
        "without is met beyond them.",
    "seed given up":
        "STALKER, section 2, goes on until every example is covered. The engine's refinements are capped; where none of them is right on "
        "the seed the example stays uncovered: it is counted as one that the rule is not right on, and further disjuncts are not judged "
        "by it.",
    "free choice of HANDINV":
        "EXALG, appendix A: of two classes that are equally bad, equally large and equally frequent either may go, and an unordered root "
        "class may have several longest chains. Of two classes each of which always overlaps the other the paper says nothing: the "
        "reference cuts the smaller one, the engine the one whose tokens lie in different occurrences of the other (definition 4.4).",
}

Check = collections.namedtuple("Check", "task make compare")


def differ(what, wanted, got):
    return None if wanted == got else ("other " + what, f"reference {wanted}, engine {got}")


# ---- IEPAD --------------------------------------------------------------------------------------------------


def noisy_records(rng, alphabet, most):
    """A string with a repeated piece, some of whose copies are changed, and other symbols around them."""
    piece = [rng.randrange(alphabet) for _ in range(rng.randint(1, 5))]
    s = [rng.randrange(alphabet) for _ in range(rng.randint(0, 4))]
    noise = rng.choice([0, 0.05, 0.2])
    for _ in range(rng.randint(2, 9)):
        for symbol in piece:
            if rng.random() < noise / 2:
                continue
            s.append(rng.randrange(alphabet) if rng.random() < noise else symbol)
        if rng.random() < noise:
            s += [rng.randrange(alphabet) for _ in range(rng.randint(1, 6))]
    s += [rng.randrange(alphabet) for _ in range(rng.randint(0, 4))]
    return s[:most]


def make_repeats(rng):
    alphabet = rng.randint(2, 6)
    s = (noisy_records(rng, alphabet, 60) if rng.random() < 0.7
         else [rng.randrange(alphabet) for _ in range(rng.randint(2, 40))])
    return {"symbols": s, "min_length": rng.randint(1, 4), "min_count": rng.randint(2, 5),
            "max_variance": rng.choice([0.1, 0.36, 0.5]), "min_density": rng.choice([0.1, 0.2, 0.5]),
            "cluster_variance": rng.choice([0.05, 0.1, 0.2])}


def compare_repeats(given, got):
    options = {name: value for name, value in given.items() if name != "symbols"}
    wanted = iepad.candidates(given["symbols"], **options)
    found = sorted((repeat["len"], repeat["at"]) for repeat in got["repeats"])
    for repeat in got["repeats"]:
        measured = (iepad.variance(repeat["at"]), iepad.density(repeat["at"], repeat["len"]))
        if max(abs(measured[0] - repeat["variance"]), abs(measured[1] - repeat["density"])) > 1e-9:
            return "other measures", f"reference {measured}, engine {repeat}"
    return differ("candidates", [[n, at] for n, at in wanted], [[n, at] for n, at in found])


def make_star(rng):
    alphabet = rng.randint(2, 5)
    base = [rng.randrange(alphabet) for _ in range(rng.randint(1, 9))]
    strings = []
    for _ in range(rng.randint(2, 7)):
        s = []
        for symbol in base:
            if rng.random() < 0.15:
                s.append(rng.randrange(alphabet))
            if rng.random() > 0.15:
                s.append(symbol)
        strings.append(s or base)
    return {"strings": strings}


def compare_star(given, got):
    """Many alignments are equally good, so the answer is held to what section 2.4 asks of it: the center has the least
    consensus error, each string is aligned to the center as cheaply as can be, and the pattern is that of the columns."""
    strings, cells = given["strings"], got["cells"]
    errors = iepad.center(strings)
    if errors[got["center"]] != min(errors):
        return "other center", f"consensus errors {errors}, engine's center {got['center']}"
    middle = cells[got["center"]]
    for s, row in zip(strings, cells):
        if [p for p in row if p is not None] != list(range(len(s))):
            return "other alignment", f"{row} has not all symbols of {s} in order"
        cost = 0
        for mine, its in zip(row, middle):
            a = s[mine] if mine is not None else None
            b = strings[got["center"]][its] if its is not None else None
            cost += a != b
        if cost != iepad.distance(s, strings[got["center"]]):
            return "other alignment", f"{s} is aligned to the center at a cost of {cost}"
    columns = []
    for column in zip(*cells):
        symbols = sorted({s[p] for s, p in zip(strings, column) if p is not None})
        columns.append([symbols, None in column])
    return differ("pattern", columns, got["pattern"])


def make_match(rng):
    alphabet = rng.randint(2, 4)
    pattern = [[sorted(rng.sample(range(alphabet), rng.choice([1, 1, 1, 2]))), rng.random() < 0.3]
               for _ in range(rng.randint(1, 6))]
    s = []
    for _ in range(rng.randint(1, 6)):
        for symbols, optional in pattern:
            if not optional or rng.random() < 0.5:
                s.append(rng.choice(symbols))
        if rng.random() < 0.4:
            s.append(rng.randrange(alphabet))
    start = rng.randint(0, len(s))
    return {"pattern": pattern, "symbols": s, "start": start, "end": rng.randint(start, len(s))}


def compare_match(given, got):
    pattern, s = given["pattern"], given["symbols"]
    wanted = [[at, n, iepad.match_columns(pattern, s[at:at + n])] for at, n in iepad.matches(pattern, s)]
    turned = (iepad.turn_right(pattern, s, given["start"]), iepad.turn_left(pattern, s, given["end"]))
    if wanted == got["matches"] and turned != (got["right"], got["left"]) == iepad.turn_over_options(pattern, s, given["start"], given["end"]):
        return "rotation over options", f"as printed {turned}"
    return differ("matches", wanted, got["matches"]) or differ("rotation", turned, (got["right"], got["left"]))


# ---- MDR ----------------------------------------------------------------------------------------------------


# What may be inside of what, so that no parser has anything to repair.
BLOCK = ["div", "table", "b", "span", "form"]
INSIDE = {"body": BLOCK, "div": BLOCK, "td": BLOCK, "th": BLOCK, "form": ["div", "table", "b", "span"],
          "table": ["tr", "tr", "tbody"], "tbody": ["tr"], "tr": ["td", "td", "td", "th"], "span": ["b", "i"], "b": ["i"], "i": []}


def in_form(inside):
    return [tag for tag in inside if tag != "form"]


def random_subtree(rng, tag, depth, form=False):
    form = form or tag == "form"
    inside = in_form(INSIDE[tag]) if form else INSIDE[tag]
    parts = []
    if depth > 1 and inside:
        parts = [random_subtree(rng, rng.choice(inside), depth - 1, form) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
    if rng.random() < 0.5 and tag not in ("table", "tbody", "tr"):
        parts.insert(rng.randint(0, len(parts)), "x")
    return [tag] + parts


def mutated(rng, shape, rate):
    """A copy in which some elements are left out or added."""
    out, inside = [shape[0]], in_form(INSIDE[shape[0]])
    for part in shape[1:]:
        if rng.random() < rate:
            continue
        out.append(mutated(rng, part, rate) if isinstance(part, list) else part)
        if rng.random() < rate and inside:
            out.append([rng.choice(inside)])
    return out


def random_list(rng, tag, depth):
    """An element with runs of similar children; nested."""
    parts, inside = [], in_form(INSIDE[tag])
    for _ in range(rng.randint(1, 3)):
        unit = [random_subtree(rng, rng.choice(inside), rng.randint(1, 4), True) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
        if depth > 1 and rng.random() < 0.5 and unit[0][0] not in ("b", "i", "span"):
            unit[0] = random_list(rng, unit[0][0], depth - 1)
        rate = rng.choice([0, 0, 0.05, 0.15])
        for _ in range(rng.choice([1, 1, 2, 3, 4])):
            parts += [mutated(rng, shape, rate) for shape in unit]
    return [tag] + parts[:12]


def as_html(shape):
    if isinstance(shape, str):
        return shape
    return "<%s>%s</%s>" % (shape[0], "".join(map(as_html, shape[1:])), shape[0])


def make_mdr(rng):
    shape = ["html", ["body", random_list(rng, rng.choice(["table", "table", "div", "tbody"]), rng.randint(1, 3))]]
    return {"shape": shape, "html": as_html(shape), "every_tag": rng.random() < 0.6, "join": rng.random() < 0.7, "orphans": rng.random() < 0.7,
            "k": rng.choice([1, 2, 3, 10]), "t": rng.choice([0.2, 0.3, 0.3, 0.5])}


def compare_mdr(given, got):
    search = mdr.Mdr(mdr.build(given["shape"]), given["k"], given["t"], given["every_tag"])
    wanted = [{"parts": [[r.parent.number, r.combination, r.start - 1, r.count] for r in parts],
               "records": [[mdr.span(piece) for piece in record] for record in records]}
              for parts, records in search.run(given["join"], given["orphans"])]
    wanted.sort(key=lambda r: r["parts"])
    found = sorted(got["regions"], key=lambda r: r["parts"])
    return (differ("regions", [r["parts"] for r in wanted], [r["parts"] for r in found])
            or differ("records", [r["records"] for r in wanted], [r["records"] for r in found]))


# ---- SoftMealy ----------------------------------------------------------------------------------------------

SM_WORDS = {"CAlph": ["ASU", "CS", "MIT"], "C1Alph": ["Professor", "Associate", "Science"], "0Alph": ["and", "of"],
            "Num": ["12", "90210"]}
SM_OTHERS = {"Html": ["<i>", "</a>", "<li>", "</i>"], "Punc": [",", ".", ":"], "NL": ["1", "2"], "Spc": ["1", "5"],
             "Tab": ["1", "4"]}


def make_generalize(rng):
    left, rows = rng.random() < 0.5, []
    words = dict(rng.sample(sorted(SM_WORDS.items()), rng.randint(1, 4)))
    others = dict(rng.sample(sorted(SM_OTHERS.items()), rng.randint(1, 5)))

    def token(classes):
        cls = rng.choice(sorted(classes))
        return [cls, rng.choice(classes[cls][:rng.randint(1, 3)])]

    for _ in range(rng.randint(1, 7)):
        row = [token(others) for _ in range(rng.randint(0, 4))]
        if rng.random() < 0.6 or not row:
            row = [token(words)] + row if left else row + [token(words)]
        rows.append(row)
    return {"left": left, "tokens": rows, "rows": [softmealy.show(row) for row in rows]}


def compare_generalize(given, got):
    rows = [[tuple(token) for token in row] for row in given["tokens"]]
    return differ("rules", [softmealy.show(row) for row in softmealy.generalize(rows, given["left"])], got["rows"])


# ---- STALKER ------------------------------------------------------------------------------------------------

ALPHABETIC = ["_Alphabetic_", "_AlphaNum_"]
ST_TOKENS = {"Address": ["_Capitalized_", *ALPHABETIC], "Phone": ["_Capitalized_", *ALPHABETIC], "St": ["_Capitalized_", *ALPHABETIC],
             "LA": ["_AllCaps_", "_Capitalized_", *ALPHABETIC], "of": ALPHABETIC, "12": ["_Number_", "_AlphaNum_"],
             "97": ["_Number_", "_AlphaNum_"], ":": ["_Punctuation_"], ",": ["_Punctuation_"], "<i>": ["_HtmlTag_"],
             "</i>": ["_HtmlTag_"], "<b>": ["_HtmlTag_"], "</b>": ["_HtmlTag_"], "<p>": ["_HtmlTag_"]}


def st_page(texts):
    return [(text, ST_TOKENS[text]) for text in texts]


def make_landmarks(rng):
    texts = [rng.choice(sorted(ST_TOKENS)) for _ in range(rng.randint(1, 25))]
    rules = []
    for _ in range(rng.randint(1, 5)):
        backward = rng.random() < 0.4
        disjuncts = []
        for _ in range(rng.choice([1, 1, 2, 3])):
            landmarks = []
            for _ in range(rng.choice([1, 1, 2, 3])):
                at = rng.randrange(len(texts))
                marks = [text if rng.random() < 0.7 else rng.choice(ST_TOKENS[text]) for text in texts[at:at + rng.randint(1, 3)]]
                if rng.random() < 0.2:
                    marks[-1] = rng.choice(sorted(ST_TOKENS))
                verb = rng.choice(["To", "To", "Until"])
                landmarks.append((("Back" if backward else "Skip") + verb, marks))
            disjuncts.append(stalker.show(landmarks))
        first = rng.randint(0, len(texts) // 2)
        rules.append({"backward": backward, "first": first, "last": rng.randint(first, len(texts)), "disjuncts": disjuncts})
    return {"texts": texts, "html": " ".join(texts), "rules": rules}


def compare_landmarks(given, got):
    page = st_page(given["texts"])
    wanted = [[stalker.apply_rule([stalker.parse(d) for d in rule["disjuncts"]], page, rule["first"], rule["last"])]
              for rule in given["rules"]]
    return differ("tokens", len(page), got["tokens"]) or differ("positions", wanted, got["at"])


def make_induce(rng):
    """Pages of a template with alternatives; the item begins at the same place of it."""
    words = sorted(ST_TOKENS)
    pieces = [[[rng.choice(words) for _ in range(rng.randint(1, 3))] for _ in range(rng.choice([1, 1, 2]))] for _ in range(5)]
    pages, at, end = [], [], []
    for _ in range(rng.randint(1, 6)):
        texts, where = [], rng.randint(2, 3)
        for n, alternatives in enumerate(pieces):
            texts += rng.choice(alternatives) if rng.random() > 0.1 or n == 1 else []
            if n == 1:
                at.append(len(texts))
                texts += [rng.choice(["12", "97", "St", "of"]) for _ in range(rng.randint(1, where))]
                end.append(len(texts))
        pages.append(texts)
    return {"texts": pages, "pages": [" ".join(texts) for texts in pages], "at": at, "end": end, "backward": rng.random() < 0.4}


def compare_induce(given, got):
    """Which of the perfect rules is found depends on the order of refinements, so the rule is held to what section 2 asks."""
    pages, items = [st_page(texts) for texts in given["texts"]], given["at"]
    rule = [stalker.parse(d) for d in got["disjuncts"]]
    ends = [stalker.apply_rule(rule, page, 0, len(page)) for page in pages]
    right = sum(end == item for end, item in zip(ends, items))
    imperfect = stalker.count_imperfect(rule, pages, items)
    simple = stalker.one_token_rules(pages, items, given["backward"])
    return (differ("examples that the rule is right on", right, got["right"])
            or (("seed given up", f"right on {right} of {len(pages)}") if not got["imperfect"] and right < len(pages) else None)
            or (differ("imperfect disjuncts", 0, imperfect) if not got["imperfect"] else None)
            or (("other number of disjuncts", f"{stalker.show(simple[0])} is right on all, engine {got['disjuncts']}")
                if simple and len(rule) != 1 else None))


# ---- DataPro ------------------------------------------------------------------------------------------------

DP_TOKENS = {"_Allcaps_": ["USA", "LLC"], "_Capitalized_": ["New", "York", "Haven", "Main"], "_Lower_": ["of", "red", "by"],
             "_Number_": ["12", "7", "512"], "_Mixed_": ["b12", "7th"], "_Punct_": [".", ",", "$"]}


def make_datapro(rng):
    """Values of a few templates: each place is a token or any of a class."""
    def place():
        cls = rng.choice(sorted(DP_TOKENS))
        return cls, rng.choice(DP_TOKENS[cls]) if rng.random() < 0.5 else None

    templates = [[place() for _ in range(rng.randint(1, 6))] for _ in range(rng.randint(1, 4))]
    values = []
    for _ in range(rng.randint(1, 24)):
        value = [[text or rng.choice(DP_TOKENS[cls]), cls] for cls, text in rng.choice(templates)]
        if rng.random() < 0.1:
            value = value[:rng.randint(1, len(value))]
        values.append(value)
    return {"tokens": values, "values": [" ".join(text for text, _ in value) for value in values],
            "endings": rng.random() < 0.5}


def compare_datapro(given, got):
    values = [[tuple(token) for token in value] for value in given["tokens"]]
    return differ("patterns", datapro.patterns(values, given["endings"]), sorted(got["patterns"]))


# ---- EXALG --------------------------------------------------------------------------------------------------


class Site:
    """A random template, and pages made of it. A template is a list of parts: a word, ("in", tag, parts), ("value",), ("set", parts),
    ("optional", parts) or ("choice", [parts, ...])."""

    def __init__(self, rng):
        self.rng, self.names = rng, 0
        self.again = rng.choice([0, 0, 0.1, 0.3])    # a word of the template has several roles
        self.shared = rng.choice([0, 0, 0.05, 0.3])  # a word of a value is on other pages too
        self.template = [("in", "html", [("in", "body", self.parts(3))])]

    def word(self):
        if self.names and self.rng.random() < self.again:
            return "w%d" % self.rng.randint(1, self.names)
        self.names += 1
        return "w%d" % self.names

    def parts(self, depth):
        found = []
        for _ in range(self.rng.randint(2, 4)):
            kind = self.rng.random()
            if kind >= 0.75 and self.rng.random() < 0.8:  # apart from a value before it
                found.append(self.word())
            if kind < 0.35 or not depth:
                found += [self.word() for _ in range(self.rng.randint(1, 3))] + [("value",)]
            elif kind < 0.55:
                found.append(("in", self.rng.choice(["b", "i", "div", "span"]), self.parts(depth - 1)))
            elif kind < 0.75:
                found.append(("in", "ul", [("set", [("in", "li", [self.word(), *self.parts(depth - 1)])])]))
            elif kind < 0.9:
                found.append(("optional", [self.word(), ("in", "em", [self.word(), ("value",)]), self.word()]))
            else:
                found.append(("choice", [[self.word(), ("in", tag, [self.word(), ("value",)]), self.word()]
                                         for tag in ("code", "kbd")]))
        return found + [self.word() for _ in range(self.rng.randint(0, 1))]

    def tokens(self, parts, path):
        """[(token, occurrence path)]"""
        rng, out = self.rng, []
        for part in parts:
            if isinstance(part, str):
                out.append((part, path))
            elif part[0] == "in":
                inner = path + " " + part[1]
                out += [("<%s>" % part[1], inner), *self.tokens(part[2], inner), ("</%s>" % part[1], inner)]
            elif part[0] == "value":
                for _ in range(rng.choice([1, 1, 1, 2])):
                    out.append(("v%d" % (rng.randint(1, 3) if rng.random() < self.shared else rng.randrange(10 ** 6)), path))
            elif part[0] == "set":
                for _ in range(rng.choice([0, 1, 1, 2, 3])):
                    out += self.tokens(part[1], path)
            elif part[0] == "optional":
                out += self.tokens(part[1], path) if rng.random() < 0.6 else []
            else:
                out += self.tokens(rng.choice(part[1]), path)
        return out


def make_exalg(rng):
    site = Site(rng)
    strings = [site.tokens(site.template, "")[:80] for _ in range(rng.randint(2, 5))]
    whole = [string for string in strings if string[-1][0] == "</html>"]
    if len(whole) < 2:
        return make_exalg(rng)
    return {"strings": whole, "pages": [" ".join(token for token, _ in string) for string in whole],
            "size": rng.choice([2, 3, 3]), "support": rng.randint(2, max(2, len(whole)))}


def compare_exalg(given, got):
    strings = [[tuple(token) for token in string] for string in given["strings"]]
    pages, texts, classes, free = exalg.ecgm(strings, given["size"], given["support"])
    wanted = sorted([list(exalg.vector(c[0], pages)), [texts[d] for d in c if d not in (exalg.BEGIN, exalg.END)]]
                    for c in classes)
    found = sorted([c["vector"], c["tokens"]] for c in got["classes"])
    if wanted != found:
        return ("free choice of HANDINV" if free else "other classes",
                f"reference {wanted}, engine {found}")
    root = next(c for c in classes if exalg.BEGIN in c)
    try:
        return differ("schema", exalg.Template(pages, classes).schema(root), got["schema"])
    except exalg.Unknown:
        return "unknown pattern", f"classes and texts in one position; engine {got['schema']}"


CHECKS = {
    "repeats": Check("repeats", make_repeats, compare_repeats),
    "alignment": Check("star", make_star, compare_star),
    "matching": Check("match", make_match, compare_match),
    "mdr": Check("mdr", make_mdr, compare_mdr),
    "generalize": Check("generalize", make_generalize, compare_generalize),
    "landmarks": Check("landmarks", make_landmarks, compare_landmarks),
    "induction": Check("induce", make_induce, compare_induce),
    "exalg": Check("exalg", make_exalg, compare_exalg),
    "datapro": Check("datapro", make_datapro, compare_datapro),
}
