/*
 * export_write.c: selectors as CSS and XPath, and as Python that uses them.
 *
 * The Python targets share their helpers: functions that read a text, a link, a part of a text as
 * Thresh does. Only those that a program uses are written.
 */
#include "export/export.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_out.h"
#include "page/tags.h"
#include "page/text.h"

struct export_writer {
    const th__x_export *x;
    th__buf *out;
    th_export_target target;
    bool page;    /* selectors begin at the page, not at a record */
    th__buf path; /* scratch */
};

static th_str name_of(const struct export_writer *w, uint32_t name)
{
    return th__intern_name(w->x->names, name);
}

static void put(th__buf *out, const char *text)
{
    th__buf_add_str(out, th_str_from(text));
}

/* A string of JSON, which is one of Python as well. */
static void put_string(th__buf *out, th_str text)
{
    th__json json = {.buf = out};
    th__json_str(&json, text);
}

static void put_quoted(th__buf *out, th_str text)
{
    char quote = text.len && memchr(text.ptr, '\'', text.len) ? '"' : '\'';
    th__buf_add_byte(out, quote);
    th__buf_add_str(out, text);
    th__buf_add_byte(out, quote);
}

/* ---- CSS ------------------------------------------------------------------------------------- */

static bool is_identifier(th_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (!th__is_alpha(c) && c != '_' && (!i || (c != '-' && !th__is_digit(c))))
            return false;
    }
    return text.len;
}

static void css_class(th__buf *out, th_str name)
{
    if (is_identifier(name)) {
        th__buf_add_byte(out, '.');
        th__buf_add_str(out, name);
        return;
    }
    put(out, "[class~=");
    put_quoted(out, name);
    th__buf_add_byte(out, ']');
}

/* A class, whatever other classes the element has. */
static void xpath_class(th__buf *out, th_str name)
{
    char quote = memchr(name.ptr, '\'', name.len) ? '"' : '\'';
    th__buf_printf(out, "contains(concat(' ', normalize-space(@class), ' '), %c %.*s %c)", quote,
                   (int)name.len, name.ptr, quote);
}

/* A test in both languages. In the words %c is a class, %t a tag, %n the name of an attribute, %q
 * its text in quotes and %s the text as it is. CSS has no words for the last seven tests: those
 * here are for comments. */
static const struct {
    const char *css, *xpath;
} tests[] = {
    [TH__X_CLASS] = {"%c", "%c"},
    [TH__X_NOT_CLASS] = {":not(%c)", "not(%c)"},
    [TH__X_ATTR] = {"[%n=%q]", "@%n=%q"},
    [TH__X_HAS] = {":has(%t%c)", ".//%t[%c]"},
    [TH__X_HAS_NOT] = {":not(:has(%t%c))", "not(.//%t[%c])"},
    [TH__X_LABEL] = {" (after \"%s\")",
                     "normalize-space(preceding::text()[normalize-space()][1])=%q"},
    [TH__X_IS] = {" (that is \"%s\")", "normalize-space()=%q"},
    [TH__X_STARTS] = {" (that begins with \"%s\")", "starts-with(normalize-space(), %q)"},
    [TH__X_ALONE] = {" (alone in its parent)",
                     "normalize-space() and normalize-space()=normalize-space(..)"},
    [TH__X_NO_ALONE] = {" (of several texts)",
                        "not(*[normalize-space() and normalize-space()=normalize-space(..)])"},
    [TH__X_OWN] = {" (with a text of its own)", "text()[normalize-space()]"},
    [TH__X_NO_OWN] = {" (without a text of its own)", "not(text()[normalize-space()])"},
};

/* Writes a test in the words of a language. A test for an element of any class has no class: then
 * the brackets around it are left out as well. */
static void put_test(const struct export_writer *w, const th__x_test *test, const char *words,
                     void (*put_class)(th__buf *out, th_str name), th__buf *out)
{
    for (const char *at = words; *at; at++) {
        if (test->name == TH__INTERN_NONE && (!strncmp(at, "[%c]", 4) || !strncmp(at, "%c", 2))) {
            at += *at == '[' ? 3 : 1;
            continue;
        }
        if (*at != '%') {
            th__buf_add_byte(out, *at);
            continue;
        }
        if (*++at == 'c')
            put_class(out, name_of(w, test->name));
        else if (*at == 'q')
            put_quoted(out, test->text);
        else
            th__buf_add_str(out, *at == 's' ? test->text
                                            : name_of(w, *at == 't' ? test->tag : test->name));
    }
}

static void css_test(const struct export_writer *w, const th__x_test *test, th__buf *out)
{
    if (test->kind == TH__X_NTH)
        th__buf_printf(out, ":nth-%sof-type(%d)", test->number < 0 ? "last-" : "",
                       abs(test->number));
    else if (test->kind == TH__X_ATTR && th__str_eq(name_of(w, test->name), TH_STR("id")) &&
             is_identifier(test->text))
        put_test(w, test, "#%s", css_class, out);
    else
        put_test(w, test, tests[test->kind].css, css_class, out);
}

