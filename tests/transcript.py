"""transcript.py: runs what a text claims a shell session does, and compares.

A transcript is a list of steps: a command and the output it claims. The steps of one file run in one bash, in
one fresh folder, so that files, variables, `cd` and `$?` carry on. Two kinds of text hold transcripts:
golden files (tests/cli/run_golden.py) and Markdown (tests/run_docs.py).

In the claimed output
    ...             alone on a line stands for any lines, or none
    text (glob)     * and ? stand for any text in this line
    text (no-eol)   the output ends here without a newline
Blank lines at the end do not count.
"""
import difflib
import fnmatch
import os
import re
import shutil
import signal
import subprocess
import tempfile

TIMEOUT = 120  # seconds for a file; more under valgrind
MARK = "--transcript-step-done--"


class Step:
    """One command, its claimed output lines, and where they stand: lines[first:last] of the file."""

    def __init__(self, command, line, first, last, claimed):
        self.command, self.line = command, line
        self.first, self.last, self.claimed = first, last, claimed
        self.got = None  # output lines, or None if the shell ended before


def make_scratch(scratch, thresh, examples):
    """Fills the folder: work/ to run in, with examples/; bin/ with the program."""
    os.makedirs(os.path.join(scratch, "bin"))
    os.makedirs(os.path.join(scratch, "work"))
    if thresh:
        program = os.path.join(scratch, "bin", "thresh")
        wrap = os.environ.get("THRESH_WRAP", "")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {wrap} "{os.path.abspath(thresh)}" "$@"\n')
        os.chmod(program, 0o755)
    if examples and os.path.isdir(examples):
        shutil.copytree(examples, os.path.join(scratch, "work", "examples"))


def environment(scratch, extra):
    """The same for everybody: no locale, colours, proxies or home of the person who runs it."""
    keep = ("PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "GCOV_ERROR_FILE",
            "TMPDIR")
    env = {name: os.environ[name] for name in keep if name in os.environ}
    env.update(PATH=os.path.join(scratch, "bin") + ":" + env.get("PATH", "/usr/bin:/bin"),
               HOME=scratch, LC_ALL="C.UTF-8", TZ="UTC", TERM="dumb", COLUMNS="80", **extra)
    return env


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def run_shell(commands, scratch, extra):
    """(stdout, stderr, code) of each command; fewer than commands when the shell ended early."""
    script = os.path.join(scratch, "script")
    with open(script, "w", encoding="utf-8") as file:
        for command in commands:
            # eval keeps a syntax error inside its step; the subshell hands $? on to the next one
            file.write(f"eval {quote(command)}\n"
                       f"__code=$?; printf '\\n%s %d\\n' {MARK} $__code; "
                       f"printf '\\n%s %d\\n' {MARK} $__code >&2; (exit $__code)\n")
    limit = TIMEOUT * (20 if os.environ.get("THRESH_WRAP") else 1)
    shell = subprocess.Popen(["bash", script], cwd=os.path.join(scratch, "work"),
                             env=environment(scratch, extra), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = shell.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(shell.pid, signal.SIGKILL)
        out, err = shell.communicate()

    def parts(data):
        pieces = re.split(f"\n{MARK} (\\d+)\n", data.decode("utf-8", "backslashreplace"))
        return list(zip(pieces[0::2], map(int, pieces[1::2])))

    return [(one, two, code) for (one, code), (two, _) in zip(parts(out), parts(err))]


def to_lines(text, prefix=""):
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        lines[-1] += " (no-eol)"
    return [prefix + line for line in lines]


def matches(claimed, got):
    """Whether the lines got are what is claimed."""
    claimed, got = trimmed(claimed), trimmed(got)
    # reachable[i]: the claims read so far can explain got[:i]
    reachable = [True] + [False] * len(got)
    for claim in claimed:
        if claim.strip() == "...":
            first = reachable.index(True) if True in reachable else len(reachable)
            reachable = [i >= first for i in range(len(reachable))]
            continue
        reachable = [False] + [reachable[i] and line_matches(claim, got[i]) for i in range(len(got))]
    return reachable[-1]


def line_matches(claim, line):
    if claim == line:
        return True
    return claim.endswith(" (glob)") and fnmatch.fnmatchcase(line, claim[:-7].replace("[", "[[]"))


def trimmed(lines):
    lines = list(lines)
    while lines and lines[-1].strip() == "":
        lines.pop()
    return lines


def run_steps(steps, render, thresh=None, examples=None, extra=None):
    """Runs the steps and sets their `got` to render(stdout, stderr, code)."""
    with tempfile.TemporaryDirectory(prefix="thresh-transcript-") as scratch:
        make_scratch(scratch, thresh, examples)
        results = run_shell([step.command for step in steps], scratch, extra or {})
    for step, result in zip(steps, results):
        step.got = render(*result)


def check_file(path, parse, render, update=False, **world):
    """Runs the transcript in a file. Gives (number of steps, complaints); `update` rewrites the claims
    that do not hold, and then there are no complaints unless the shell ended early."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    steps = parse(lines)
    if steps:
        run_steps(steps, render, **world)
    complaints, rewritten = [], False
    for step in reversed(steps):
        if step.got is None:
            complaints.append(f"{path}:{step.line}: the shell ended before or took too long: "
                              f"$ {step.command}\n")
        elif not matches(step.claimed, step.got):
            if update:
                lines[step.first:step.last] = step.indented(trimmed(step.got))
                rewritten = True
                continue
            diff = "\n".join(difflib.unified_diff(step.claimed, trimmed(step.got), "expected", "got",
                                                  lineterm=""))
            complaints.append(f"{path}:{step.line}: $ {step.command}\n{diff}\n")
    if rewritten:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return len(steps), complaints[::-1]
