#!/usr/bin/env python3
"""Installs the library into a scratch folder and uses it as a stranger would.

    tests/test_install.py SOURCE BUILD [compiler flags]

The header, both libraries, the pkg-config file, the program, its manual and its completions must be there; the
shared library must show nothing but the public functions; examples/c must compile against what was installed, shared and
static, and print what examples/c/books.expected says. --update as the last word rewrites that file.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

failures = []


def expect(condition, text):
    if not condition:
        failures.append(text)
        print("FAILED:", text)


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def must(*command, **more):
    done = run(*command, **more)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(command)}: exit code {done.returncode}")
    return done.stdout


def check_symbols(library, header):
    """The shared library shows every function of the header and nothing else."""
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    declared = set(re.findall(r"\b(th_\w+)\s*\(", " ".join(re.findall(r"\bTH_API\b[^;]*?\(", text))))
    shown = {line.split()[-1] for line in must("nm", "-D", "--defined-only", library).splitlines()}
    shown = {name for name in shown if not re.match(r"(__odr_asan|__asan|_init$|_fini$|__bss_start$|_edata$|_end$)", name)}
    expect(declared, "the header declares functions")
    expect(shown <= declared, f"not in thresh.h but shown by the library: {sorted(shown - declared)}")
    expect(declared <= shown, f"in thresh.h but not in the library: {sorted(declared - shown)}")


def build_and_run(source, scratch, prefix, libdir, flags, static):
    """The output of the example, compiled against the installed files alone."""
    out = os.path.join(scratch, "static" if static else "shared")
    os.makedirs(out)
    # The files were installed below DESTDIR, so the prefix in thresh.pc is set right by hand.
    env = dict(os.environ, PKG_CONFIG_PATH=os.path.join(libdir, "pkgconfig"),
               PKG_CONFIG=f"pkg-config --define-variable=prefix={prefix}")
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        env.pop(name, None)
    print(must("make", "-C", os.path.join(source, "examples", "c"), "OUT=" + out,
               "CFLAGS=-O1 -g -Wall -Wextra -Wpedantic -Werror -std=c11 " + " ".join(flags),
               *(["STATIC=1"] if static else []), env=env))
    program = os.path.join(out, "outline")
    needs = re.findall(r"NEEDED.*\[(libthresh[^\]]*)\]", must("readelf", "-d", program))
    expect(needs == ([] if static else ["libthresh.so.0"]), f"{program} needs {needs}")
    if not static:
        env["LD_LIBRARY_PATH"] = libdir
    missing = run(program, "no-such-file.html", env=env)
    expect(missing.returncode == 1 and "no-such-file.html" in missing.stdout, "a missing file is named")
    pages = os.path.join(source, "examples", "pages")
    records = must(os.path.join(out, "folder"), os.path.join(pages, "books.html"), env=env)
    expect(records.startswith("[{"), f"the records of books.html: {records[:200]}")
    return must(program, os.path.join(pages, "books.html"), env=env)


def main(source, build, flags, update):
    with tempfile.TemporaryDirectory(prefix="thresh-install-") as scratch:
        root = os.path.join(scratch, "root")
        must("meson", "install", "-C", build, "--no-rebuild", env=dict(os.environ, DESTDIR=root))
        headers = glob.glob(root + "/**/include/thresh.h", recursive=True)
        if len(headers) != 1:
            sys.exit(f"thresh.h was installed {len(headers)} times")
        prefix = os.path.dirname(os.path.dirname(headers[0]))
        found = glob.glob(prefix + "/**/libthresh.so.0", recursive=True)
        libdir = os.path.dirname(found[0]) if found else sys.exit("libthresh.so.0 was not installed")
        for path in ("libthresh.a", "libthresh.so", "pkgconfig/thresh.pc"):
            expect(os.path.exists(os.path.join(libdir, path)), f"{path} is installed")
        for path in ("man/man1/thresh.1", "bash-completion/completions/thresh", "zsh/site-functions/_thresh",
                     "fish/vendor_completions.d/thresh.fish"):
            expect(os.path.exists(os.path.join(prefix, "share", path)), f"share/{path} is installed")
        version = must(os.path.join(prefix, "bin", "thresh"), "--version")
        expect(re.match(r"thresh \d+\.\d+\.\d+", version), f"the program says its version: {version!r}")
        check_symbols(found[0], headers[0])
        shared, static = (build_and_run(source, scratch, prefix, libdir, flags, kind)
                          for kind in (False, True))
    expected = os.path.join(source, "examples", "c", "books.expected")
    if update:
        with open(expected, "w", encoding="utf-8") as file:
            file.write(shared)
    with open(expected, encoding="utf-8") as file:
        text = file.read()
    expect(shared == text, f"the example linked shared prints what {expected} says; it printed\n{shared}")
    expect(static == text, f"the example linked static prints the same; it printed\n{static}")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--update"]
    if len(words) < 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(words[0]), os.path.abspath(words[1]), words[2:], "--update" in sys.argv))
