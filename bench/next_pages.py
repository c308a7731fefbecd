#!/usr/bin/env python3
"""Measures how often the link to the next page is found, on hosts that the model has not seen.

usage: bench/next_pages.py BUILD [--folds N] [--errors] [--program]

The pages are those of $THRESH_DATA/nextpage, whose truth.jsonl names the links to the next page as written (href), or
none. For each page one link is given or none:

    right     a link that the truth names
    wrong     a link that it does not name, or any link where it names none
    missed    a page with a link in the truth for which none, or a wrong one, is given

    precision = right / (right + wrong), recall = right / (right + missed), F1 is their harmonic mean.

The weights are fitted N times (10), each time without the hosts of the pages that are then measured. --errors lists the
pages that are not right, with what was given. --program also measures `thresh show --next`, whose weights have seen all
hosts.
"""
import argparse
import json
import os
import subprocess
import sys
import urllib.parse

import fit_next


def score(answers):
    """right, wrong, missed of (page, href or None) pairs."""
    right = wrong = missed = 0
    for page, href in answers:
        hit = href in page.truth
        right += hit
        wrong += href is not None and not hit
        missed += bool(page.truth) and not hit
    return right, wrong, missed


def measure(answers):
    right, wrong, missed = score(answers)
    precision, recall = right / max(right + wrong, 1), right / max(right + missed, 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return "F1 %.4f (precision %.4f, recall %.4f; right %d, wrong %d, missed %d)" % (
        f1, precision, recall, right, wrong, missed)


def ask_program(build, pages):
    """(page, href or None) as `thresh show --next` answers. An answer that is the URL of a link in the truth is that link."""
    for page in pages:
        done = subprocess.run([os.path.join(build, "thresh"), "show", "--next", "-f", "ndjson", "--url", page.url,
                               os.path.join(fit_next.data(), page.name)], check=True, text=True, stdout=subprocess.PIPE)
        url = json.loads(done.stdout)["next"]
        yield page, next((href for href in page.truth if urllib.parse.urljoin(page.url, href) == url), url)


def main(argv):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--program", action="store_true")
    given = parser.parse_args(argv)
    names, pages = fit_next.read_pages(os.path.abspath(given.build))
    answers = list(fit_next.held_out(names, pages, given.folds))
    for page, href, chances in answers if given.errors else []:
        if (href is None) != (not page.truth) or href is not None and href not in page.truth:
            print("%s %s\n    given %s (none: %.2f), truth %s" % (page.name, page.url, href, chances[0], page.truth))
            for hrefs, row, chance in zip(page.hrefs, page.evidence, chances[1:]):
                if chance > 0.02 or set(hrefs) & set(page.truth):
                    print("    %.2f %s: %s" % (chance, hrefs[0], " ".join(n.lower() for n, x in zip(names, row) if x)))
    print("held out, %d folds by host: %s" % (given.folds, measure((page, href) for page, href, _ in answers)))
    if given.program:
        print("the program:                %s" % measure(ask_program(os.path.abspath(given.build), pages)))


if __name__ == "__main__":
    main(sys.argv[1:])