static void css_path(const struct export_writer *w, const th__x_path *path, th__buf *out)
{
    if (!path->count)
        put(out, ":scope");
    for (uint32_t i = 0; i < path->count; i++) {
        const th__x_step *step = &path->steps[i];
        if (step->axis == TH__X_BEFORE)
            put(out, "the last before the record, ");
        else if (!i && step->axis == TH__X_CHILD)
            put(out, ":scope > ");
        else if (i)
            put(out, step->axis == TH__X_DEEP ? " " : " > ");
        th__buf_add_str(out, name_of(w, step->tag));
        for (uint32_t t = 0; t < step->count; t++)
            css_test(w, &step->tests[t], out);
    }
}

/* The path of a rule and the attribute that it takes, in w->path. */
static void css_rule(struct export_writer *w, const th__x_rule *rule)
{
    css_path(w, &rule->path, &w->path);
    if (rule->take >= TH__X_ATTRIBUTE)
        th__buf_printf(&w->path, "::attr(%.*s)", (int)name_of(w, rule->name).len,
                       name_of(w, rule->name).ptr);
}

/* ---- XPath ----------------------------------------------------------------------------------- */

static void xpath_test(const struct export_writer *w, const th__x_test *test, th__buf *out)
{
    th__buf_add_byte(out, '[');
    if (test->kind != TH__X_NTH)
        put_test(w, test, tests[test->kind].xpath, xpath_class, out);
    else if (test->number > 0)
        th__buf_printf(out, "%d", test->number);
    else
        th__buf_printf(out, test->number == -1 ? "last()" : "last()-%d", -test->number - 1);
    th__buf_add_byte(out, ']');
}

/* `page`: from the top of the page. */
static void xpath_path(const struct export_writer *w, const th__x_path *path, bool page,
                       th__buf *out)
{
    if (!path->count)
        th__buf_add_byte(out, '.');
    for (uint32_t i = 0; i < path->count; i++) {
        const th__x_step *step = &path->steps[i];
        bool deep = step->axis == TH__X_DEEP;
        if (step->axis == TH__X_BEFORE)
            put(out, "preceding::");
        else if (!i && deep && path->self)
            put(out, "descendant-or-self::");
        else if (!i)
            put(out, !deep ? page ? "/" : "" : page ? "//" : ".//");
        else
            put(out, deep ? "//" : "/");
        th__buf_add_str(out, name_of(w, step->tag));
        /* A number counts all siblings of a tag, so it comes first. */
        for (int nth = 1; nth >= 0; nth--)
            for (uint32_t t = 0; t < step->count; t++)
                if ((step->tests[t].kind == TH__X_NTH) == nth)
                    xpath_test(w, &step->tests[t], out);
        if (step->axis == TH__X_BEFORE)
            put(out, "[1]");
    }
}

/* The selector of all records, in w->path. */
static void select_records(struct export_writer *w, bool css)
{
    const th__x_places *places = &w->x->places;
    th__buf_clear(&w->path);
    for (uint32_t i = 0; i < places->count; i++) {
        if (i)
            put(&w->path, css ? ", " : " | ");
        css ? css_path(w, &places->paths[i], &w->path)
            : xpath_path(w, &places->paths[i], true, &w->path);
    }
}

/* What follows the path to an element: to a text, an attribute, the nodes of a line. */
static void xpath_take(const struct export_writer *w, const th__x_rule *rule, th__buf *out)
{
    if (rule->take == TH__X_OWN_TEXT) {
        put(out, "/text()[normalize-space()]");
        xpath_test(w, &(th__x_test){TH__X_NTH, .number = rule->number}, out);
    } else if (rule->take == TH__X_TOLD_TEXT) {
        put(out, "/text()[normalize-space()]");
        xpath_test(w, &(th__x_test){TH__X_LABEL, .text = rule->label}, out);
        put(out, "[1]");
    } else if (rule->take == TH__X_RANGE) {
        const th__x_range *range = &rule->range;
        put(out, "/node()");
        if (range->from) {
            th_str after = name_of(w, range->after);
            th__buf_printf(out, "[count(preceding-sibling::%.*s)>=%u]", (int)after.len, after.ptr,
                           range->from);
        }
        if (range->to) {
            th_str until = name_of(w, range->until);
            th__buf_printf(out, "[count(preceding-sibling::%.*s)", (int)until.len, until.ptr);
            if (!range->with)
                th__buf_printf(out, "+count(self::%.*s)", (int)until.len, until.ptr);
            th__buf_printf(out, "<%u]", range->to);
        }
    } else if (rule->take >= TH__X_ATTRIBUTE) {
        put(out, "/@");
        th__buf_add_str(out, name_of(w, rule->name));
    }
}

/* ---- JSON: css and xpath --------------------------------------------------------------------- */

static void json_text(th__json *json, const char *key, const th__buf *text)
{
    th__json_put_text(json, key, th__buf_str(text));
}

