#!/usr/bin/env python3
"""Writes src/page/charref_table.inc: the named character references of the HTML standard.

    scripts/gen-charrefs.py > src/page/charref_table.inc

The facts come from Python's html.entities.html5, which mirrors the standard's list of 2,231 names.
Every name but its ";" is letters and digits, so the longest match is either the whole run of letters
and digits before a ";" or one of the 106 old names that need none. One hash table serves both:

    charref_names   all names, one after the other
    charref_values  their characters in UTF-8, each value once
    charref_entries where name and value stand, sorted by name
    charref_slots   open addressing: entry + 1, or 0
"""
import html.entities

SLOT_BITS = 12


def slot_of(name):
    """The same as slot_of in charref.c."""
    h = 0
    for byte in name.encode():
        h = (h * 31 + byte) & 0xFFFFFFFF
    return (h * 0x9E3779B1 & 0xFFFFFFFF) >> (32 - SLOT_BITS)


def c_string(data):
    out, after_escape = [], False
    for byte in data:
        char = chr(byte)
        if 32 <= byte < 127 and not (after_escape and char in "0123456789abcdefABCDEF"):
            out.append("\\" + char if char in '"\\?' else char)
            after_escape = False
        elif 32 <= byte < 127:
            out.append('""' + char)
            after_escape = False
        else:
            out.append("\\%o" % byte if byte < 8 else "\\x%02x" % byte)
            after_escape = True
    return "".join(out)


def print_string(name, pieces):
    print("static const char %s[] =" % name)
    line = []
    for piece in pieces:
        if len(c_string(b"".join(line + [piece]))) > 92:
            print('    "%s"' % c_string(b"".join(line)))
            line = []
        line.append(piece)
    print('    "%s";\n' % c_string(b"".join(line)))


def print_array(declaration, items, per_line):
    print("static const %s = {" % declaration)
    for i in range(0, len(items), per_line):
        print("    " + ", ".join(items[i:i + per_line]) + ",")
    print("};\n")


def main():
    table = html.entities.html5
    names = sorted(name[:-1] for name in table if name.endswith(";"))
    assert len(table) == 2231 and all(name.isalnum() and name.isascii() for name in names)
    assert all(name.endswith(";") or name + ";" in table for name in table)
    pool, value_at, values = b"", {}, []
    for name in sorted(names, key=lambda n: (-len(table[n + ";"].encode()), n)):
        value = table[name + ";"].encode()
        if value not in value_at:
            value_at[value] = len(pool)
            pool += value
            values.append(value)
    entries, slots, at = [], [0] * (1 << SLOT_BITS), 0
    for i, name in enumerate(names):
        value = table[name + ";"].encode()
        entries.append("{%d, %d, %d, %d, %d}" % (at, value_at[value], len(name), len(value), name in table))
        at += len(name)
        slot = slot_of(name)
        while slots[slot]:
            slot = (slot + 1) % len(slots)
        slots[slot] = i + 1
    assert at < 65536 and len(pool) < 65536
    old = [name for name in names if name in table]
    print("/* Made by scripts/gen-charrefs.py. Do not change it by hand. */")
    print("enum {")
    print("    CHARREF_SLOT_BITS = %d," % SLOT_BITS)
    print("    CHARREF_MAX_NAME = %d, /* the longest name, without its \";\" */" % max(map(len, names)))
    print("    CHARREF_MIN_OLD = %d,  /* the shortest and longest name that needs no \";\" */" % min(map(len, old)))
    print("    CHARREF_MAX_OLD = %d" % max(map(len, old)))
    print("};\n")
    print_string("charref_names", [name.encode() for name in names])
    print_string("charref_values", values)
    print_array("charref_entry charref_entries[]", entries, 5)
    print_array("uint16_t charref_slots[1 << CHARREF_SLOT_BITS]", [str(s) for s in slots], 18)


main()
