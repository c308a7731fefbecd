#!/usr/bin/env python3
"""Every npm package of the workbench runs on Debian 12's own Node.

    tests/web/test_lock.py [package-lock.json]

A package that asks for a newer one installs without a word and fails when it is used, and only on such a machine.
"""
import json
import os
import re
import sys

NODE = (18, 19, 0)  # what Debian 12 came with


def asked(wish):
    """The oldest versions that a wish such as ">=18", "^18.0.0 || >=20" takes."""
    return [tuple(int(part or 0) for part in found) for found in re.findall(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?", wish)]


def main(path):
    with open(path, encoding="utf-8") as file:
        packages = json.load(file)["packages"]
    wrong = []
    for name, package in packages.items():
        wish = package.get("engines", {}).get("node")
        if wish and min(asked(wish)) > NODE:
            wrong.append(f"{name or 'the workbench'} {package['version']} asks for Node {wish}")
        if "resolved" in package:
            wrong.append(f"{name} names the host that it came from")
    print("\n".join(wrong + [f"{len(packages)} packages, {len(wrong)} faults"]))
    return 1 if wrong or len(packages) < 4 else 0


if __name__ == "__main__":
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "web", "package-lock.json")
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else beside))