static void json_range(const struct export_writer *w, const th__x_range *range, th__json *json)
{
    for (int end = 0; end < 2; end++) {
        if (!(end ? range->to : range->from))
            continue;
        th__json_open_array(json, !end          ? "after_child"
                                  : range->with ? "through_child"
                                                : "until_child");
        th__json_str(json, name_of(w, end ? range->until : range->after));
        th__json_uint(json, end ? range->to : range->from);
        th__json_end_array(json);
    }
}

/* What to do with what is selected. */
static void json_rule(struct export_writer *w, const th__x_rule *rule, bool list, th__json *json)
{
    static const char *const takes[] = {"text", "own_text", "text", "children", "text", "link"};
    bool css = w->target == TH_EXPORT_CSS, page = w->x->places.page;
    const char *take = takes[rule->take];
    th__buf_clear(&w->path);
    if (css) {
        css_rule(w, rule);
    } else {
        bool picked = rule->take == TH__X_RANGE;
        if (picked)
            th__buf_add_byte(&w->path, '(');
        xpath_path(w, &rule->path, page, &w->path);
        if (picked) {
            th__buf_add_byte(&w->path, ')');
            xpath_test(w, &(th__x_test){TH__X_NTH, .number = rule->pick}, &w->path);
        }
        xpath_take(w, rule, &w->path);
        if (rule->take == TH__X_OWN_TEXT)
            take = "text";
    }
    th__json_begin_object(json);
    json_text(json, "select", &w->path);
    th__json_put_text(json, "take", th_str_from(take));
    if (css && rule->take == TH__X_OWN_TEXT) {
        th__json_key(json, TH_STR("number"));
        th__json_int(json, rule->number);
    }
    if (css && rule->take == TH__X_RANGE)
        json_range(w, &rule->range, json);
    if (rule->pick != !list && (css || rule->take != TH__X_RANGE)) {
        th__json_key(json, TH_STR("pick"));
        th__json_int(json, rule->pick);
    }
    if (rule->strip.len)
        th__json_put_text(json, "strip", rule->strip);
    if (rule->cut.after.len)
        th__json_put_text(json, rule->cut.last ? "after_last" : "after", rule->cut.after);
    if (rule->cut.before.len)
        th__json_put_text(json, "before", rule->cut.before);
    th__json_end_object(json);
}

static void write_json(struct export_writer *w)
{
    const th__x_export *x = w->x;
    th__buf flat = {0};
    th__json json = {.buf = &flat};
    bool css = w->target == TH_EXPORT_CSS;
    th__json_begin_object(&json);
    th__json_put_text(&json, "selectors", css ? TH_STR("css") : TH_STR("xpath"));
    th__json_key(&json, TH_STR("records"));
    select_records(w, css);
    x->places.page ? th__json_null(&json) : th__json_str(&json, th__buf_str(&w->path));
    th__json_open_array(&json, "fields");
    for (uint32_t i = 0; i < x->field_count; i++) {
        const th__x_field *field = &x->fields[i];
        if (field->refused.ptr)
            continue;
        th__json_begin_object(&json);
        th__json_put_text(&json, "name", field->name);
        if (field->list) {
            static const char *const joins[] = {"union", "chain", "distinct"};
            th__json_put_text(&json, "list", th_str_from(joins[field->join]));
        }
        th__json_open_array(&json, "rules");
        for (uint32_t r = 0; r < field->count; r++)
            json_rule(w, &field->rules[r], field->list, &json);
        th__json_end_array(&json);
        th__json_end_object(&json);
    }
    th__json_end_array(&json);
    th__json_end_object(&json);
    if (flat.failed || !th__json_pretty(th__buf_str(&flat), w->out))
        w->out->failed = true;
    th__buf_release(&flat);
}

/* ---- Python: the helpers --------------------------------------------------------------------- */

enum {
    USES_FOLD = 1,
    USES_TEXT = 2,
    USES_TEXTS = 4,
    USES_LINK = 8,
    USES_LINKS = 16,
    USES_OWN = 32,
    USES_RANGE = 64,
    USES_CUT = 128,
    USES_STRIP = 256,
    USES_READ = 512, /* the text of an element */
    USES_NTH = 1024,
    USES_JOINED = 2048
};

static unsigned uses_of(const th__x_field *field)
{
    unsigned uses = field->list && field->join != TH__X_UNION ? USES_JOINED : 0;
    for (uint32_t i = 0; i < field->count; i++) {
        const th__x_rule *rule = &field->rules[i];
        bool own = rule->take == TH__X_OWN_TEXT && field->css, all = !rule->pick;
        bool cut = !th__cut_is_whole(&rule->cut);
        if (rule->take == TH__X_LINK)
            uses |= all ? USES_LINKS : USES_LINK | USES_NTH;
        else if (rule->take == TH__X_RANGE)
            uses |= USES_RANGE | USES_NTH | USES_READ | USES_FOLD;
        else if (own)
            uses |= USES_OWN | USES_NTH | USES_FOLD;
        else
            uses |= USES_READ | USES_FOLD | (all ? USES_TEXTS : USES_TEXT | USES_NTH);
        uses |= rule->strip.len ? USES_STRIP : 0;
        uses |= cut ? USES_CUT : 0;
        uses |= all && (cut || rule->strip.len) ? USES_JOINED : 0;
    }
    return uses;
}

