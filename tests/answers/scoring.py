"""How right records are. Texts are compared by their letters and digits alone, whatever their case."""
import collections
import html
import re
import unicodedata


def norm(text):
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", html.unescape(text))).casefold()


def leaves(cell, name=""):
    """The texts of a cell, with the names of their columns."""
    if isinstance(cell, dict):
        for key, value in cell.items():
            yield from leaves(value, f"{name}.{key}" if name else key)
    elif isinstance(cell, list):
        for value in cell:
            yield from leaves(value, name)
    elif cell is not None and norm(str(cell)):
        yield name, norm(str(cell))


def f1(right, found, wanted):
    return 2 * right / (found + wanted) if found + wanted else 1.0


def count_records(true, found):
    """(right, found, wanted): a record is right if it has nine tenths of the cells of a true one."""
    texts = ["".join(text for _, text in leaves(record)) for record in found]
    wanted = [[norm(value) for values in record.values() for value in values if norm(value)] for record in true]
    wanted = [cells for cells in wanted if cells]
    right, left = 0, list(texts)
    for cells in wanted:
        hit = next((n for n, text in enumerate(left) if sum(cell in text for cell in cells) >= 0.9 * len(cells)), None)
        if hit is not None:
            del left[hit]
            right += 1
    return right, len(texts), len(wanted)


def record_f1(true, found):
    return f1(*count_records(true, found))


def pages_f1(true, found):
    """Over the pages of a site together."""
    counts = [count_records(records, found.get(page, [])) for page, records in true.items()]
    return f1(*map(sum, zip(*counts)))


def columns(record):
    found = collections.defaultdict(set)
    for name, text in leaves(record):
        found[name].add(text)
    return found


def agreement(pages, attribute, column):
    right = found = wanted = 0
    for true, given in pages:
        t, g = true.get(attribute, set()), given.get(column, set())
        right, found, wanted = right + len(t & g), found + len(g), wanted + len(t)
    return f1(right, found, wanted), wanted


def site_f1(pairs, named):
    """The mean over attributes. Where names mean nothing, the column counts that agrees best."""
    pages = [(columns(true), columns(given)) for true, given in pairs]
    names = sorted({name for _, given in pages for name in given})
    scores = []
    for attribute in sorted({name for true, _ in pages for name in true}):
        tried = [attribute] if named else names or [attribute]
        best, wanted = max(agreement(pages, attribute, column) for column in tried)
        if wanted:
            scores.append(best)
    return sum(scores) / len(scores) if scores else 1.0
