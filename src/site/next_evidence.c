/*
 * next_evidence.c: what speaks for and against each link of a page: see next.h.
 *
 * Time is linear in the page: each link looks at a bounded part of the page around it.
 */
#include "base/error.h"
#include "base/key_map.h"
#include "base/str.h"
#include "base/utf8.h"
#include "page/charref.h"
#include "page/tags.h"
#include "page/text.h"
#include "page/url.h"
#include "site/next.h"

enum {
    MOST_LINKS = 20000,   /* of a page; further ones are left out */
    MOST_LABEL = 64,      /* tokens of a link that says anything */
    LONG_LABEL = 32,      /* characters: a title rather than a button */
    SMALL_PART = 250,     /* nodes of an element that may be a pager */
    PAGER_LEVELS = 6,     /* above a link, to the pager */
    ABOVE_LEVELS = 64,    /* above a link, to what it is a part of */
    NUMBER_GAP = 2,       /* texts between two numbers of a run: "…", "|" */
    SHORT_GAP = 12,       /* bytes of such a text */
    MOST_NUMBER = 999999, /* of a page */
    MOST_RUN = 1000,      /* numbers of a run */
    MOST_QUERY = 32       /* parameters of a URL that are looked at */
};

/* ---- classes ---- */

enum {
    CLASS_NEXT = 1,
    CLASS_BACK = 2,
    CLASS_PAGER = 4,
    CLASS_CURRENT = 8,
    CLASS_ASIDE = 16, /* a carousel, a calendar */
    CLASS_ARROW = 32, /* an icon: "arrow-right", "chevron" */
    CLASS_RIGHT = 64,
    CLASS_LEFT = 128,
    KNOWN = 256
};

static const struct {
    const char *word;
    unsigned says;
    bool begins; /* a longer word may begin with it */
} class_words[] = {
    {"next", CLASS_NEXT, true},         {"nxt", CLASS_NEXT, false},
    {"forward", CLASS_NEXT, false},     {"suivant", CLASS_NEXT, true},
    {"siguiente", CLASS_NEXT, true},    {"weiter", CLASS_NEXT, false},
    {"volgende", CLASS_NEXT, false},    {"prev", CLASS_BACK, true},
    {"back", CLASS_BACK, false},        {"backward", CLASS_BACK, false},
    {"first", CLASS_BACK, false},       {"newer", CLASS_BACK, false},
    {"pag", CLASS_PAGER, true},         {"multipage", CLASS_PAGER, true},
    {"navpages", CLASS_PAGER, false},   {"seiten", CLASS_PAGER, true},
    {"pnav", CLASS_PAGER, false},       {"current", CLASS_CURRENT, true},
    {"active", CLASS_CURRENT, true},    {"selected", CLASS_CURRENT, false},
    {"cur", CLASS_CURRENT, false},      {"here", CLASS_CURRENT, false},
    {"activ", CLASS_CURRENT, false},    {"now", CLASS_CURRENT, false},
    {"this", CLASS_CURRENT, false},     {"on", CLASS_CURRENT, false},
    {"disabled", CLASS_CURRENT, false}, {"carousel", CLASS_ASIDE, true},
    {"jcarousel", CLASS_ASIDE, true},   {"slider", CLASS_ASIDE, true},
    {"slide", CLASS_ASIDE, true},       {"slick", CLASS_ASIDE, true},
    {"swiper", CLASS_ASIDE, true},      {"lightbox", CLASS_ASIDE, true},
    {"calendar", CLASS_ASIDE, true},    {"datepicker", CLASS_ASIDE, true},
    {"gallery", CLASS_ASIDE, false},    {"breadcrumb", CLASS_ASIDE, true},
    {"breadcrumbs", CLASS_ASIDE, true}, {"arrow", CLASS_ARROW, true},
    {"chevron", CLASS_ARROW, true},     {"angle", CLASS_ARROW, true},
    {"caret", CLASS_ARROW, true},       {"right", CLASS_RIGHT, false},
    {"left", CLASS_LEFT, false},        {"arrowright", CLASS_ARROW | CLASS_RIGHT, false},
};

static unsigned class_word(th_str word)
{
    for (size_t i = 0; i < sizeof class_words / sizeof *class_words; i++) {
        th_str known = th_str_from(class_words[i].word);
        if (class_words[i].begins ? th__str_starts_nocase(word, known)
                                  : th__str_eq_nocase(word, known))
            return class_words[i].says;
    }
    return 0;
}