static void put_tags(struct export_writer *w, const char *name, bool (*is)(uint16_t))
{
    bool first = true;
    th__buf_printf(w->out, "%s = set((", name);
    size_t line = w->out->len;
    for (uint16_t tag = 1; tag < TAG_COUNT; tag++) {
        th_str word = th_tag_name(tag);
        if (!is(tag))
            continue;
        if (first || w->out->len - line > 100) {
            put(w->out, first ? "\n    \"" : " \"\n    \"");
            line = w->out->len;
        } else {
            th__buf_add_byte(w->out, ' ');
        }
        first = false;
        th__buf_add_str(w->out, word);
    }
    put(w->out, "\").split())\n");
}

static bool is_block(uint16_t tag)
{
    return th__tag_flags(tag) & TH_TAG_IS_BLOCK;
}

static bool is_hidden(uint16_t tag)
{
    return th__tag_hides(tag);
}

static const char fold_code[] =
    "\n\n"
    "def fold(text):\n"
    "    \"\"\"The text with each run of white space as one blank, and none at its ends.\"\"\"\n"
    "    return BLANKS.sub(\" \", text.replace(\"\\0\", \"\")).strip(\" \")\n";

static const char read_code[] =
    "\n\n"
    "def pieces(node):\n"
    "    \"\"\"The texts of a node, with a blank where a block begins and ends; hidden elements "
    "have "
    "none.\"\"\"\n"
    "    if isinstance(node, str):\n"
    "        return [str(node)]\n"
    "    parts, foreign = [], 0\n"
    "    walk = etree.iterwalk(node, events=(\"start\", \"end\", \"comment\", \"pi\"))\n"
    "    for event, one in walk:\n"
    "        if event in (\"start\", \"end\"):\n"
    "            drawing = one.tag in (\"svg\", \"math\")\n"
    "            foreign += drawing and event == \"start\"\n"
    "            if foreign or one.tag in BLOCKS or \"-\" in one.tag:\n"
    "                parts.append(\" \")\n"
    "            foreign -= drawing and event == \"end\"\n"
    "        if event == \"start\" and one.tag in HIDDEN:\n"
    "            walk.skip_subtree()\n"
    "        elif event == \"start\":\n"
    "            parts.append(one.text or \"\")\n"
    "        elif one is not node:\n"
    "            parts.append(one.tail or \"\")\n"
    "    return parts\n"
    "\n\n"
    "def read(node):\n"
    "    \"\"\"The text of an element as a reader sees it; of a string, that.\"\"\"\n"
    "    return fold(\"\".join(pieces(node)))\n";

static const char nth_code[] =
    "\n\n"
    "def nth(found, pick):\n"
    "    \"\"\"One of the things found: the first is 1, the last is -1; None if it is not "
    "there.\"\"\"\n"
    "    index = pick - 1 if pick > 0 else len(found) + pick\n"
    "    return %s if 0 <= index < len(found) else None\n";

static const char text_code[] =
    "\n\n"
    "def text(found, pick=1):\n"
    "    \"\"\"The text of one of the things found; None if there is none.\"\"\"\n"
    "    node = nth(found, pick)\n"
    "    return None if node is None else read(node) or None\n";

static const char texts_code[] =
    "\n\n"
    "def texts(found):\n"
    "    \"\"\"The texts of all of them.\"\"\"\n"
    "    return [value for value in (read(%s) for one in found) if value] or None\n";

static const char own_code[] =
    "\n\n"
    "def own_text(found, number, pick=1):\n"
    "    \"\"\"A text right inside an element, blank ones aside: the first is 1, the last is "
    "-1.\"\"\"\n"
    "    owners = []\n"
    "    for element in found:\n"
    "        own = [one for one in element.xpath(\"text()[normalize-space()]\")]\n"
    "        if len(own) >= abs(number):\n"
    "            owners.append(own[number - 1 if number > 0 else number])\n"
    "    node = nth(owners, pick)\n"
    "    return None if node is None else fold(node) or None\n";

static const char range_code[] =
    "\n\n"
    "def children(found, after=(\"\", 0), until=(\"\", 0), through=(\"\", 0), pick=1):\n"
    "    \"\"\"The text of neighbouring children of an element: after the n-th child with a tag, "
    "up "
    "to another one.\"\"\"\n"
    "    node = nth(found, pick)\n"
    "    if node is None:\n"
    "        return None\n"
    "    seen, inside, parts = {}, not after[1], []\n"
    "    if inside:\n"
    "        parts.append(node.text or \"\")\n"
    "    for child in node:\n"
    "        seen[child.tag] = seen.get(child.tag, 0) + 1\n"
    "        here = (child.tag, seen[child.tag])\n"
    "        if here == until:\n"
    "            break\n"
    "        if inside:\n"
    "            parts.extend(pieces(child))\n"
    "        if here == through:\n"
    "            break\n"
    "        inside = inside or here == after\n"
    "        if inside:\n"
    "            parts.append(child.tail or \"\")\n"
    "    return fold(\"\".join(parts)) or None\n";

