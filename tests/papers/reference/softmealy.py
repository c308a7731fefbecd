"""SoftMealy: Hsu, Dung, "Generating finite-state transducers for semi-structured data extraction from the Web", Information
Systems 23(8), 1998. Section 3.1: the alignment of contexts and Algorithm 1. Slow and plain, to be read beside the paper.

A token is a pair (class, value), a generalized one (class, None). A context is a list of tokens in the order of the page.
"""
# Section 2.2 and figure 5. The figure is lost: only CAlph, C1Alph -> CnAlph is stated; the other classes are trees of
# their own.
WORDS = ("CAlph", "C1Alph", "CnAlph", "0Alph", "Num")
CONTROL = ("NL", "Spc", "Tab")
PARENT = {"CAlph": "CnAlph", "C1Alph": "CnAlph"}


def tree(cls):
    return PARENT.get(cls, cls)


def ancestors(token):
    """A token, then what covers it, from the specific to the general."""
    cls, value = token
    return ([token] if value is not None else []) + [(cls, None)] + ([(PARENT[cls], None)] if cls in PARENT else [])


def common(tokens):
    """The least common ancestor of tokens of one tree."""
    return next(a for a in ancestors(tokens[0]) if all(a in ancestors(t) for t in tokens))


def align(rows, left):
    """Section 3.1: words in a column of their own, the others by their distance from the separator. Each row becomes
    {column: index of its token}. A context is [word] nonword* on the left side, nonword* [word] on the right."""
    aligned = []
    for row in rows:
        columns = {}
        for i, (cls, _) in enumerate(row):
            from_separator = len(row) - 1 - i if left else i
            columns["word" if cls in WORDS else from_separator] = i
        aligned.append(columns)
    return aligned


def generalize(rows, left):
    """Algorithm 1, with the two heuristics of the text: control characters t(v) always become t(_), and so does a token
    without another one of its tree in its column. Example 4 takes equal tokens for such another one."""
    aligned, out = align(rows, left), [list(row) for row in rows]
    for column in {c for columns in aligned for c in columns}:
        cells = [(r, columns[column]) for r, columns in enumerate(aligned) if column in columns]
        for r, i in cells:
            cls, _ = rows[r][i]
            same = [rows[q][k] for q, k in cells if tree(rows[q][k][0]) == tree(cls)]
            if cls in CONTROL or len(same) == 1:
                out[r][i] = (cls, None)
            else:
                out[r][i] = common(same)
    kept = []
    for row in out:
        if row not in kept:
            kept.append(row)
    return kept


def show(row):
    """The paper's notation."""
    return " ".join("%s(%s)" % (cls, "_" if value is None else value) for cls, value in row)
