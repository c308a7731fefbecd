"""DataPro: Knoblock, Lerman, Minton, Muslea, "Accurately and Reliably Extracting Data from the Web", section 4. Slow and plain,
to be read beside the paper. What the paper leaves open is decided as src/check/profile_learn.c says, in the places named below.

A value is a list of tokens, pairs (text, class).
"""
from math import comb

ALPHA = 0.05
DEPTH = 4  # tokens of a pattern at most

# The classes from the specific to the general, what each covers, and its chance in the text of web pages (profile_learn.c: a
# fixed table, since the field's own tokens would hold every field of one class for chance).
CLASSES = {
    "_Allcaps_": ({"_Allcaps_"}, 0.05),
    "_Capitalized_": ({"_Capitalized_", "_Allcaps_"}, 0.41),
    "_Lower_": ({"_Lower_"}, 0.32),
    "_Number_": ({"_Number_"}, 0.06),
    "_Mixed_": ({"_Mixed_"}, 0.02),
    "_Punct_": ({"_Punct_"}, 0.21),
    "_Alpha_": ({"_Allcaps_", "_Capitalized_", "_Lower_"}, 0.73),
    "_Word_": ({"_Allcaps_", "_Capitalized_", "_Lower_", "_Number_", "_Mixed_"}, 0.79),
}


def end_tokens(value, endings):
    """profile_learn.c: values of more than three tokens are described by their two halves, so that no token is told twice.
    Endings are read from the end backwards."""
    n = len(value)
    count = min(DEPTH, n if n <= 3 else n - n // 2)
    return value[::-1][:count] if endings else value[:count]


def tail(k, n, p):
    """The exact probability of k or more of n by chance."""
    return sum(comb(n, i) * p ** i * (1 - p) ** (n - i) for i in range(k, n + 1))


def significant(k, n, p):
    """profile_learn.c: what a single value does is no pattern."""
    return k >= 2 and tail(k, n, p) <= ALPHA


class Tree:
    def __init__(self, values, endings):
        self.ends = [end_tokens(value, endings) for value in values]
        self.all = [text for value in values for text, _ in value]
        self.patterns = []
        self.grow([], list(range(len(values))))

    def token_chance(self, text, cls, here):
        """profile_learn.c: the share of a token among the field's tokens elsewhere than at this place, with Laplace's correction,
        and at most half of its class's chance."""
        elsewhere = len(self.all) - len(here)
        times = self.all.count(text) - here.count(text)
        return min((times + 1) / (elsewhere + 2), CLASSES[cls][1] / 2)

    def grow(self, path, members):
        """The children of a node; returns how many of its values stop at it."""
        depth, left = len(path), list(members)
        at = {m: self.ends[m][depth] for m in members if depth < len(self.ends[m])}
        here = [text for text, _ in at.values()]
        for text, cls in sorted(set(at.values())):  # the most specific children: tokens
            takers = [m for m in left if at.get(m) == (text, cls)]
            p = self.token_chance(text, cls, here)
            if significant(len(takers), len(members), p):
                self.child(path + [text], takers, len(members), p)
                left = [m for m in left if m not in takers]
        for name, (covered, p) in CLASSES.items():  # then classes, on what is left
            takers = [m for m in left if m in at and at[m][1] in covered]
            if significant(len(takers), len(left), p):
                self.child(path + [name], takers, len(left), p)
                left = [m for m in left if m not in takers]
        return len(left)

    def child(self, path, members, n, p):
        """A node that is significant. The pattern extraction step: are the values that are "described by New but not by any of
        the longer sequences" of the tree still too many for chance? A longer sequence is a node of the tree, whether or
        not it becomes a pattern itself."""
        stop = self.grow(path, members)
        if significant(stop, n - (len(members) - stop), p):
            self.patterns.append((path, stop))


def patterns(values, endings):
    """[(pattern, how many values it describes)]; endings forwards."""
    found = Tree(values, endings).patterns
    return sorted([" ".join(path[::-1] if endings else path), count] for path, count in found)