static const char link_code[] =
    "\n\n"
    "def absolute(link, base):\n"
    "    \"\"\"A link as an absolute URL, as far as the URL of the page is known.\"\"\"\n"
    "    link = LINE_ENDS.sub(\"\", link.strip(CONTROLS))\n"
    "    web = re.match(r\"(https?|file|ftp|wss?):\", link, re.IGNORECASE)\n"
    "    if not web and (not base or re.match(r\"[a-z][a-z0-9+.-]*:\", link, re.IGNORECASE)):\n"
    "        return link\n"
    "    return UNSAFE.sub(lambda match: \"%%%02X\" % ord(match.group()), urljoin(base, link))\n";

static const char one_link_code[] =
    "\n\n"
    "def link(found, base, pick=1):\n"
    "    \"\"\"One of the links found; None if it is not there.\"\"\"\n"
    "    value = nth(found, pick)\n"
    "    return None if value is None else absolute(value, base) or None\n";

static const char links_code[] =
    "\n\n"
    "def links(found, base):\n"
    "    \"\"\"All of the links found.\"\"\"\n"
    "    return [value for value in (absolute(%s, base) for one in found) if value] or None\n";

static const char strip_code[] =
    "\n\n"
    "def strip(value, signs):\n"
    "    \"\"\"A text without some signs, and blanks, at its ends.\"\"\"\n"
    "    return value.strip(\" \" + signs) or None if value else None\n";

static const char cut_code[] =
    "\n\n"
    "def cut(value, after=\"\", before=\"\", last=False):\n"
    "    \"\"\"The part of a text after one text (or the last such text) and before "
    "another.\"\"\"\n"
    "    if not value or after not in value:\n"
    "        return None\n"
    "    rest = value[value.index(after) + len(after):]\n"
    "    while after and last and after in rest:\n"
    "        rest = rest[rest.index(after) + len(after):]\n"
    "    if before and len(rest) > len(before) and rest.endswith(before):\n"
    "        rest = rest[:-len(before)]\n"
    "    elif before and before in rest:\n"
    "        rest = rest[:rest.index(before)]\n"
    "    return rest.strip(\" \") or None\n";

static const char joined_code[] =
    "\n\n"
    "def joined(*parts, distinct=False):\n"
    "    \"\"\"The values of several lists as one; distinct: each text once.\"\"\"\n"
    "    values = [value for part in parts for value in part or [] if value]\n"
    "    return (list(dict.fromkeys(values)) if distinct else values) or None\n";

/* The functions of a program, each for one of some uses. Where lxml and parsel differ, %s is what
 * they call a thing that was found. */
static const struct {
    unsigned uses;
    const char *code, *lxml, *parsel;
} helpers[] = {
    {USES_FOLD, fold_code},
    {USES_READ, read_code},
    {USES_NTH, nth_code, "found[index]", "getattr(found[index], \"root\", found[index])"},
    {USES_TEXT, text_code},
    {USES_TEXTS, texts_code, "one", "one.root"},
    {USES_OWN, own_code},
    {USES_RANGE, range_code},
    {USES_LINK | USES_LINKS, link_code},
    {USES_LINK, one_link_code},
    {USES_LINKS, links_code, "one", "one.root"},
    {USES_STRIP, strip_code},
    {USES_CUT, cut_code},
    {USES_JOINED, joined_code},
};

static void write_helpers(struct export_writer *w, unsigned uses)
{
    th__buf *out = w->out;
    bool lxml = w->target == TH_EXPORT_PYTHON;
    if (uses & USES_FOLD)
        put(out, "BLANKS = re.compile("
                 "\"[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029"
                 "\\u202f\\u205f\\u3000]+\")\n");
    if (uses & (USES_LINK | USES_LINKS))
        put(out, "CONTROLS = \"\".join(map(chr, range(33)))\n"
                 "LINE_ENDS = re.compile(\"[\\t\\n\\r]\")\n"
                 "UNSAFE = re.compile(\"[\\0- \\\"<>\\x7f]\")\n");
    if (uses & USES_READ) {
        put_tags(w, "BLOCKS", is_block);
        put_tags(w, "HIDDEN", is_hidden);
    }
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++) {
        const char *code = helpers[i].code, *name = lxml ? helpers[i].lxml : helpers[i].parsel;
        const char *mark = name ? strstr(code, "%s") : NULL;
        if (!(uses & helpers[i].uses))
            continue;
        th__buf_add(out, code, mark ? (size_t)(mark - code) : strlen(code));
        if (mark) {
            put(out, name);
            put(out, mark + 2);
        }
    }
}

/* The imports of a program; `own` is what its kind needs, besides what its functions do. */
static void write_imports(struct export_writer *w, unsigned uses, const char *own)
{
    if (uses)
        put(w->out, "import re\n");
    if (w->target == TH_EXPORT_PYTHON)
        put(w->out, "import sys\n");
    if (uses & (USES_LINK | USES_LINKS))
        put(w->out, "from urllib.parse import urljoin\n");
    th__buf_printf(w->out, "\n%s", own);
}

