#!/usr/bin/env python3
"""`make dist`: the same commit gives the same bytes, and the program is built from them without node.

    tests/test_dist.py SOURCE

Exits with status 77, "skipped", outside of a git checkout, and where the front end is not built and cannot be.
"""
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

SKIPPED = 77
failures = []


def expect(condition, text):
    if not condition:
        failures.append(text)
        print("FAILED:", text)


def must(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(command)}: exit code {done.returncode}")
    return done.stdout


def make_twice(source, scratch):
    """A tarball from the checkout, and one from a clone with other times and modes."""
    first, second, clone = (os.path.join(scratch, name) for name in ("first", "second", "clone"))
    os.mkdir(first)
    os.mkdir(second)
    must(os.path.join(source, "scripts", "dist"), first)
    must("git", "clone", "-q", source, clone)
    must("git", "-C", clone, "checkout", "-q", must("git", "-C", source, "rev-parse", "HEAD").strip())
    shutil.copytree(os.path.join(source, "web", "dist"), os.path.join(clone, "web", "dist"), copy_function=shutil.copyfile)
    must("chmod", "-R", "go-rwx", os.path.join(clone, "web", "dist"))
    must(os.path.join(clone, "scripts", "dist"), second, env={**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "TAR_OPTIONS": ""},
         preexec_fn=lambda: os.umask(0o077))
    name, = os.listdir(first)
    expect(os.listdir(second) == [name], f"both are called {name}")
    expect(filecmp.cmp(os.path.join(first, name), os.path.join(second, name), shallow=False), "both have the same bytes")
    return os.path.join(first, name)


def check_members(tarball, source):
    top = os.path.basename(tarball)[:-len(".tar.gz")]
    with tarfile.open(tarball) as archive:
        members = archive.getmembers()
    names = [member.name for member in members]
    expect(names == sorted(names, key=lambda name: name.replace("/", "\0").encode()), "names are sorted")
    expect(all(name == top or name.startswith(top + "/") for name in names), f"all is below {top}")
    expect(len({member.mtime for member in members}) == 1, "all have one time")
    expect({(member.uid, member.gid) for member in members} == {(0, 0)}, "all belong to root")
    tracked = set(must("git", "-C", source, "ls-tree", "-r", "--name-only", "-z", "HEAD").strip("\0").split("\0"))
    files = {member.name[len(top) + 1:] for member in members if not member.isdir()}
    expect(tracked <= files, f"tracked files are missing: {sorted(tracked - files)[:5]}")
    expect(all(name.startswith("web/dist/") for name in files - tracked), f"more than that: {sorted(files - tracked)[:5]}")
    expect("web/dist/index.html" in files and "web/dist/preact-license.txt" in files, "the front end is there")
    return top


def build(tarball, top, scratch):
    """Builds the program; npm and node fail if they are called."""
    tools = os.path.join(scratch, "tools")
    os.mkdir(tools)
    for name in ("node", "npm"):
        with open(os.path.join(tools, name), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexit 1\n")
        os.chmod(os.path.join(tools, name), 0o755)
    must("tar", "-x", "-C", scratch, "-f", tarball)
    folder = os.path.join(scratch, top)
    env = {**os.environ, "PATH": tools + ":" + os.environ["PATH"], "THRESH_NO_SETUP": "1"}
    env.pop("THRESH_NO_WEB", None)
    must("scripts/web", "--must", cwd=folder, env=env)
    must("meson", "setup", "build", "--buildtype=plain", "-Dtests=disabled", cwd=folder, env=env)
    must("ninja", "-C", "build", "thresh", cwd=folder, env=env)
    version = must(os.path.join(folder, "build", "thresh"), "--version")
    expect(version == f"thresh {top.removeprefix('thresh-')}\n", f"the program says {version!r}")
    with open(os.path.join(folder, "build", "thresh"), "rb") as file:
        program = file.read()
    with open(os.path.join(folder, "web", "dist", "app.js"), "rb") as file:
        expect(file.read() in program, "the program has the front end in it")


def main(source):
    if subprocess.run(["git", "-C", source, "rev-parse", "HEAD"], capture_output=True, check=False).returncode:
        print("this is not a git checkout")
        return SKIPPED
    if not os.path.exists(os.path.join(source, "web", "dist", "index.html")):
        print("the front end is not built: make web")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="thresh-dist-") as scratch:
        tarball = make_twice(source, scratch)
        top = check_members(tarball, source)
        expect(re.fullmatch(r"thresh-\d+\.\d+\.\d+", top), top)
        build(tarball, top, scratch)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
