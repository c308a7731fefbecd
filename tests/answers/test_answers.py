#!/usr/bin/env python3
"""The answers of every engine and job are as they were, page by page, and no figure falls.

usage: test_answers.py THRESH THRESH-GEN [ENGINE]... [--update] [--keep FOLDER]

pins.txt stores, for each job, a digest of the answer on every page and the figure (F1, or the share of right
verdicts). The test fails where a figure falls below 0.995 of the stored one, or where an answer differs; it names
the pages that changed, so that each can be looked at. When the changes are wanted, --update stores the new answers.
Generated sites are made here; real ones are taken from $THRESH_DATA where their truth is the one that was pinned,
and skipped elsewhere. Engines that are named are the only ones that are asked. --keep leaves pages and wrappers in
a folder.
"""
import hashlib
import os
import sys
import tempfile

import answers

PINS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pins.txt")
REAL = ("lists", "mixed", "versions", "detail")
SKIP = 77
KEPT = 0.995  # of the stored figure
SHOWN = 12  # changed pages of a job that are named
PER_LINE = 16


def truth_digest(folder):
    with open(os.path.join(folder, "truth.jsonl"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def read_pins():
    """({set: digest of its truth}, {job: (figure or None, digests)})"""
    sets, pins, job = {}, {}, None
    if os.path.exists(PINS):
        with open(PINS, encoding="utf-8") as file:
            for line in file:
                words = line.split()
                if words[:1] == ["set"]:
                    sets[words[1]] = words[2]
                elif words[:1] == ["job"]:
                    job = " ".join(words[1:4])
                    pins[job] = (float(words[4]) if words[4] != "-" else None, [])
                elif words and not line.startswith("#"):
                    pins[job][1].extend(words)
    return sets, pins


def write_pins(sets, pins):
    with open(PINS + ".new", "w", encoding="utf-8") as file:
        file.write("# Answers of every job: its figure, and a digest for each page in the order of their names.\n"
                   "# Made by test_answers.py --update.\n")
        for name in sorted(sets):
            file.write(f"set {name} {sets[name]}\n")
        for name in sorted(pins):
            figure, digests = pins[name]
            file.write(f"job {name} {'-' if figure is None else format(figure, '.4f')}\n")
            for n in range(0, len(digests), PER_LINE):
                file.write("  " + " ".join(digests[n:n + PER_LINE]) + "\n")
    os.replace(PINS + ".new", PINS)


def find_sets(gen, room, sets, update):
    """Where the pages of each set are; real sets only where they are the pinned ones."""
    found = {}
    for group in answers.GENERATED:
        found[group] = os.path.join(room, group)
        os.makedirs(found[group], exist_ok=True)
        answers.generate(gen, group, found[group])
    root = os.environ.get("THRESH_DATA")
    for group in REAL:
        folder = os.path.join(root, group) if root else None
        if not folder or not os.path.exists(os.path.join(folder, "truth.jsonl")):
            print(f"skipped: {group}: no such pages in $THRESH_DATA")
        elif not update and sets.get(group) != truth_digest(folder):
            print(f"skipped: {group}: other pages than the pinned ones")
        else:
            found[group] = folder
    return found


def compare(job, pin):
    """Prints what differs; returns the number of failures."""
    figure, digests = pin
    pages = sorted(job.digests)
    got = job.figure()
    low = figure is not None and (got is None or got < KEPT * figure)
    if len(pages) == len(digests):
        changed = [page for page, old in zip(pages, digests) if job.digests[page] != old]
    else:
        changed = pages
        print(f"{job.name}: {len(pages)} answers instead of {len(digests)}")
    if low:
        print(f"{job.name}: figure {got or 0:.4f}, pinned {figure:.4f}: TOO LOW")
    if changed:
        print(f"{job.name}: {len(changed)} of {len(pages)} answers changed"
              + (f"; figure {got:.4f}, pinned {figure:.4f}" if figure is not None and got is not None else "") + ": "
              + ", ".join(changed[:SHOWN]) + (" ..." if len(changed) > SHOWN else ""))
    return bool(low or changed)


def main(argv):
    words = [word for word in argv if not word.startswith("--")]
    keep = None
    if "--keep" in argv:
        keep = argv[argv.index("--keep") + 1]
        words.remove(keep)
    if len(words) < 2:
        sys.exit(__doc__)
    if os.environ.get("THRESH_WRAP"):
        print("skipped: under valgrind the answers are those of every other build, and take an hour")
        return SKIP
    thresh, gen = map(os.path.abspath, words[:2])
    update = "--update" in argv
    sets, pins = read_pins()
    with tempfile.TemporaryDirectory() as temporary:
        room = os.path.abspath(keep or temporary)
        found = find_sets(gen, room, sets, update)
        jobs = answers.answer(thresh, found, room, words[2:])
    failures = 0
    for name in sorted(jobs):
        if name in pins:
            failures += compare(jobs[name], pins[name])
        else:
            print(f"{name}: not pinned yet")
            failures += 1
    gone = [name for name in pins if name not in jobs and name.split()[2] in found and not words[2:]]
    for name in gone:
        print(f"{name}: pinned, but no such job")
    if update:
        sets.update((group, truth_digest(found[group])) for group in REAL if group in found)
        pins.update((name, (job.figure(), [job.digests[page] for page in sorted(job.digests)]))
                    for name, job in jobs.items())
        write_pins(sets, {name: pin for name, pin in pins.items() if name not in gone})
        print(f"{len(pins)} jobs stored in {PINS}")
        return 0
    print(f"{len(jobs)} jobs on {len(found)} sets, {failures + len(gone)} differ")
    return 1 if failures or gone else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
