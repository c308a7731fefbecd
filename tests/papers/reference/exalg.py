"""EXALG: Arasu, Garcia-Molina, "Extracting Structured Data from Web Pages" (SIGMOD 2003, with the appendix of the long version).
Slow and plain, to be read beside the paper. What the paper leaves open is marked with "decision".

A page is a list of tokens, pairs (text, occurrence path). A dtoken is a number; a page of dtokens is a tuple of them, and so is
an ordered class.
"""
import collections
import functools

BEGIN, END = 0, 1  # footnote 8: dummies, which make sure of the root class (decision: one of each)


# ---- 4.4: FINDEQ ----


def vector(dtoken, pages):
    """Definition 4.1."""
    return tuple(page.count(dtoken) for page in pages)


def find_classes(pages, size, support):
    """Definition 4.2: maximal sets of dtokens with one occurrence vector, large and frequent (decision: at least)."""
    classes = collections.defaultdict(list)
    for dtoken in dict.fromkeys(d for page in pages for d in page):
        classes[vector(dtoken, pages)].append(dtoken)
    root = (1,) * len(pages)
    return [tuple(c) for v, c in classes.items() if v == root or len(c) >= size and sum(n > 0 for n in v) >= support]


# ---- 4.1: ordered, span, positions, nested ----


def projection(cls, page):
    return [d for d in page if d in cls]


