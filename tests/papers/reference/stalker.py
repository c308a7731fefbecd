"""STALKER: Knoblock, Lerman, Minton, Muslea, "Accurately and Reliably Extracting Data from the Web" (2000), section 2. How rules
are applied, and what a learnt rule must be. Slow and plain, to be read beside the paper.

A page is a list of tokens, pairs (text, classes); a position is the number of tokens before it. A rule is a list of disjuncts, a
disjunct a list of landmarks (verb, [mark, ...]). A mark is a token's text or a wildcard.
"""
WILDCARDS = ("_Number_", "_AllCaps_", "_Capitalized_", "_Alphabetic_", "_AlphaNum_", "_Punctuation_", "_HtmlTag_")


def matches(mark, token):
    text, classes = token
    return mark in classes if mark in WILDCARDS else mark == text


def landmark_at(marks, page, at):
    return all(matches(mark, token) for mark, token in zip(marks, page[at:at + len(marks)]))


def apply_disjunct(disjunct, page, first, last):
    """Where a disjunct leads between two positions, or None. SkipTo: "skip every token until you find a landmark", and
    stop behind it; SkipUntil stops before it. BackTo and BackUntil the same from the end."""
    at = last if disjunct and disjunct[0][0].startswith("Back") else first
    for verb, marks in disjunct:
        if verb.startswith("Skip"):
            places = [p for p in range(at, last - len(marks) + 1) if landmark_at(marks, page, p)]
        else:
            places = [p for p in range(at - len(marks), first - 1, -1) if landmark_at(marks, page, p)]
        if not places:
            return None
        before = verb in ("SkipUntil", "BackTo")
        at = places[0] if before else places[0] + len(marks)
    return at


def apply_rule(rule, page, first, last):
    """"The wrapper successively applies each disjunct in the list until it finds the first one that matches.\""""
    return next((at for at in (apply_disjunct(d, page, first, last) for d in rule) if at is not None), None)


def show(disjunct):
    return " ".join("%s(%s)" % (verb, " ".join(marks)) for verb, marks in disjunct)


def parse(text):
    """The landmarks of a disjunct as the engine writes it; the inputs have no parentheses."""
    return [(part.split("(")[0].strip(), part.split("(")[1].split()) for part in text.split(")") if part.strip()]


def is_perfect(disjunct, pages, items):
    """"A rule that covers at least one training example and on any example the rule matches, it produces the correct result."
    """
    ends = [apply_disjunct(disjunct, page, 0, len(page)) for page in pages]
    return any(end is not None for end in ends) and all(end in (None, item) for end, item in zip(ends, items))


def count_imperfect(rule, pages, items):
    """"Once STALKER obtains a perfect disjunct P, it removes from E all examples on which P is correct, and the whole process is
    repeated": a disjunct is judged on the examples that those before it are not correct on."""
    left, imperfect = list(zip(pages, items)), 0
    for disjunct in rule:
        imperfect += not is_perfect(disjunct, *zip(*left)) if left else True
        left = [(page, item) for page, item in left if apply_disjunct(disjunct, page, 0, len(page)) != item]
    return imperfect


def one_token_rules(pages, items, backward):
    """The initial candidates that are right on all examples: one landmark of the token beside the item, or of a wildcard
    that covers it."""
    found = []
    for page, item in zip(pages, items):
        beside = item if backward else item - 1
        if not 0 <= beside < len(page):
            return []
        text, classes = page[beside]
        for mark in [text, *classes]:
            rule = [("BackTo" if backward else "SkipTo", [mark])]
            if all(apply_disjunct(rule, p, 0, len(p)) == i for p, i in zip(pages, items)):
                found.append(rule)
    return found
