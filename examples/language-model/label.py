#!/usr/bin/env python3
"""A language model labels a few pages; Thresh checks what it says, learns, and reads all others without it.

    examples/language-model/label.py FOLDER

`ask_model` stands for the model: here it is a table of answers, so that nothing is fetched. Put a call of your model in
its place. It is asked about one page at a time, told what was wrong with its last answer, and asked again at most
twice. `thresh labels` says what is not on the page, `thresh suggest` which page to ask about next.
"""
import json
import os
import subprocess
import sys

FIELDS = ["name", "departs", "fare", "note"]
QUESTIONS = 5

# What the model says at first, and when it is told what is wrong. As models do, it writes a fare in a form that the page
# does not have, and a note from memory.
ANSWERS = {
    "harbour-loop.html": [["Harbour loop", "9.15", "8.50 pounds", None], ["Harbour loop", "9.15", "£ 8.50", None]],
    "island-express.html": [["Island express", "7.00", "£ 21.00", "Bikes can travel free"],
                            ["Island express", "7.00", "£ 21.00", "Bikes travel free"]],
    "mussel-bay.html": [["Mussel bay", "10.00", None, None]],
}


def thresh(*words):
    """The exit code of a command, its output, and its messages."""
    done = subprocess.run(["thresh", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def ask_model(page, text, problems):
    """A record with FIELDS; null where the page has no such value. `problems` is what was wrong with the last answer."""
    prompt = (f"Give {', '.join(FIELDS)} of this page as JSON. Copy values exactly; null where there is none.\n{text}\n"
              + "".join(f"Your last answer was wrong: {problem}\n" for problem in problems))
    del prompt  # a model would read it
    return dict(zip(FIELDS, ANSWERS[os.path.basename(page)][1 if problems else 0]))


def check(page, record, path):
    """Writes the label of a page and gives what is wrong with it."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps({"page": page, "record": record}, ensure_ascii=False) + "\n")
    _, _, said = thresh("labels", "-q", path, page)
    return [line.partition(f"{page}: ")[2] for line in said.splitlines()]


def label(page, path):
    """The model's record of a page, checked; None where it cannot give one."""
    _, text, _ = thresh("show", "--text", page)
    problems = []
    for _ in range(3):
        record = ask_model(page, text, problems)
        problems = check(page, record, path)
        if not problems:
            print(f"{page}: labelled")
            return record
        for problem in problems:
            print(f"{page}: refused: {problem}")
    return None


def next_page(wrapper, pages):
    """The page whose label would help most; None where nothing is in doubt."""
    _, out, _ = thresh("suggest", "-q", "-w", wrapper, "-f", "ndjson", "--most", "1", *pages)
    return json.loads(out.splitlines()[0])["page"] if out else None


def main(folder):
    pages = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".html"))
    labels, page = {}, pages[0]
    for _ in range(QUESTIONS):
        record = label(page, "one.jsonl")
        if record is None:
            sys.exit(f"the model cannot label {page}")
        labels[page] = record
        with open("labels.jsonl", "w", encoding="utf-8") as file:
            for name, values in labels.items():
                file.write(json.dumps({"page": name, "record": values}, ensure_ascii=False) + "\n")
        code, _, said = thresh("learn", "-q", "--labels", "labels.jsonl", "-o", "wrapper.json", *pages)
        if code:
            sys.exit(said)
        page = next_page("wrapper.json", [name for name in pages if name not in labels])
        if page is None:
            break
        print(f"{page}: asked about next")
    print(f"{len(labels)} of {len(pages)} pages labelled; wrapper.json reads all of them")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
