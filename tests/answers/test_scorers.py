#!/usr/bin/env python3
"""Tests of bench/score_lists.py and bench/score_detail.py: small truths and answers whose figures can be checked by hand."""
import json
import os
import subprocess
import sys
import tempfile

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")


def score(scorer, truth, found, *flags):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, rows in (("truth", truth), ("found", found)):
            paths.append(os.path.join(folder, name))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
        run = subprocess.run([sys.executable, os.path.join(BENCH, scorer), *paths, *flags, "--json"],
                             capture_output=True, text=True, check=True)
        return json.loads(run.stdout)


def expect(got, **wanted):
    wrong = {name: (got.get(name), value) for name, value in wanted.items() if got.get(name) != value}
    assert not wrong, f"{wrong} (got, wanted) in {got}"


TRUTH = [{"page": "a.html", "site": "s", "records": [
    {"title": ["Green Leaf Tea"], "price": ["$ 3.50"]},
    {"title": ["Black Leaf Tea"], "price": ["$ 4.00"]}]}]


def page(*regions, name="a.html"):
    return [{"page": name, "regions": [{"records": region} for region in regions]}]


RIGHT = [{"name": "GREEN leaf tea", "cost": "3.50"}, {"name": "Black  Leaf Tea!", "cost": "4.00"}]


def test_letters_and_digits_count():
    expect(score("score_lists.py", TRUTH, page(RIGHT)), pages=1, unanswered=0, record_f1=1, perfect_pages=1, cell_f1=1)


def test_records_may_be_lists_of_cells():
    expect(score("score_lists.py", TRUTH, page([list(r.values()) for r in RIGHT])), record_f1=1, cell_f1=1)


def test_a_page_without_a_line_is_nothing_found():
    expect(score("score_lists.py", TRUTH, []), unanswered=1, record_recall=0, record_f1=0, perfect_pages=0)


def test_folders_before_a_name_do_not_matter():
    expect(score("score_lists.py", TRUTH, page(RIGHT, name="sites/x/a.html")), unanswered=0, record_f1=1)


def test_first_and_best_region():
    found = page([["Home"], ["About"]], RIGHT)
    expect(score("score_lists.py", TRUTH, found), record_f1=0)
    expect(score("score_lists.py", TRUTH, found, "--pick", "best"), record_f1=1, pick="best")


def test_two_true_records_in_one_are_wrong():
    merged = [{"all": "Green Leaf Tea 3.50 Black Leaf Tea 4.00"}]
    expect(score("score_lists.py", TRUTH, page(merged)), record_precision=0, record_f1=0)


def test_a_true_record_counts_once():
    expect(score("score_lists.py", TRUTH, page(RIGHT + RIGHT[:1])), record_precision=round(2 / 3, 4), record_recall=1)


def test_names_of_columns_are_text():
    truth = [{"page": "a", "site": "s", "records": [{"c": ["Height: 15 cm"]}]}]
    expect(score("score_lists.py", truth, [{"page": "a", "regions": [{"records": [{"height": "15 cm"}]}]}]), record_f1=1)


def test_cells_of_matched_columns():
    """Both records are right; the second has its price in a column of its own, which is matched with nothing."""
    found = [RIGHT[0], {"name": "Black Leaf Tea", "other": "4.00"}]
    expect(score("score_lists.py", TRUTH, page(found)), record_f1=1, cell_precision=1, cell_recall=0.75)


def test_remarks_and_signs_are_not_scored():
    truth = [{"page": "a", "site": "s", "records": [{"c": ["Tea"], "sign": ["--"], "_note": ["x"]}]}]
    expect(score("score_lists.py", truth, page([{"c": "Tea", "_score": "9"}], name="a")), record_f1=1, cell_recall=1)


DETAIL = [{"page": f"s/{n}.html", "site": "s", "records": [{"title": [title], "by": authors}]}
          for n, (title, authors) in enumerate([("Emma", ["Austen"]), ("Ulysses", ["Joyce", "Beach"])])]


def details(*records):
    return [{"page": f"s/{n}.html", "record": record} for n, record in enumerate(records)]


def test_detail_by_name():
    found = details({"title": "Emma", "by": ["Austen"]}, {"title": "Ulysses", "by": ["Joyce"]})
    # by: 2 of 3 values found, none wrong: F1 0.8
    expect(score("score_detail.py", DETAIL, found), sites=1, pages=2, attributes=2, f1=0.9, perfect_attributes=0.5)


def test_detail_nested_names():
    truth = [{"page": "p", "site": "s", "records": [{"a.b": ["x"]}]}]
    expect(score("score_detail.py", truth, [{"page": "p", "record": {"a": [{"b": "X"}]}}]), f1=1)


def test_detail_classes():
    """Column 1 is the title, column 2 holds the authors and more."""
    found = details({"c1": "Emma", "c2": "by Austen"}, {"c1": "Ulysses", "c2": "by Joyce, with Beach"})
    expect(score("score_detail.py", DETAIL, found, "--columns"), correct=1, partial=1, incorrect=None)
    found = details({"c1": "Emma", "c2": "Austen"}, {"c1": "Ulysses", "c2": "Woolf"})
    expect(score("score_detail.py", DETAIL, found, "--columns"), correct=1, incorrect=1)


def test_detail_skips():
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as skip:
        skip.write("s/1.html\n")
        skip.flush()
        expect(score("score_detail.py", DETAIL, details({"title": "Emma", "by": "Austen"}), "--skip", skip.name), pages=1, f1=1)


def main():
    failed = 0
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            try:
                test()
            except AssertionError as why:
                failed += 1
                print("FAILED", name, "-", why)
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