/* What the words of an attribute say: "nav-next", "pageNext", "btn_next2". */
static unsigned name_says(th_str text)
{
    unsigned says = 0;
    for (size_t at = 0; at < text.len && at < 400;) {
        size_t from = at;
        bool lower = false;
        for (; at < text.len && th__is_alpha((unsigned char)text.ptr[at]); at++) {
            bool capital = text.ptr[at] < 'a';
            if (capital && lower)
                break;
            lower = lower || !capital;
        }
        if (at > from + 1)
            says |= class_word((th_str){text.ptr + from, at - from});
        at += at == from || at == text.len || !th__is_alpha((unsigned char)text.ptr[at]);
    }
    return says;
}

static unsigned read_node(const th_page *page, uint32_t node)
{
    th_attr attr;
    unsigned says = 0;
    uint32_t token = page->nodes[node].token;
    if (!node || !(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return 0;
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr);) {
        if (th__str_eq_nocase(attr.name, TH_STR("class")) ||
            th__str_eq_nocase(attr.name, TH_STR("id")) ||
            th__str_eq_nocase(attr.name, TH_STR("data-icon")))
            says |= name_says(attr.value);
        else if (th__str_eq_nocase(attr.name, TH_STR("aria-current")) &&
                 !th__str_eq_nocase(attr.value, TH_STR("false")))
            says |= CLASS_CURRENT;
    }
    return says;
}

/* ---- URLs ---- */

/* Host and what follows it, without "www." and the fragment. */
typedef struct place {
    th_str host, path, query;
    bool known;
} place;

static place place_of(th_str url)
{
    place p = {0};
    p.known = th__url_place(url, &p.host, &p.path);
    if (!p.known)
        return p;
    const char *end = url.ptr + url.len, *at = p.path.ptr;
    while (at < end && *at != '?' && *at != '#')
        at++;
    if (at < end && *at == '?') {
        p.query.ptr = ++at;
        while (at < end && *at != '#')
            at++;
        p.query.len = (size_t)(at - p.query.ptr);
    }
    return p;
}

/* How a counter of a URL compares with that of the page. */
typedef struct step {
    bool found;
    bool named;            /* by a word for pages: "page", "start" */
    bool had;              /* the page has the counter, too */
    uint64_t key;          /* which counter */
    uint32_t before, then; /* its value on the page and in the link */
} step;

static const char *const counter_names[] = {
    "page",        "p",          "pg",         "paged",       "pagina",     "pagenumber",
    "pagenum",     "pageno",     "pagenr",     "pn",          "pno",        "seite",
    "start",       "offset",     "from",       "skip",        "first",      "st",
    "begin",       "cpage",      "curpage",    "currentpage", "pageindex",  "index",
    "strona",      "strana",     "stranka",    "str",         "sida",       "side",
    "sayfa",       "halaman",    "trang",      "oldal",       "lk",         "startrow",
    "firstresult", "limitstart", "pageid",     "pagenav",     "or",         "pgn",
    "stpage",      "startindex", "pages",      "paginacion",  "pagination", "paging",
    "beginn",      "o",          "s",          "startat",     "rowstart",   "resultstart",
    "cur",         "currpage",   "activepage", "pnum",        "pgno",       "puslapis",
    "lapa",        "sivu",       "pag",        "pi"};

static bool is_counter_name(th_str name)
{
    char plain[16];
    size_t len = 0;
    for (size_t i = 0; i < name.len; i++)
        if (th__is_alpha((unsigned char)name.ptr[i])) {
            if (len == sizeof plain)
                return false;
            plain[len++] = (char)th__lower((unsigned char)name.ptr[i]);
        }
    for (size_t i = 0; len && i < sizeof counter_names / sizeof *counter_names; i++)
        if (th__str_eq((th_str){plain, len}, th_str_from(counter_names[i])))
            return true;
    return len > 4 && th__str_starts((th_str){plain, len}, TH_STR("page"));
}

/* A number of up to 9 digits and nothing else. */
static bool read_number(th_str text, uint32_t *out)
{
    *out = 0;
    if (!text.len || text.len > 9)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!th__is_digit((unsigned char)text.ptr[i]))
            return false;
        *out = *out * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    return true;
}

/* The letters before a place of a text, with at most one sign between: "page" of "/page/2". */
static th_str name_before(th_str text, size_t at)
{
    if (at && !th__is_alpha((unsigned char)text.ptr[at - 1]))
        at--;
    size_t from = at;
    while (from && th__is_alpha((unsigned char)text.ptr[from - 1]))
        from--;
    return (th_str){text.ptr + from, at - from};
}

