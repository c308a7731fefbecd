#!/usr/bin/env python3
"""The manual and the completions say what the option tables of the program say.

    tests/cli/test_manual.py PROGRAM

man/thresh.1 must tell every command and option, with its letter and value, and none besides; where groff is there it
must render without a warning. The files in completions/ must be those that scripts/gen-completions
makes; where a shell is there it must read them, and bash must complete with them.
"""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
failures = []


def expect(condition, text):
    if not condition:
        failures.append(text)
        print("FAILED:", text)


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def manual_text():
    """The manual without its fonts, one line a paragraph tag."""
    with open(os.path.join(ROOT, "man", "thresh.1"), encoding="utf-8") as file:
        text = file.read().replace("\\-", "-")
    text = re.sub(r"\\f[BIR]", "", text)
    lines = [re.sub(r'^\.[BI][RIB]? ', "", line).replace('" ', " ").replace(' "', " ").replace('"', "")
             for line in text.splitlines()]
    return "\n".join(re.sub(r" +", " ", line).replace(" ,", ",") for line in lines)


def check_manual(rows):
    text = manual_text()
    known = set()
    for row in rows:
        if row[0] == "command":
            expect(re.search(rf"^\.SS thresh {row[1]}$", text, re.MULTILINE), f"the manual has thresh {row[1]}")
            continue
        command, name, letter, kind, operand, words = row[1:7]
        known.add(name)
        head = (f"-{letter}, " if letter != "-" else "") + f"--{name}" + \
            ("" if operand == "-" else f" {operand}")
        expect(re.search(rf"^{re.escape(head)}$", text, re.MULTILINE),
               f"the manual tells '{head}' (thresh {command})")
        for word in [] if words == "-" else words.split():
            expect(re.search(rf"\b{word}\b", text), f"the manual tells '{word}' of --{name}")
    told = set(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", text)) - {"name"}  # --name is an example
    expect(told <= known, f"options that only the manual has: {sorted(told - known)}")
    if shutil.which("groff"):
        done = run("groff", "-man", "-Tutf8", "-ww", "-z", os.path.join(ROOT, "man", "thresh.1"))
        expect(done.returncode == 0 and not done.stdout, f"groff renders the manual: {done.stdout}")


def complete_in_bash(*words):
    script = (f"source {ROOT}/completions/thresh.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _thresh; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    return run("bash", "-c", script, "bash", *words).stdout.split()


def check_completions(program, rows):
    done = run(sys.executable, os.path.join(ROOT, "scripts", "gen-completions"), "--thresh", program, "--check")
    expect(done.returncode == 0, done.stdout)
    for shell, name in (("bash", "thresh.bash"), ("zsh", "_thresh"), ("fish", "thresh.fish")):
        if shutil.which(shell):
            done = run(shell, "-n", os.path.join(ROOT, "completions", name))
            expect(done.returncode == 0, f"{shell} reads its completions: {done.stdout}")
    commands = [row[1] for row in rows if row[0] == "command"]
    for command in commands:
        expect(command in complete_in_bash("thresh", command[:2]), f"bash completes {command}")
        expect("--help" in complete_in_bash("thresh", command, "--he"), f"bash completes {command} --help")
    expect(complete_in_bash("thresh", "labels", "-f", "sq") == ["sqlite"], "bash completes a format")
    expect(complete_in_bash("thresh", "labels", "--format", "=", "sq") == ["sqlite"],
           "bash completes a format after =")
    expect(complete_in_bash("thresh", "show", ROOT + "/READ") == [ROOT + "/README.md"], "bash completes files")
    # Without a command the words belong to records.
    expect(complete_in_bash("thresh", ROOT + "/READ") == [ROOT + "/README.md"], "bash completes files at once")
    expect(complete_in_bash("thresh", "--wi") == ["--with-page"], "bash completes options at once")
    expect(complete_in_bash("thresh", "page.html", "--wi") == ["--with-page"], "bash completes options after a page")
    expect(complete_in_bash("thresh", "-f", "sq") == ["sqlite"], "bash completes a format at once")


def main(program):
    table = run(program, "__options")
    rows = [line.split("\t") for line in table.stdout.splitlines()]
    expect(table.returncode == 0 and len(rows) > 20, "the program tells its tables")
    check_manual(rows)
    check_completions(program, rows)
    print(f"{len(rows)} commands and options, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1])))