/* ---- Python: the fields ---------------------------------------------------------------------- */

/* Writes what selects the nodes of one rule: page.css("..."), record.xpath("..."). */
static void put_select(struct export_writer *w, const th__x_field *field, const th__x_rule *rule)
{
    th__buf_clear(&w->path);
    if (field->css) {
        css_rule(w, rule);
    } else {
        xpath_path(w, &rule->path, w->page, &w->path);
        if (rule->take != TH__X_RANGE)
            xpath_take(w, rule, &w->path);
    }
}

static void put_call(struct export_writer *w, const th__x_field *field)
{
    th__buf_printf(w->out, "%s.%s(", w->page ? "page" : "record", field->css ? "css" : "xpath");
    put_string(w->out, th__buf_str(&w->path));
    th__buf_add_byte(w->out, ')');
}

static void put_range(struct export_writer *w, const th__x_range *range)
{
    for (int end = 0; end < 2; end++) {
        if (!(end ? range->to : range->from))
            continue;
        th__buf_printf(w->out, ", %s=(", !end ? "after" : range->with ? "through" : "until");
        put_string(w->out, name_of(w, end ? range->until : range->after));
        th__buf_printf(w->out, ", %u)", end ? range->to : range->from);
    }
}

/* What cuts a text is written around what gives it. */
static void open_cut(struct export_writer *w, const th__x_rule *rule)
{
    if (!th__cut_is_whole(&rule->cut))
        put(w->out, "cut(");
    if (rule->strip.len)
        put(w->out, "strip(");
}

static void close_cut(struct export_writer *w, const th__x_rule *rule)
{
    th__buf *out = w->out;
    if (rule->strip.len) {
        put(out, ", ");
        put_string(out, rule->strip);
        th__buf_add_byte(out, ')');
    }
    if (rule->cut.after.len) {
        put(out, ", after=");
        put_string(out, rule->cut.after);
    }
    if (rule->cut.before.len) {
        put(out, ", before=");
        put_string(out, rule->cut.before);
    }
    if (!th__cut_is_whole(&rule->cut))
        put(out, rule->cut.last ? ", last=True)" : ")");
}

static void put_one(struct export_writer *w, const th__x_field *field, const th__x_rule *rule)
{
    th__buf *out = w->out;
    bool own = rule->take == TH__X_OWN_TEXT && field->css;
    open_cut(w, rule);
    put(out, rule->take == TH__X_LINK    ? "link("
             : rule->take == TH__X_RANGE ? "children("
             : own                       ? "own_text("
                                         : "text(");
    put_select(w, field, rule);
    put_call(w, field);
    if (rule->take == TH__X_RANGE)
        put_range(w, &rule->range);
    if (own)
        th__buf_printf(out, ", %d", rule->number);
    if (rule->take == TH__X_LINK)
        put(out, ", base");
    if (rule->pick != 1)
        th__buf_printf(out, ", pick=%d", rule->pick);
    th__buf_add_byte(out, ')');
    close_cut(w, rule);
}

/* All values of some rules, which are read in one way. */
static void put_all(struct export_writer *w, const th__x_field *field, const th__x_rule *rules,
                    uint32_t count)
{
    th__buf all = {0};
    bool cut = rules->strip.len || !th__cut_is_whole(&rules->cut);
    bool links = rules->take == TH__X_LINK;
    for (uint32_t i = 0; i < count; i++) {
        put_select(w, field, &rules[i]);
        if (i)
            put(&all, field->css ? ", " : " | ");
        th__buf_add_str(&all, th__buf_str(&w->path));
    }
    if (cut) {
        put(w->out, "joined([");
        open_cut(w, rules);
        put(w->out, "value");
        close_cut(w, rules);
        put(w->out, " for value in ");
    }
    put(w->out, links ? "links(" : "texts(");
    th__buf_clear(&w->path);
    th__buf_add_str(&w->path, th__buf_str(&all));
    put_call(w, field);
    put(w->out, links ? ", base)" : ")");
    if (cut)
        put(w->out, " or []])");
    w->out->failed |= all.failed;
    th__buf_release(&all);
}

static void put_list(struct export_writer *w, const th__x_field *field, const char *indent)
{
    if (field->join == TH__X_UNION ||
        (field->count == 1 && !field->rules[0].pick && field->join == TH__X_CHAIN)) {
        put_all(w, field, field->rules, field->count);
        return;
    }
    put(w->out, "joined(");
    for (uint32_t i = 0; i < field->count; i++) {
        const th__x_rule *rule = &field->rules[i];
        th__buf_printf(w->out, "\n%s    ", indent);
        if (rule->pick)
            th__buf_add_byte(w->out, '[');
        rule->pick ? put_one(w, field, rule) : put_all(w, field, rule, 1);
        put(w->out, rule->pick ? "]," : ",");
    }
    if (field->join == TH__X_DISTINCT)
        th__buf_printf(w->out, "\n%s    distinct=True,", indent);
    th__buf_printf(w->out, "\n%s)", indent);
}