/* What was put into a text: signs and letters, one number, and no more than an ending behind it. */
static bool read_insertion(th_str text, uint32_t *value, th_str *name)
{
    size_t from = 0, digits;
    while (from < text.len && !th__is_digit((unsigned char)text.ptr[from]))
        from++;
    for (digits = from; digits < text.len && th__is_digit((unsigned char)text.ptr[digits]);)
        digits++;
    for (size_t i = digits; i < text.len; i++)
        if (th__is_digit((unsigned char)text.ptr[i]))
            return false;
    *name = name_before(text, from);
    return text.len - digits <= 6 && from <= 24 &&
           read_number((th_str){text.ptr + from, digits - from}, value);
}

static size_t count_digits(th_str text)
{
    size_t digits = 0;
    for (size_t i = 0; i < text.len; i++)
        digits += th__is_digit((unsigned char)text.ptr[i]);
    return digits;
}

/* Returns true if the end of a path says nothing of the page: "", "/", ".html", "index.php". */
static bool is_plain_end(th_str text)
{
    while (text.len && *text.ptr == '/')
        text = (th_str){text.ptr + 1, text.len - 1};
    return !text.len || (text.len <= 12 && !count_digits(text) &&
                         (*text.ptr == '.' || th__str_starts_nocase(text, TH_STR("index")) ||
                          th__str_starts_nocase(text, TH_STR("default"))));
}

/* Compares a text of the page's URL with that of a link: the same but for a number that is in both,
 * or in one of them alone. False if they differ in anything else. */
static bool find_step(th_str page, th_str link, step *out)
{
    size_t least = page.len < link.len ? page.len : link.len, head = 0, tail = 0;
    while (head < least && page.ptr[head] == link.ptr[head])
        head++;
    while (tail < least - head && page.ptr[page.len - 1 - tail] == link.ptr[link.len - 1 - tail])
        tail++;
    th_str name;
    th_str in_page = {page.ptr + head, page.len - head - tail};
    th_str in_link = {link.ptr + head, link.len - head - tail};
    bool inside = head && th__is_digit((unsigned char)link.ptr[head - 1]) && in_link.len &&
                  th__is_digit((unsigned char)*in_link.ptr);
    if (is_plain_end(in_page) && !inside && read_insertion(in_link, &out->then, &name)) {
        out->named = is_counter_name(name.len ? name : name_before(link, head));
        out->key = th__hash(link.ptr, head);
        return out->found = true;
    }
    if (is_plain_end(in_link) && count_digits(in_page) && !out->found &&
        read_insertion(in_page, &out->before, &name) &&
        !(head && th__is_digit((unsigned char)page.ptr[head - 1]))) {
        out->named = is_counter_name(name.len ? name : name_before(page, head));
        out->had = true;
        out->then = 0;
        out->key = th__hash(link.ptr, head);
        return out->found = true;
    }
    while (head && th__is_digit((unsigned char)page.ptr[head - 1]))
        head--;
    while (tail && th__is_digit((unsigned char)page.ptr[page.len - tail]))
        tail--;
    out->had = true;
    out->key = th__hash(link.ptr, head);
    out->named = is_counter_name(name_before(link, head));
    return out->found =
               read_number((th_str){page.ptr + head, page.len - head - tail}, &out->before) &&
               read_number((th_str){link.ptr + head, link.len - head - tail}, &out->then);
}

typedef struct param {
    th_str name, value;
} param;

static size_t split_query(th_str query, param *out)
{
    size_t count = 0;
    for (size_t at = 0; at < query.len && count < MOST_QUERY;) {
        size_t end = at;
        while (end < query.len && query.ptr[end] != '&' && query.ptr[end] != ';')
            end++;
        const char *equals = memchr(query.ptr + at, '=', end - at);
        size_t name = equals ? (size_t)(equals - query.ptr) - at : end - at;
        out[count].name = (th_str){query.ptr + at, name};
        out[count].value = equals ? (th_str){equals + 1, end - at - name - 1} : (th_str){"", 0};
        count += end > at;
        at = end + 1;
    }
    return count;
}

static const param *find_param(const param *params, size_t count, th_str name)
{
    for (size_t i = 0; i < count; i++)
        if (th__str_eq(params[i].name, name))
            return &params[i];
    return NULL;
}

static void take_step(step *best, const step *other)
{
    if (!best->found || (other->named && !best->named) ||
        (other->named == best->named && other->had && !best->had))
        *best = *other;
}

