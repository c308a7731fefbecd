#!/usr/bin/env python3
"""Writes src/page/tags_table.inc: the standard's tag names with what the parser must know of each.

usage: scripts/gen-tags.py > src/page/tags_table.inc

The table is a list of facts from the HTML standard (sections 13.1.2 and 13.2). The look-up is a
perfect hash: this script searches a multiplier under which no two names share a slot.
"""
import sys

SLOTS_LOG2 = 11

FLAGS = {
    "VOID": "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
    "RAWTEXT": "style xmp iframe noembed noframes",
    "RCDATA": "title textarea",
    "SCRIPT": "script",
    "PLAINTEXT": "plaintext",
    "SPECIAL": "address applet area article aside base basefont bgsound blockquote body br button caption center "
               "col colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset "
               "h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input keygen li link listing main marquee "
               "menu meta nav noembed noframes noscript object ol p param plaintext pre script search section "
               "select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr "
               "xmp mi mo mn ms mtext annotation-xml foreignobject desc",
    "FORMATTING": "a b big code em font i nobr s small strike strong tt u",
    # Element scope: what an end tag cannot reach through.
    "SCOPE": "applet caption html table td th marquee object template select mi mo mn ms mtext annotation-xml "
             "foreignobject desc",
    # What the search for an open formatting element stops at.
    "MARKER": "applet object marquee template td th caption",
    # A start tag that closes an open p.
    "CLOSES_P": "address article aside blockquote center details dialog dir div dl fieldset figcaption figure "
                "footer header hgroup main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing "
                "form li dd dt plaintext hr xmp",
    # An end tag that is obeyed when its element is in scope, whatever stands between.
    "BLOCK_END": "address article aside blockquote button center details dialog dir div dl fieldset figcaption "
                 "figure footer header hgroup listing main menu nav ol pre search section summary ul dd dt "
                 "applet marquee object",
    "HEADING": "h1 h2 h3 h4 h5 h6",
    # May stand in head.
    "HEAD": "base basefont bgsound link meta title noscript noframes style script template head",
    # Ends svg or math when it is met inside.
    "BREAKOUT": "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
                "listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var",
    # Table parts that close what is open inside the table.
    "TABLE_PART": "caption col colgroup tbody td tfoot th thead tr",
    # Opens once in a document.
    "DOCUMENT": "html head body frameset",
    # A start tag that closes something besides p and what stands in a table.
    "CLOSES_LIKE": "li dd dt a nobr button option optgroup select input keygen textarea table rb rp rt rtc "
                   "h1 h2 h3 h4 h5 h6",
    # Begins foreign content.
    "FOREIGN_ROOT": "svg math",
    # HTML inside svg or math.
    "INTEGRATION": "foreignobject desc title mi mo mn ms mtext annotation-xml",
    # Stands on lines of its own: separates words in text.
    "BLOCK": "address article aside blockquote body br button caption center col colgroup dd details dialog dir "
             "div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup "
             "hr html iframe img input legend li listing main marquee menu nav noframes ol optgroup option p "
             "plaintext pre search section select summary table tbody td textarea tfoot th thead title tr ul xmp",
    # Marks up words inside a text: does not part one value from the next.
    "INLINE": "abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark nobr q s samp small strike "
              "strong sub sup tt u var wbr",
    # Its content is no text of the page.
    "HIDDEN": "script style template noframes noembed iframe",
}

EXTRA = ("abbr acronym animate animatemotion animatetransform audio bdi bdo canvas circle cite clippath data "
         "datalist defs del dfn ellipse feblend fecolormatrix fecomposite feflood fegaussianblur feimage femerge "
         "femergenode feoffset filter g image ins kbd label legend line lineargradient map mark marker mask math "
         "mathml menuitem meter mfrac mrow mroot mspace msqrt mstyle msub msup msubsup mtable mtd mtr munder mover "
         "optgroup option output path pattern picture polygon polyline portal progress q radialgradient rb rect rp "
         "rt rtc ruby samp set slot span stop sub sup svg switch symbol text textpath time tspan use var video view "
         "isindex nextid blink multicol spacer rb command content shadow element amp-img center").split()

MASK = (1 << 64) - 1


def keys(name):
    raw = name.encode().ljust(16, b"\0")
    return int.from_bytes(raw[:8], "little"), int.from_bytes(raw[8:16], "little")


def slot(name, multiplier):
    first, second = keys(name)
    return (((first + second * 31) * multiplier) & MASK) >> (64 - SLOTS_LOG2)


def main():
    names = sorted(set(EXTRA).union(*(v.split() for v in FLAGS.values())))
    if len(names) > 254 or max(map(len, names)) > 16:
        sys.exit("more names, or longer ones, than the table holds")
    multiplier = 0x9E3779B97F4A7C15
    while len({slot(n, multiplier) for n in names}) < len(names):
        multiplier = (multiplier * 6364136223846793005 + 1442695040888963407) & MASK | 1
    print("/* Made by scripts/gen-tags.py; change that, not this. */")
    print("#define TAG_MULTIPLIER UINT64_C(0x%016X)" % multiplier)
    print("#define TAG_SLOTS_LOG2 %d" % SLOTS_LOG2)
    print("#define TAG_COUNT %d" % (len(names) + 1))
    print("#ifdef TAG_WANT_ENUM")
    print("enum {")
    for i, name in enumerate(names, 1):
        print("    TH_TAG_%s = %d," % (name.upper().replace("-", "_"), i))
    print("};")
    print("enum {")
    for i, flag in enumerate(FLAGS):
        print("    TH_TAG_IS_%s = 1 << %d," % (flag, i))
    print("};")
    print("#endif")
    print("#ifdef TAG_WANT_TABLE")
    print("const uint64_t th__tag_keys[TAG_COUNT][2] = {")
    print("    {0, 0},")
    for name in names:
        print("    {UINT64_C(0x%x), UINT64_C(0x%x)}, /* %s */" % (keys(name) + (name,)))
    print("};")
    print("const uint64_t th__tag_short[TAG_COUNT] = {")
    print("    UINT64_MAX,")
    for name in names:
        print("    UINT64_C(0x%x), /* %s */" % (keys(name)[0] if len(name) <= 8 else MASK, name))
    print("};")
    print("const uint32_t th__tag_bits[TAG_COUNT] = {")
    print("    0,")
    for name in names:
        print("    0x%x, /* %s */" % (sum(1 << i for i, f in enumerate(FLAGS.values()) if name in f.split()), name))
    print("};")
    print("static const char *const tag_names[TAG_COUNT] = {")
    print("    \"\",")
    for name in names:
        print("    \"%s\"," % name)
    print("};")
    slots = [0] * (1 << SLOTS_LOG2)
    for i, name in enumerate(names, 1):
        slots[slot(name, multiplier)] = i
    print("const uint8_t th__tag_slots[1 << TAG_SLOTS_LOG2] = {")
    for i in range(0, len(slots), 64):
        print("    " + ", ".join(map(str, slots[i:i + 64])) + ",")
    print("};")
    print("#endif")


main()