def order(cls, pages):
    """Definition 4.3: on each page the class's tokens come as t1 .. tm, t1 .. tm, ...; None without such an order."""
    first = next(p for p in (projection(cls, page) for page in pages) if p)[:len(cls)]
    for page in pages:
        own = projection(cls, page)
        if own != first * (len(own) // len(cls)):
            return None
    return tuple(first)


@functools.lru_cache(1 << 12)
def occurrences(cls, page):
    """The occurrences of an ordered class: each a list of places on the page."""
    places = [i for i, d in enumerate(page) if d in cls]
    return [places[i:i + len(cls)] for i in range(0, len(places), len(cls))]


@functools.lru_cache(1 << 16)
def position(place, cls, page):
    """(occurrence, p) if a place is within Pos(p) of an occurrence of a class, else None."""
    for n, own in enumerate(occurrences(cls, page)):
        for p in range(len(own) - 1):
            if own[p] < place < own[p + 1]:
                return n, p + 1
    return None


def overlap(a, b):
    return a[0] < b[-1] and b[0] < a[-1]


def is_inside(inner, outer, pages):
    """Definition 4.4, case 2: all spans of one class are within Pos(p) of the other, for one p."""
    seen = set()
    for page in pages:
        for own in occurrences(inner, page):
            at = {position(place, outer, page) for place in own}
            if len(at) != 1 or None in at:
                return False
            seen.add(next(iter(at))[1])
    return len(seen) == 1


def are_nested(a, b, pages):
    apart = all(not overlap(x, y) for page in pages for x in occurrences(a, page) for y in occurrences(b, page))
    return apart or is_inside(a, b, pages) or is_inside(b, a, pages)


def token_positions(a, b, pages):
    """For each token of a: the positions of b that its occurrences are in, None for outside."""
    found = []
    for t in a:
        at = [position(i, b, page) for page in pages for i, d in enumerate(page) if d == t]
        found.append({p and p[1] for p in at})
    return found


def are_nearly_nested(a, b, pages):
    """Definition A.2."""
    return all(len(at - {None}) <= 1 for x, y in ((a, b), (b, a)) for at in token_positions(x, y, pages))


# ---- appendix A: HANDINV ----


def in_pieces(cls, pages):
    """Definition A.1, almost ordered. Any class can be partitioned into single tokens (decision: the pieces are the longest runs of
    tokens that always follow each other directly among the class's own)."""
    after = {t: set() for t in cls}
    before = {t: set() for t in cls}
    for page in pages:
        own = [None] + projection(cls, page) + [None]
        for x, y in zip(own, own[1:]):
            if x is not None:
                after[x].add(y)
            if y is not None:
                before[y].add(x)
    following = {x: y for x in cls for y in after[x] if len(after[x]) == 1 and y is not None and len(before[y]) == 1}
    pieces = []
    for start in cls:
        if start in following.values():
            continue
        piece = [start]
        while piece[-1] in following and following[piece[-1]] not in piece:
            piece.append(following[piece[-1]])
        pieces.append(tuple(piece))
    return pieces


def longest_chain(cls, pages):
    """Decision: an unordered root class keeps its largest set of tokens that are in one order on all pages."""
    where = {t: [page.index(t) for page in pages] for t in cls}
    ranked = sorted(cls, key=lambda t: where[t])
    best = {}
    for i, t in enumerate(ranked):
        lower = [best[u] for u in ranked[:i] if all(x < y for x, y in zip(where[u], where[t]))]
        best[t] = max(lower, key=len, default=()) + (t,)
    return best[END]


def longest_chains(cls, pages):
    """How many such sets there are: with more than one the choice is free."""
    where = {t: [page.index(t) for page in pages] for t in cls}
    ranked = sorted(cls, key=lambda t: where[t])
    best = {}
    for i, t in enumerate(ranked):
        lower = [best[u] for u in ranked[:i] if all(x < y for x, y in zip(where[u], where[t]))]
        most = max((n for n, _ in lower), default=0)
        best[t] = (most + 1, sum(ways for n, ways in lower if n == most) or 1)
    return best[END][1]


class Handinv:
    def __init__(self, pages, size, support):
        self.pages, self.size, self.support = pages, size, support
        self.free_choices = 0  # where the paper lets several answers be right

    def is_root(self, cls):
        return BEGIN in cls

    def run(self, classes):
        classes = self.ordered(classes)
        while True:
            classes = self.well_nested(classes)
            cut = self.split(classes)
            if cut == classes:
                return classes
            classes = cut

    def ordered(self, classes):
        found = []
        for cls in classes:
            in_order = order(cls, self.pages)
            if in_order:
                found.append(in_order)
            elif self.is_root(cls):
                self.free_choices += longest_chains(cls, self.pages) > 1
                found.append(longest_chain(cls, self.pages))
            else:
                found += [piece for piece in in_pieces(cls, self.pages) if len(piece) >= self.size]
        return found

    def well_nested(self, classes):
        """"HANDINV greedily picks the one that is badly nested with a lot of other equivalence classes and deletes it." Decision: a tie
        removes the smaller, then the rarer."""
        classes = list(classes)
        while True:
            bad = {a: sum(a != b and not are_nested(a, b, self.pages) and not are_nearly_nested(a, b, self.pages)
                          for b in classes) for a in classes}
            if not any(bad.values()):
                return classes
            rank = {c: (bad[c], -len(c), -sum(n > 0 for n in vector(c[0], self.pages)))
                    for c in classes if bad[c] and not self.is_root(c)}
            worst = max(rank, key=rank.get)
            self.free_choices += sum(rank[c] == rank[worst] for c in rank) > 1
            classes.remove(worst)

    def split(self, classes):
        """The final step "considers each pair of equivalence classes that is almost-nested, but not nested": all pairs of the set as
        it is, and then each class is cut wherever a pair cuts it."""
        cuts = {c: set() for c in classes}
        for i, a in enumerate(classes):
            for b in classes[i + 1:]:
                if not are_nested(a, b, self.pages):
                    for cls, other in self.invalid(a, b):
                        cuts[cls] |= self.cuts(cls, other)
        found = []
        for cls in classes:
            at = [0, *sorted(cuts[cls]), len(cls)]
            found += [cls[i:j] for i, j in zip(at, at[1:]) if j - i >= self.size or len(at) == 2]
        return found

    def invalid(self, a, b):
        """Which of a pair are cut, as pairs (class, other class)."""
        pairs = [(x, y) for x, y in ((a, b), (b, a)) if not self.is_root(x) and self.cuts(x, y)]
        if len(pairs) < 2:
            return pairs
        always = [all(any(overlap(x, y) for y in occurrences(other, page))
                      for page in self.pages for x in occurrences(cls, page)) for cls, other in pairs]
        if always[0] != always[1]:  # "each occurrence of E_j overlaps with an occurrence of E_i but not vice versa": E_j is invalid
            return [pair for pair, overlaps in zip(pairs, always) if overlaps]
        if not always[0]:  # "neither E_i and E_j are valid, and both are partitioned"
            return pairs
        # Both always overlap. The paper holds it for impossible, but an occurrence may overlap two of the other class (decision:
        # the smaller one is cut; the choice is free).
        self.free_choices += 1
        return [min(pairs, key=lambda pair: len(pair[0]))]

    def cuts(self, cls, other):
        """"Each contiguous set of tokens of E_j that occur in the same position p of an occurrence of E_i": the places between two
        tokens that some occurrence of the class has in different ones, or one of them outside."""
        return {n for n in range(1, len(cls)) for page in self.pages for own in occurrences(cls, page)
                if position(own[n - 1], other, page) != position(own[n], other, page)}


# ---- 4.3: DIFFEQ ----


def differentiate(pages, classes):
    """Observation 4.5 with every class: a dtoken becomes (dtoken, its contexts), where it has more than one."""
    contexts = [[tuple((position(i, c, page) or (0, 0))[1] for c in classes) for i in range(len(page))] for page in pages]
    seen = collections.defaultdict(set)
    for page, own in zip(pages, contexts):
        for d, context in zip(page, own):
            seen[d].add(context)
    return [[(d, context) if len(seen[d]) > 1 else (d, None) for d, context in zip(page, own)]
            for page, own in zip(pages, contexts)]


def ecgm(strings, size, support):
    """Figure 5: the loop. Pages of dtokens, their texts, the classes, and how many choices were free."""
    texts = ["begin", "end"]
    numbers = {}

    def number(key, text):
        if key not in numbers:
            numbers[key] = len(texts)
            texts.append(text)
        return numbers[key]

    # DIFFFORM: a token with its path
    pages = [(BEGIN, *[number(token, token[0]) for token in string], END) for string in strings]
    free = 0
    while True:
        handinv = Handinv(pages, size, support)
        classes = handinv.run(find_classes(pages, size, support))
        free += handinv.free_choices
        again = differentiate(pages, classes)
        if all(context is None for page in again for _, context in page):
            return pages, texts, classes, free
        numbers = {}
        pages = [tuple(d if context is None else number((d, context), texts[d]) for d, context in page) for page in again]


# ---- 5.2: CONSTTEMP ----


class Unknown(Exception):
    """Pattern 6 of table 1."""


class Template:
    """The schema of the values. Positions that have none of the patterns 1 to 5 of table 1 raise Unknown."""

    def __init__(self, pages, classes):
        self.pages, self.classes, self.empty = pages, classes, {}

    def is_empty(self, cls):
        if cls not in self.empty:
            self.empty[cls] = self.has_no_values(cls)
        return self.empty[cls]

    def has_no_values(self, cls):
        return all(own[i] + 1 == own[i + 1] for page in self.pages for own in occurrences(cls, page) for i in range(len(own) - 1))

    def pos_string(self, page, first, last):
        """Section 5.1: the classes and tokens between two places, but not what is inside of a class's span. Tokens that follow each
        other are one item; empty classes are among them, as pattern 5 of table 1 has it."""
        items, at = [], first + 1
        while at < last:
            cls = next((c for c in self.classes for own in occurrences(c, page) if own[0] == at and not self.is_empty(c)), None)
            if cls:
                items.append(cls)
                at = next(own[-1] for own in occurrences(cls, page) if own[0] == at) + 1
            else:
                if not items or not isinstance(items[-1], list):
                    items.append([])
                items[-1].append(page[at])
                at += 1
        return [tuple(item) if isinstance(item, tuple) else ("text", *item) for item in items]

    def schema(self, cls):
        members = []
        for p in range(len(cls) - 1):
            strings = [self.pos_string(page, own[p], own[p + 1]) for page in self.pages for own in occurrences(cls, page)]
            if any(strings):  # a position is empty if its tokens are always contiguous
                members.append(self.position(strings))
        return "<" + ",".join(members) + ">"

    def position(self, strings):
        """Table 1. Decision: optional and disjunction before list, list before separated list; disjunctions have any width."""
        items = {item for string in strings for item in string}
        classes = [c for c in self.classes if c in items]
        texts = [item for item in items if item[0] == "text"]
        if not classes:
            return "B"  # 5
        if texts and len(classes) == 1 and len(set(texts)) == 1 and all(
                string == [classes[0] if i % 2 == 0 else texts[0] for i in range(len(string))] and len(string) % 2
                for string in strings if string):
            return "{" + self.schema(classes[0]) + "}"  # 2
        if texts:
            raise Unknown
        lengths = {len(string) for string in strings}
        if len(classes) == 1 and lengths == {0, 1}:
            return "(" + self.schema(classes[0]) + ")?"  # 4
        if len(classes) > 1 and lengths == {1}:
            return "|".join(self.schema(c) for c in sorted(classes, key=lambda c: strings.index([c])))  # 3
        if len(classes) == 1 and max(lengths) > 1:
            return "{" + self.schema(classes[0]) + "}"  # 1
        if len(classes) == 1 and lengths == {1}:  # decision: a tuple as it is
            return self.schema(classes[0])
        raise Unknown