/* The counter in which the queries differ. False if another value differs that both have. */
static bool find_query_step(th_str page, th_str link, step *out)
{
    param here[MOST_QUERY], there[MOST_QUERY];
    size_t here_count = split_query(page, here), there_count = split_query(link, there);
    bool same = true;
    for (size_t i = 0; i < there_count; i++) {
        const param *old = find_param(here, here_count, there[i].name);
        step found = {0};
        if (old && th__str_eq(old->value, there[i].value))
            continue;
        if (old ? find_step(old->value, there[i].value, &found)
                : read_number(there[i].value, &found.then)) {
            found.found = true;
            found.key = th__hash(there[i].name.ptr, there[i].name.len);
            found.named = is_counter_name(there[i].name);
            take_step(out, &found);
        } else if (old && there[i].value.len) {
            same = false;
        }
    }
    for (size_t i = 0; i < here_count; i++) {
        step found = {.found = true, .had = true};
        if (find_param(there, there_count, here[i].name) || !is_counter_name(here[i].name) ||
            !read_number(here[i].value, &found.before))
            continue;
        found.named = true;
        found.key = th__hash(here[i].name.ptr, here[i].name.len);
        take_step(out, &found);
    }
    return same;
}

/* ---- a page's links ---- */

typedef struct look {
    const th_page *page;
    th__arena *arena;
    th__next_page *out;
    place here; /* the page's own */
    th__key_map targets;
    th__buf text;      /* scratch */
    uint32_t *link_at; /* by node: the link that is there, counted from 1; 0: none */
    uint16_t *says;    /* by node: what its classes say, and KNOWN once that was read */
    bool failed;
} look;

/* What the classes of an element say; many links are in the same one. */
static unsigned node_says(look *l, uint32_t node)
{
    if (!(l->says[node] & KNOWN))
        l->says[node] = (uint16_t)(read_node(l->page, node) | KNOWN);
    return l->says[node] & ~(unsigned)KNOWN;
}

static void add(th__next_link *link, th__next_evidence what)
{
    link->evidence[what] = 1;
}

static th_str attribute_text(look *l, uint32_t token, const char *name)
{
    th_str raw;
    th__buf_clear(&l->text);
    if (!th_attr_get(l->page, token, name, &raw) || raw.len > 2000)
        return (th_str){0};
    l->failed |= !th__decode_refs(raw, true, &l->text);
    return th__str_trim(th__buf_str(&l->text));
}