/* A class takes a long expression in XPath: a comment says which elements it finds. */
static void put_comment(struct export_writer *w, const th__x_field *field, const char *indent)
{
    static const char *const whats[] = {"text of",     "own text of",  "text after a label in",
                                        "children of", "attribute of", "link of"};
    for (uint32_t i = 0; i < field->count; i++) {
        const th__x_rule *rule = &field->rules[i];
        th__buf_printf(w->out, "%s# %s%s ", indent, i ? field->list ? "and " : "or " : "",
                       whats[rule->take]);
        size_t at = w->out->len;
        css_path(w, &rule->path, w->out);
        for (; at < w->out->len; at++)
            if (w->out->data[at] == '\n' || w->out->data[at] == '\r')
                w->out->data[at] = ' ';
        th__buf_add_byte(w->out, '\n');
    }
}

/* The first rule that finds a value. `page`: in the page, not in a record. */
static void put_alternatives(struct export_writer *w, const th__x_field *field, bool page,
                             const char *indent)
{
    w->page = page;
    for (uint32_t r = 0; r < field->count; r++) {
        if (r)
            th__buf_printf(w->out, "\n%s    or ", indent);
        put_one(w, field, &field->rules[r]);
    }
    w->page = w->x->places.page;
}

static void write_fields(struct export_writer *w, const char *indent)
{
    for (uint32_t i = 0; i < w->x->field_count; i++) {
        const th__x_field *field = &w->x->fields[i];
        if (field->refused.ptr)
            continue;
        if (!field->css)
            put_comment(w, field, indent);
        put(w->out, indent);
        put_string(w->out, field->name);
        put(w->out, ": ");
        if (!field->count)
            put(w->out, "None");
        else if (field->list)
            put_list(w, field, indent);
        else
            put_alternatives(w, field, w->x->places.page, indent);
        put(w->out, ",\n");
    }
}

/* The loop over records, or the one record of the page. */
static void write_records(struct export_writer *w, const char *indent)
{
    const th__x_export *x = w->x;
    char deeper[32];
    snprintf(deeper, sizeof deeper, "%s        ", indent);
    if (x->places.page) {
        deeper[strlen(deeper) - 4] = '\0';
        th__buf_printf(w->out, "%srecord = {\n", indent);
        write_fields(w, deeper);
        th__buf_printf(w->out, "%s}\n%sif any(value is not None for value in record.values()):\n",
                       indent, indent);
        th__buf_printf(w->out, "%s    yield record\n", indent);
        return;
    }
    select_records(w, x->places.css);
    th__buf_printf(w->out, "%sfor record in page.%s(", indent, x->places.css ? "css" : "xpath");
    put_string(w->out, th__buf_str(&w->path));
    th__buf_printf(w->out, "):\n%s    yield {\n", indent);
    write_fields(w, deeper);
    th__buf_printf(w->out, "%s    }\n", indent);
}

/* ---- Python: the programs -------------------------------------------------------------------- */

static void put_title(struct export_writer *w, const char *what)
{
    th__buf_printf(w->out, "\"\"\"%s", what);
    if (w->x->wrapper.len) {
        put(w->out, " of ");
        for (size_t i = 0; i < w->x->wrapper.len; i++)
            th__buf_add_byte(w->out,
                             strchr("\\\"\n\r", w->x->wrapper.ptr[i]) ? '_' : w->x->wrapper.ptr[i]);
    }
    th__buf_printf(w->out, ". Written by thresh %s.", th_version());
}

static void write_parsel(struct export_writer *w, unsigned uses)
{
    bool links = uses & (USES_LINK | USES_LINKS);
    put_title(w, "The records");
    put(w->out, "\n\n    for record in records(html, url):\n        "
                "...\n\"\"\"\n");
    write_imports(w, uses,
                  uses & USES_READ ? "from lxml import etree\nfrom parsel import Selector\n\n"
                                   : "from parsel import Selector\n\n");
    write_helpers(w, uses);
    put(w->out, "\n\ndef records(html, url=\"\"):\n"
                "    \"\"\"The records of a page, given as a string; url makes its "
                "links absolute.\"\"\"\n"
                "    page = Selector(text=html)\n");
    if (links)
        put(w->out, "    base = urljoin(url, "
                    "page.css(\"base::attr(href)\").get(\"\").strip())\n");
    write_records(w, "    ");
}

