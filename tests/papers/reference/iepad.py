"""IEPAD: Chang, Hsu, Lui, "Automatic information extraction from semi-structured Web pages by pattern discovery", Decision
Support Systems 35 (2003). Slow and plain, to be read beside the paper. Strings are lists of numbers, positions count from 0.
"""
import math

# ---- section 2.2: maximal repeats ---------------------------------------------------------------------------


def maximal_repeats(s):
    """[(substring, positions)] of the definition in section 2.2: left maximal and right maximal. The ends of the string
    are symbols of their own."""
    found = []
    for length in range(1, len(s)):
        places = {}
        for p in range(len(s) - length + 1):
            places.setdefault(tuple(s[p:p + length]), []).append(p)
        for repeat, at in places.items():
            left = {s[p - 1] if p > 0 else None for p in at}
            right = {s[p + length] if p + length < len(s) else None for p in at}
            if len(at) >= 2 and len(left) > 1 and len(right) > 1:
                found.append((repeat, at))
    return found


def period(repeat):
    return next(n for n in range(1, len(repeat) + 1) if repeat[n:] == repeat[:len(repeat) - n])


def is_piece_of_runs(s, repeat, at):
    """x(abc)^10 y has the maximal repeats abc, (abc)^2, ... and also abcabca: powers, whole or not, say nothing new. The
    paper does not say what to do with them. We drop a repeat that holds its period at least twice and of whose
    occurrences a third go on for another period; one whose occurrences stand apart is kept."""
    n, end = period(repeat), len(repeat)
    if 2 * n > end:
        return False
    return 3 * sum(s[p + end:p + end + n] == s[p + end - n:p + end] for p in at) >= len(at)


def without_overlap(at, length):
    """Occurrences that do not overlap, from left to right."""
    kept = []
    for p in at:
        if not kept or p >= kept[-1] + length:
            kept.append(p)
    return kept


# ---- section 2.3: variance, density, occurrence clustering --------------------------------------------------


def variance(at):
    """Equation (3): the coefficient of variation of the distances, with the population's sigma."""
    if len(at) < 2:
        return 0.0
    d = [b - a for a, b in zip(at, at[1:])]
    mean = (at[-1] - at[0]) / (len(at) - 1)
    return math.sqrt(sum((x - mean) ** 2 for x in d) / len(d)) / mean


def density(at, length):
    """Equation (4)."""
    return (len(at) - 1) * length / (at[-1] - at[0]) if len(at) > 1 else 1.0


def clusters(at, constant):
    """Section 2.3.1: C(i, j) grows while its variance is within the constant."""
    groups, i = [], 0
    for j in range(1, len(at) + 1):
        if j == len(at) or variance(at[i:j + 1]) > constant:
            groups.append(at[i:j])
            i = j
    return groups


def candidates(s, min_length, min_count, max_variance, min_density, cluster_variance):
    """[(length, positions)]: the sifted repeats of sections 2.2 and 2.3."""
    found, repeats = [], [(repeat, at) for repeat, at in maximal_repeats(s) if len(at) >= min_count]
    dropped = [repeat for repeat, at in repeats if len(repeat) >= min_length and is_piece_of_runs(s, repeat, at)]
    # The root of a power that was dropped stands for it, even if it is shorter than the minimum.
    roots = {repeat[:period(repeat)] for repeat in dropped if period(repeat) < min_length}
    for repeat, at in repeats:
        length = len(repeat)
        if repeat in dropped or length < min_length and repeat not in roots:
            continue
        at = without_overlap(at, length)
        if len(at) < min_count:
            continue
        groups = [at] if variance(at) <= max_variance else clusters(at, cluster_variance)
        for group in groups:
            if len(group) >= min_count and variance(group) <= max_variance and density(group, length) >= min_density:
                found.append((length, group))
    return sorted(found)


# ---- section 2.4: center star alignment ---------------------------------------------------------------------


def edit_table(a, b):
    """table[i][j]: the edit distance of a[i:] and b[j:]."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a), -1, -1):
        for j in range(len(b), -1, -1):
            ways = []
            if i < len(a) and j < len(b):
                ways.append(table[i + 1][j + 1] + (a[i] != b[j]))
            if i < len(a):
                ways.append(table[i + 1][j] + 1)
            if j < len(b):
                ways.append(table[i][j + 1] + 1)
            table[i][j] = min(ways, default=0)
    return table


def distance(a, b):
    return edit_table(a, b)[0][0]


def center(strings):
    """The sums of the distances of each string to all: the center is one with the least (consensus error)."""
    return [sum(distance(a, b) for b in strings) for a in strings]


# ---- section 2.4.1: pattern rotation ------------------------------------------------------------------------
# A pattern is a list of columns (set of symbols, optional).


def fixed(column):
    """The symbol of a column without options and alternatives, else None."""
    symbols, optional = column
    return next(iter(symbols)) if len(symbols) == 1 and not optional else None


def turn_right(pattern, s, start):
    """How many columns at the end go to the front: compared with the left string of the first occurrence. Bounded by
    the pattern's length. Given as the column that becomes the first."""
    turned = 0
    while turned < len(pattern) and turned < start:
        last = fixed(pattern[-1 - turned])
        if last is None or last != s[start - 1 - turned]:
            break
        turned += 1
    return (len(pattern) - turned) % len(pattern)


def turn_left(pattern, s, end):
    """How many columns at the front go to the end: compared with the right string of the last occurrence."""
    turned = 0
    while turned < len(pattern) and end + turned < len(s):
        first = fixed(pattern[turned])
        if first is None or first != s[end + turned]:
            break
        turned += 1
    return turned % len(pattern)


def turn_over_options(pattern, s, start, end):
    """Rotation to the right and to the left that passes columns with options, as long as one without is met beyond them: see the
    difference of that name."""
    right, at = len(pattern), start
    for c in range(len(pattern) - 1, -1, -1):
        if at == 0:
            break
        fits = s[at - 1] in pattern[c][0]
        if not fits and not pattern[c][1]:
            break
        at -= fits
        right = c if fits and fixed(pattern[c]) is not None else right
    left, at = 0, end
    for c, column in enumerate(pattern):
        if at == len(s):
            break
        fits = s[at] in column[0]
        if not fits and not column[1]:
            break
        at += fits
        left = c + 1 if fits and fixed(column) is not None else left
    return right % len(pattern), left % len(pattern)


# ---- section 3.2: matching ----------------------------------------------------------------------------------


def match_ends(pattern, s, at, column=0):
    """Where matches of pattern[column:] that begin at a position end."""
    if column == len(pattern):
        return {at}
    symbols, optional = pattern[column]
    ends = match_ends(pattern, s, at, column + 1) if optional else set()
    if at < len(s) and s[at] in symbols:
        ends |= match_ends(pattern, s, at + 1, column + 1)
    return ends


def matches(pattern, s):
    """[(position, length)] from left to right, the longest at each place ("the longest match is considered")."""
    found, at = [], 0
    while at < len(s):
        end = max(match_ends(pattern, s, at), default=at)
        if end > at:
            found.append((at, end - at))
        at = max(end, at + 1)
    return found


def match_columns(pattern, s):
    """Which column each symbol of a match is: the leftmost columns that lead to the end."""
    if not s:
        return [] if all(optional for _, optional in pattern) else None
    for c, (symbols, optional) in enumerate(pattern):
        if s[0] in symbols:
            rest = match_columns(pattern[c + 1:], s[1:])
            if rest is not None:
                return [c] + [c + 1 + r for r in rest]
        if not optional:
            return None
    return None