static void add_says(th__next_link *link, unsigned says)
{
    static const struct {
        unsigned says;
        th__next_evidence evidence;
    } table[] = {{TH__SAYS_NEXT, TH__NEXT_WORD},   {TH__SAYS_NEXT_IN, TH__NEXT_WORD_IN},
                 {TH__SAYS_OLDER, TH__NEXT_OLDER}, {TH__SAYS_BACK, TH__NEXT_BACK},
                 {TH__SAYS_OTHER, TH__NEXT_OTHER}, {TH__SAYS_MORE, TH__NEXT_MORE},
                 {TH__SAYS_RIGHT, TH__NEXT_ARROW}, {TH__SAYS_FAR, TH__NEXT_FAR},
                 {TH__SAYS_LEFT, TH__NEXT_LEFT}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (says & table[i].says)
            add(link, table[i].evidence);
}

/* The name of an image's file: "/img/arrow_next.gif". */
static unsigned image_says(const th_page *page, uint32_t token)
{
    th_str src;
    if (!th_attr_get(page, token, "src", &src) || src.len > 1000)
        return 0;
    const char *slash = memrchr(src.ptr, '/', src.len);
    return slash ? name_says((th_str){slash, (size_t)(src.ptr + src.len - slash)}) : name_says(src);
}

/* What the texts of a link say: its own, those of its images, and its hints. */
static void read_label(look *l, th__next_link *link)
{
    const th_page *page = l->page;
    const th_node *node = &page->nodes[link->node];
    bool words = false, more;
    if (node->token_end - node->token > MOST_LABEL) {
        add(link, TH__NEXT_LONG);
        return;
    }
    th__buf_clear(&l->text);
    l->failed |= !th__span_text(page, th_page_node_span(page, link->node), &l->text);
    th_str text = th__str_trim(th__buf_str(&l->text));
    unsigned says = th__next_says(text, &words);
    uint32_t number;
    bool numeric = read_number(text, &number);
    if (text.len > LONG_LABEL && !(says & (TH__SAYS_NEXT | TH__SAYS_OLDER)))
        add(link, TH__NEXT_LONG);
    for (uint32_t n = link->node + 1; n < node->end && !numeric; n++)
        if (page->tags[n] == TH_TAG_IMG)
            says |= th__next_says(attribute_text(l, page->nodes[n].token, "alt"), &more);
    /* A hint repeats the words, or is all there is. A number's hint says "page 3 of 9". */
    if (!numeric) {
        says |= th__next_says(attribute_text(l, node->token, "aria-label"), &more);
        says |= th__next_says(attribute_text(l, node->token, "title"), &more);
    }
    if (words && !(says & ~(unsigned)(TH__SAYS_RIGHT | TH__SAYS_FAR | TH__SAYS_LEFT)))
        says &= ~(unsigned)(TH__SAYS_RIGHT | TH__SAYS_FAR); /* "Read this »", "Shop >" */
    if (says & TH__SAYS_OTHER)                              /* "Read more →" */
        says &= ~(unsigned)(TH__SAYS_NEXT | TH__SAYS_NEXT_IN | TH__SAYS_RIGHT | TH__SAYS_FAR);
    link->blank = !text.len && !says;
    add_says(link, says);
}

/* The nearest element above that holds nothing but the link. */
static bool is_wrapped(const th_page *page, uint32_t parent, uint32_t node)
{
    uint32_t links = 0;
    if (!parent || page->nodes[parent].end - parent > 24)
        return false;
    for (uint32_t n = parent + 1; n < page->nodes[parent].end; n++)
        links += page->tags[n] == TH_TAG_A;
    return links == 1 && node > parent;
}

static void read_classes(look *l, th__next_link *link)
{
    const th_page *page = l->page;
    unsigned says = node_says(l, link->node);
    uint32_t end = page->nodes[link->node].end;
    unsigned inner = 0;
    for (uint32_t n = link->node + 1; n < end && n < link->node + 12; n++)
        inner |= node_says(l, n) |
                 (page->tags[n] == TH_TAG_IMG ? image_says(page, page->nodes[n].token) : 0);
    unsigned all = says | inner;
    uint32_t parent = page->nodes[link->node].parent;
    for (int level = 0; level < 2 && is_wrapped(page, parent, link->node); level++) {
        all |= node_says(l, parent);
        parent = page->nodes[parent].parent;
    }
    if ((all & CLASS_NEXT) && !(all & CLASS_BACK))
        add(link, TH__NEXT_CLASS_NEXT);
    if ((all & CLASS_BACK) && !(all & CLASS_NEXT))
        add(link, TH__NEXT_CLASS_BACK);
    if ((inner & CLASS_ARROW) && (inner & CLASS_RIGHT))
        add(link, TH__NEXT_ARROW);
    if ((inner & CLASS_ARROW) && (inner & CLASS_LEFT))
        add(link, TH__NEXT_LEFT);
    uint32_t above = link->node;
    uint32_t most = page->node_count / 2 > SMALL_PART ? page->node_count / 2 : SMALL_PART;
    for (int level = 0; level < ABOVE_LEVELS && above; level++) {
        if (page->tags[above] == TH_TAG_BODY || page->tags[above] == TH_TAG_HTML)
            break;
        unsigned part = node_says(l, above);
        if (level <= PAGER_LEVELS && page->nodes[above].end - above <= SMALL_PART &&
            (part & CLASS_PAGER))
            add(link, TH__NEXT_PAGER);
        if ((part & CLASS_ASIDE) && page->nodes[above].end - above < most)
            add(link, TH__NEXT_ASIDE);
        above = page->nodes[above].parent;
    }
}

static bool says_rel(const th_page *page, uint32_t token, th_str what)
{
    th_str rel;
    size_t at = 0;
    if (!th_attr_get(page, token, "rel", &rel))
        return false;
    for (th_str word; (word = th__str_word(rel, &at)).len;)
        if (th__str_eq_nocase(word, what))
            return true;
    return false;
}

static void read_rel(look *l, th__next_link *link)
{
    uint32_t token = l->page->nodes[link->node].token;
    bool visible = l->page->tags[link->node] == TH_TAG_A;
    if (says_rel(l->page, token, TH_STR("next")))
        add(link, visible ? TH__NEXT_REL_A : TH__NEXT_REL_LINK);
    if (says_rel(l->page, token, TH_STR("prev")) || says_rel(l->page, token, TH_STR("previous")))
        add(link, TH__NEXT_BACK);
}

/* Which counter of the URLs a link has, 0 for none, and its value. */
typedef struct counter {
    uint32_t number, value;
} counter;

/* What the URL of a link says when it is held against that of the page. `counters` numbers the
 * counters of the page's links. */
static counter read_url(look *l, th__next_link *link, th__key_map *counters)
{
    place there = place_of(link->url);
    step path = {0}, query = {0};
    if (!l->here.known || !there.known)
        return (counter){0};
    bool same_path = th__str_eq(l->here.path, there.path);
    bool path_step = same_path || find_step(l->here.path, there.path, &path);
    bool same_query = find_query_step(l->here.query, there.query, &query);
    step *s = query.found && (query.named || !path.found) ? &query : &path;
    if (same_path && same_query && !query.found)
        add(link, TH__NEXT_SELF);
    if (!path_step)
        add(link, TH__NEXT_ELSEWHERE);
    if (!s->found)
        return (counter){0};
    if (s->named)
        add(link, TH__NEXT_COUNTER);
    if (s->had ? s->then <= s->before : s->then == 0) {
        add(link, TH__NEXT_LOWER);
        return (counter){0};
    }
    if (path_step && same_query && s->then == (s->had ? s->before + 1 : 2))
        add(link, TH__NEXT_PLUS);
    counter found = {th__key_map_number(counters, s->key), s->then};
    l->failed |= !found.number;
    return path_step ? found : (counter){0};
}

/* Of the links with one counter, those with the lowest value above the page's are the nearest. */
static bool read_urls(look *l)
{
    th__next_page *out = l->out;
    th__key_map counters = {0};
    counter *found = th__arena_zero(l->arena, out->link_count, sizeof *found);
    uint32_t *least = th__arena_zero(l->arena, (size_t)out->link_count + 1, sizeof *least);
    if (!found || !least)
        return false;
    for (uint32_t i = 0; i < out->link_count; i++) {
        found[i] = read_url(l, &out->links[i], &counters);
        uint32_t *lowest = &least[found[i].number];
        if (!*lowest || found[i].value < *lowest)
            *lowest = found[i].value;
    }
    for (uint32_t i = 0; i < out->link_count; i++)
        if (found[i].number && found[i].value == least[found[i].number])
            add(&out->links[i], TH__NEXT_NEAREST);
    th__key_map_release(&counters);
    return !l->failed;
}

/* ---- runs of numbers ---- */

/* A number that is a text of its own. */
typedef struct page_number {
    uint32_t node, value;
    uint32_t link; /* counted from 1, of one that leads elsewhere; 0: none */
    bool current;  /* marked as such */
} page_number;

/* "2", "[2]", "2.", "1,097"; 0: something else. */
static uint32_t number_of(th_str text)
{
    char digits[8];
    size_t len = 0;
    text = th__str_trim(text);
    while (text.len && memchr("[(|", *text.ptr, 3))
        text = th__str_trim((th_str){text.ptr + 1, text.len - 1});
    while (text.len && memchr("])|.,", text.ptr[text.len - 1], 5))
        text = th__str_trim((th_str){text.ptr, text.len - 1});
    if (!text.len || text.len > 9)
        return 0;
    for (size_t i = 0; i < text.len; i++) {
        if (len && text.len - i == 4 && (text.ptr[i] == ',' || text.ptr[i] == '.'))
            continue;
        if (!th__is_digit((unsigned char)text.ptr[i]) || len == 7)
            return 0;
        digits[len++] = text.ptr[i];
    }
    uint32_t value;
    return len && *digits != '0' && read_number((th_str){digits, len}, &value) &&
                   value <= MOST_NUMBER
               ? value
               : 0;
}

/* The element a above a node, with the link that it is, and whether a mark of the current page is
 * on the way. */
static void place_number(look *l, page_number *number)
{
    const th_page *page = l->page;
    uint32_t node = number->node;
    for (int level = 0; level < 4 && node; level++) {
        uint16_t tag = page->tags[node];
        if (page->nodes[node].end - node > 6)
            break;
        if (l->link_at[node])
            number->link = l->link_at[node];
        if ((node_says(l, node) & CLASS_CURRENT) || tag == TH_TAG_STRONG || tag == TH_TAG_B ||
            tag == TH_TAG_EM)
            number->current = true;
        node = page->nodes[node].parent;
    }
    if (number->link && l->out->links[number->link - 1].evidence[TH__NEXT_SELF])
        number->current = true;
}

/* The page that is shown: the only number of the run without a link, the only one that is marked,
 * or the page before 2 where a run begins with 2. */
static uint32_t current_of(const page_number *run, size_t count)
{
    uint32_t marked = 0, plain = 0, marks = 0, plains = 0;
    for (size_t i = 0; i < count; i++) {
        if (run[i].current) {
            marked = run[i].value;
            marks++;
        }
        if (!run[i].link) {
            plain = run[i].value;
            plains++;
        }
    }
    if (plains == 1)
        return plain;
    if (marks == 1)
        return marked;
    return !plains && !marks && count > 1 && run[0].value == 2 ? 1 : 0;
}

static void read_run(look *l, const page_number *run, size_t count)
{
    size_t links = 0;
    for (size_t i = 0; i < count; i++)
        links += run[i].link > 0;
    uint32_t current = links && count > 1 ? current_of(run, count) : 0;
    for (size_t i = 0; current && i < count; i++) {
        if (!run[i].link)
            continue;
        th__next_link *link = &l->out->links[run[i].link - 1];
        add(link, run[i].value == current + 1 ? TH__NEXT_NUMBER : TH__NEXT_NUMBER_OTHER);
        add(link, TH__NEXT_PAGER);
    }
}

/* The number that a text token is, or 0. */
static uint32_t token_number(look *l, uint32_t t)
{
    th_str text = th__token_text(l->page, t);
    bool plain = th__utf8_ascii(text.ptr, text.len) == text.len && !memchr(text.ptr, '&', text.len);
    if (plain || text.len > 100) /* else blanks beyond ASCII: "&nbsp;2" */
        return number_of(text);
    th__buf_clear(&l->text);
    l->failed |= !th__span_text(l->page, th_page_token_span(l->page, t), &l->text);
    return number_of(th__buf_str(&l->text));
}

/* Numbers that rise, with hardly a text between them, are a run. */
static bool read_runs(look *l)
{
    const th_page *page = l->page;
    page_number *run = th__arena_alloc(l->arena, MOST_RUN * sizeof *run);
    size_t count = 0, gap = 0;
    if (!run)
        return false;
    for (uint32_t t = 0; t < page->token_count; t++) {
        const th_token *token = &page->tokens[t];
        if (token->kind != TH_TOKEN_TEXT || token->flags & TH_TOKEN_BLANK)
            continue;
        uint32_t value = token_number(l, t);
        if (!value) {
            gap += token[1].start - token->start > SHORT_GAP ? NUMBER_GAP + 1 : 1;
            continue;
        }
        if (count && (gap > NUMBER_GAP || value <= run[count - 1].value || count == MOST_RUN)) {
            read_run(l, run, count);
            count = 0;
        }
        gap = 0;
        run[count] = (page_number){th__page_node_around(page, t, t), value, 0, false};
        place_number(l, &run[count++]);
    }
    read_run(l, run, count);
    return !l->failed;
}

/* ---- all together ---- */

/* A link that leads to a page: absolute, without its fragment. False if it does not. */
static bool read_href(look *l, th__next_link *link)
{
    th_str raw;
    uint32_t token = l->page->nodes[link->node].token;
    if (!th_attr_get(l->page, token, "href", &raw) || !raw.len || raw.len > 4000)
        return false;
    th__buf_clear(&l->text);
    l->failed |= !th__decode_refs(raw, true, &l->text);
    link->href = th__arena_copy(l->arena, th__str_trim(th__buf_str(&l->text)));
    l->failed |= !link->href.ptr;
    if (l->failed || !link->href.len || *link->href.ptr == '#')
        return false;
    th__buf_clear(&l->text);
    l->failed |=
        !th__url_resolve(l->page->base.ptr ? l->page->base : l->page->url, link->href, &l->text);
    th_str url = th__buf_str(&l->text);
    const char *hash = memchr(url.ptr, '#', url.len);
    if (hash)
        url.len = (size_t)(hash - url.ptr);
    place there = place_of(url);
    /* "javascript:", "mailto:"; relative links are all there is where no URL is known. */
    const char *colon = memchr(url.ptr, ':', url.len), *slash = memchr(url.ptr, '/', url.len);
    if (!url.len || (!there.known && colon && (!slash || colon < slash)))
        return false;
    if (there.known && l->here.known && !th__str_eq_nocase(there.host, l->here.host))
        return false;
    link->url = th__arena_copy(l->arena, url);
    l->failed |= !link->url.ptr;
    return !l->failed;
}

static bool find_links(look *l)
{
    const th_page *page = l->page;
    uint32_t count = 0;
    for (uint32_t n = 1; n < page->node_count; n++)
        count += page->tags[n] == TH_TAG_A || page->tags[n] == TH_TAG_LINK;
    count = count < MOST_LINKS ? count : MOST_LINKS;
    l->out->links = th__arena_zero(l->arena, count + 1, sizeof *l->out->links);
    l->link_at = th__arena_zero(l->arena, page->node_count, sizeof *l->link_at);
    l->says = th__arena_zero(l->arena, page->node_count, sizeof *l->says);
    if (!l->out->links || !l->link_at || !l->says)
        return false;
    for (uint32_t n = 1; n < page->node_count && l->out->link_count < count; n++) {
        th__next_link *link = &l->out->links[l->out->link_count];
        bool visible = page->tags[n] == TH_TAG_A;
        if (!visible &&
            (page->tags[n] != TH_TAG_LINK || !says_rel(page, page->nodes[n].token, TH_STR("next"))))
            continue;
        *link = (th__next_link){.node = n};
        if (!read_href(l, link)) {
            if (l->failed)
                return false;
            continue;
        }
        l->link_at[n] = ++l->out->link_count;
    }
    return true;
}

/* Evidence without which a link is not worth weighing. */
static bool has_reason(const float *evidence)
{
    static const th__next_evidence reasons[] = {
        TH__NEXT_REL_LINK, TH__NEXT_REL_A, TH__NEXT_WORD, TH__NEXT_WORD_IN,
        TH__NEXT_OLDER,    TH__NEXT_ARROW, TH__NEXT_FAR,  TH__NEXT_CLASS_NEXT,
        TH__NEXT_NUMBER,   TH__NEXT_PLUS,  TH__NEXT_MORE};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (evidence[reasons[i]])
            return true;
    return false;
}

/* Adds the evidence of a link to that of its target. A link without a reason says only that it
 * leads back: that a title leads to the same page does not count against it. */
static void join_evidence(float *target, const float *link)
{
    bool reason = has_reason(link);
    for (size_t e = 0; e < TH__NEXT_EVIDENCE; e++)
        if (link[e] > target[e] && (reason || e == TH__NEXT_BACK || e == TH__NEXT_LEFT ||
                                    e == TH__NEXT_CLASS_BACK || e == TH__NEXT_NUMBER_OTHER))
            target[e] = link[e];
}

/* Returns true if a visible link says by itself that it is the next page: a number does not. */
static bool says_next(const float *evidence)
{
    return evidence[TH__NEXT_REL_A] || evidence[TH__NEXT_WORD] || evidence[TH__NEXT_WORD_IN] ||
           evidence[TH__NEXT_OLDER] || evidence[TH__NEXT_ARROW] || evidence[TH__NEXT_FAR] ||
           evidence[TH__NEXT_CLASS_NEXT];
}

/* Returns true if a target is a page before this one, or of something else, whatever arrow is
 * beside it: a blog's "Newer posts →", a calendar's "»". */
static bool leads_away(const float *evidence)
{
    return (evidence[TH__NEXT_LOWER] || evidence[TH__NEXT_BACK] || evidence[TH__NEXT_ASIDE]) &&
           !evidence[TH__NEXT_WORD] && !evidence[TH__NEXT_REL_A];
}

static bool find_targets(look *l)
{
    th__next_page *out = l->out;
    out->targets = th__arena_zero(l->arena, (size_t)out->link_count + 1, sizeof *out->targets);
    if (!out->targets)
        return false;
    for (uint32_t i = 0; i < out->link_count; i++) {
        th__next_link *link = &out->links[i];
        link->evidence[TH__NEXT_ONE] = 1;
        uint32_t number = th__key_map_number(&l->targets, th__hash(link->url.ptr, link->url.len));
        if (!number)
            return false;
        if (number > out->target_count) {
            out->target_count = number;
            out->targets[number - 1].link = i;
        }
        link->target = number - 1;
        join_evidence(out->targets[number - 1].evidence, link->evidence);
    }
    /* An icon that leads to the number after the current one is an arrow. */
    for (uint32_t i = 0; i < out->link_count; i++)
        if (out->links[i].blank && out->targets[out->links[i].target].evidence[TH__NEXT_NUMBER])
            out->targets[out->links[i].target].evidence[TH__NEXT_ARROW] = 1;
    for (uint32_t t = 0; t < out->target_count; t++) {
        float *evidence = out->targets[t].evidence;
        /* On the last page but one "Last" leads to where "Next" does. */
        if (evidence[TH__NEXT_WORD] || evidence[TH__NEXT_NUMBER])
            evidence[TH__NEXT_BACK] = 0;
        evidence[TH__NEXT_MUTE] = !says_next(evidence);
        out->targets[t].weighed = has_reason(evidence) && !leads_away(evidence);
    }
    return true;
}

th_status th__next_look(const th_page *page, th__arena *arena, th__next_page *out, th_error *err)
{
    look l = {.page = page, .arena = arena, .out = out, .here = place_of(page->url)};
    *out = (th__next_page){0};
    bool ok = find_links(&l);
    for (uint32_t i = 0; ok && i < out->link_count; i++) {
        read_rel(&l, &out->links[i]);
        if (page->tags[out->links[i].node] == TH_TAG_A) {
            read_label(&l, &out->links[i]);
            read_classes(&l, &out->links[i]);
        }
        ok = !l.failed;
    }
    ok = ok && read_urls(&l) && read_runs(&l) && find_targets(&l);
    th__key_map_release(&l.targets);
    th__buf_release(&l.text);
    return ok ? TH_OK : th__fail_memory(err);
}