static void write_scrapy(struct export_writer *w, unsigned uses)
{
    const th__x_export *x = w->x;
    bool links = uses & (USES_LINK | USES_LINKS);
    put_title(w, "A spider for the records");
    put(w->out, "\n\n    scrapy runspider FILE -O records.jsonl -a url=https://...\n"
                "\"\"\"\n");
    write_imports(w, uses,
                  uses & USES_READ ? "import scrapy\nfrom lxml import etree\n\n"
                                   : "import scrapy\n\n");
    write_helpers(w, uses);
    put(w->out, "\n\nclass RecordsSpider(scrapy.Spider):\n"
                "    name = \"records\"\n    start_urls = [");
    for (uint32_t i = 0; i < x->url_count && i < 100; i++) {
        put(w->out, "\n        ");
        put_string(w->out, x->urls[i]);
        th__buf_add_byte(w->out, ',');
    }
    put(w->out, x->url_count ? "\n    ]\n" : "]\n");
    put(w->out, "\n    def __init__(self, url=None, *args, **kwargs):\n"
                "        super().__init__(*args, **kwargs)\n"
                "        if url:\n"
                "            self.start_urls = [url]\n"
                "\n    def parse(self, response):\n"
                "        page = response.selector\n");
    if (links)
        put(w->out, "        base = urljoin(response.url, "
                    "page.css(\"base::attr(href)\").get(\"\").strip())\n");
    write_records(w, "        ");
    if (x->has_next && (x->next.refused.ptr || !x->next.count)) {
        put(w->out, "        # No selector finds the links to the next page "
                    "alone: they are not followed.\n");
    } else if (x->has_next) {
        put(w->out, "        next_page = ");
        put_alternatives(w, &x->next, true, "        ");
        put(w->out, "\n        if next_page:\n"
                    "            yield response.follow(next_page)\n");
    }
}

static void write_python(struct export_writer *w, unsigned uses)
{
    bool links = uses & (USES_LINK | USES_LINKS);
    put_title(w, "Prints the records");
    put(w->out, "\n\n    python3 FILE PAGE...\n\nPages are files. One record per line, as JSON. "
                "Needs lxml.\n\"\"\"\nimport json\n");
    write_imports(w, uses,
                  uses & USES_READ ? "import lxml.html\nfrom lxml import etree\n\nENCODING = "
                                   : "import lxml.html\n\nENCODING = ");
    put_string(w->out, w->x->encoding.len ? w->x->encoding : TH_STR("utf-8"));
    put(w->out, "  # of the pages\n");
    write_helpers(w, uses);
    put(w->out, "\n\ndef records(html, url=\"\"):\n"
                "    \"\"\"The records of a page, given as a string; url makes its links "
                "absolute.\"\"\"\n"
                "    source = html.strip().replace(\"\\0\", \"\").encode(\"utf-8\") or "
                "b\"<html/>\"\n"
                "    page = lxml.html.document_fromstring(\n"
                "        source, parser=lxml.html.HTMLParser(encoding=\"utf-8\", "
                "huge_tree=True))\n");
    if (links)
        put(w->out, "    base = urljoin(url, (page.xpath(\"//base/@href\") or "
                    "[\"\"])[0].strip())\n");
    write_records(w, "    ");
    put(w->out, "\n\nif __name__ == \"__main__\":\n"
                "    for name in sys.argv[1:]:\n"
                "        with open(name, encoding=ENCODING, errors=\"replace\", newline=\"\") as "
                "file:\n"
                "            for one in records(file.read()):\n"
                "                print(json.dumps(one, ensure_ascii=False))\n");
}

/* Fields that are refused are left out. Memory failures stay in the buffer. */
static void write_export(const th__x_export *from, th_export_target target, th__buf *out)
{
    struct export_writer w = {.x = from, .out = out, .target = target, .page = from->places.page};
    unsigned uses = 0;
    if (from->has_next && !from->next.refused.ptr)
        uses |= uses_of(&from->next);
    for (uint32_t i = 0; i < from->field_count; i++)
        if (!from->fields[i].refused.ptr)
            uses |= uses_of(&from->fields[i]);
    switch (target) {
    case TH_EXPORT_CSS:
    case TH_EXPORT_XPATH:
        write_json(&w);
        break;
    case TH_EXPORT_PARSEL:
        write_parsel(&w, uses);
        break;
    case TH_EXPORT_SCRAPY:
        write_scrapy(&w, uses);
        break;
    default:
        write_python(&w, uses);
    }
    out->failed |= w.path.failed;
    th__buf_release(&w.path);
}

th_status th_export_write(th_export *export, th_export_target target, th_text *out, th_error *err)
{
    th__x_export x = {.names = &export->names,
                      .wrapper = th__arena_copy(&export->arena, th_str_from(export->options.name)),
                      .urls = export->urls.data,
                      .url_count = (uint32_t) export->urls.len};
    export->refusals.len = 0;
    if (export->one_encoding)
        x.encoding = export->encoding;
    if (!export->records.len)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "an export is checked on pages, and the wrapper finds no records on those "
                        "that are given");
    th_status status = th__x_find(export, target, &x, err);
    if (status)
        return status;
    bool none = export->refusals.len && (!x.field_count || export->refusals.len == x.field_count);
    if (export->refusals.len && (none || !export->options.partial)) {
        const th_refusal *first = &export->refusals.data[0];
        return th__fail(err, TH_ERR_FORMAT, "%s%.*s%s cannot be exported: %.*s",
                        first->field.ptr ? "field \"" : "the records", TH_STR_ARG(first->field),
                        first->field.ptr ? "\"" : "", TH_STR_ARG(first->reason));
    }
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    write_export(&x, target, &buf);
    return th__buf_give(&buf, out, err);
}
