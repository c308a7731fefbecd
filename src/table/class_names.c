/*
 * class_names.c: the name that a class gives a column.
 *
 * A class is cut into words at "-", "_" and capitals. Words are of four kinds:
 *
 *   meaning   price, title, author: what a value is. The last one of a class is the name.
 *   light     result, item, text, info: what all of a page's things are. Never a name alone.
 *   looks     left, row, clearfix, mt, btn: how a thing looks, where it is, what a script does with
 *             it. Frameworks have hundreds of classes of nothing else. Never part of a name.
 *   other     byline, lvformat: a person's word, most likely. A name where nothing says more.
 *
 * What tools make ("css-1q2w3e", "sc-bdVaJa", "_3xKj9") is not a word. In "Card_title__3xKj9" a
 * tool has only added an end.
 */
#include "base/str.h"
#include "table/column_names.h"

enum { WORDS_MOST = 12, LONGEST_WORD = 24 };

enum class_word_kind { WORD_NONE, WORD_LOOKS, WORD_LIGHT, WORD_OTHER, WORD_MEANING };

/* Each table is sorted. */
static const char *const looks[] = {
    "abs",      "absolute", "accordion",  "active",      "align",    "aligned",    "alt",
    "anchor",   "arrow",    "bar",        "base",        "bg",       "big",        "black",
    "block",    "blue",     "bold",       "border",      "bordered", "bottom",     "box",
    "break",    "bs",       "btn",        "bullet",      "button",   "buttons",    "card",
    "cards",    "cell",     "center",     "centered",    "centre",   "class",      "clear",
    "clearfix", "click",    "clickable",  "closed",      "col",      "collapse",   "collapsed",
    "color",    "cols",     "colspan",    "column",      "columns",  "container",  "cta",
    "current",  "cursor",   "danger",     "dark",        "default",  "desktop",    "disabled",
    "display",  "div",      "dropdown",   "elem",        "element",  "ellipsis",   "empty",
    "enabled",  "even",     "expand",     "expanded",    "external", "fade",       "first",
    "fixed",    "flex",     "float",      "floated",     "fluid",    "font",       "footer",
    "four",     "full",     "glyphicon",  "gray",        "green",    "grey",       "grid",
    "group",    "gutter",   "half",       "has",         "hash",     "header",     "height",
    "hidden",   "hide",     "highlight",  "highlighted", "holder",   "horizontal", "hover",
    "icon",     "icons",    "img",        "inline",      "inner",    "input",      "invisible",
    "italic",   "js",       "justify",    "large",       "larger",   "last",       "layout",
    "left",     "lg",       "light",      "line",        "lines",    "link",       "links",
    "list",     "lockup",   "lower",      "lowercase",   "main",     "margin",     "md",
    "media",    "medium",   "middle",     "mini",        "mobile",   "modal",      "module",
    "muted",    "narrow",   "nav",        "negative",    "none",     "normal",     "nowrap",
    "odd",      "offset",   "one",        "only",        "open",     "orange",     "outer",
    "outline",  "overflow", "overlay",    "padded",      "padding",  "pane",       "panel",
    "part",     "phone",    "pill",       "placeholder", "plain",    "pointer",    "popup",
    "position", "positive", "primary",    "print",       "pull",     "push",       "red",
    "regular",  "relative", "responsive", "right",       "round",    "rounded",    "row",
    "rows",     "scroll",   "second",     "secondary",   "section",  "selected",   "self",
    "shadow",   "show",     "side",       "sidebar",     "single",   "slide",      "slot",
    "small",    "smaller",  "space",      "spacer",      "spacing",  "span",       "sprite",
    "sprites",  "square",   "sr",         "sticky",      "stretch",  "strong",     "style",
    "styled",   "sub",      "success",    "svg",         "tab",      "table",      "tablet",
    "tabs",     "third",    "three",      "tile",        "tiny",     "toggle",     "tooltip",
    "top",      "tpl",      "track",      "transparent", "trigger",  "truncate",   "two",
    "txt",      "uix",      "underline",  "unit",        "up",       "upper",      "uppercase",
    "util",     "valign",   "vertical",   "visible",     "warning",  "well",       "white",
    "wide",     "widget",   "width",      "wrap",        "wrapper",  "yellow",
};

static const char *const light[] = {
    "article", "body",    "component", "content", "data",    "detail",   "details",
    "entry",   "field",   "fields",    "find",    "hit",     "info",     "information",
    "item",    "items",   "label",     "listing", "meta",    "metadata", "node",
    "object",  "page",    "post",      "posts",   "product", "products", "record",
    "result",  "results", "search",    "site",    "story",   "teaser",   "text",
    "thing",   "topic",   "value",     "values",  "view",    "web",
};

static const char *const meaning[] = {
    "abstract",     "abv",         "address",      "age",          "airline",   "album",
    "amount",       "answer",      "answers",      "area",         "arrival",   "artist",
    "artists",      "author",      "authors",      "availability", "avatar",    "bathrooms",
    "baths",        "bedrooms",    "beds",         "bid",          "bids",      "bio",
    "birthday",     "brand",       "brewery",      "byline",       "caption",   "categories",
    "category",     "city",        "code",         "comment",      "comments",  "company",
    "condition",    "contact",     "cost",         "count",        "country",   "cover",
    "created",      "creator",     "currency",     "date",         "datetime",  "day",
    "deadline",     "delivery",    "department",   "departure",    "desc",      "description",
    "destination",  "director",    "discount",     "distance",     "doi",       "downloads",
    "duration",     "edition",     "editor",       "education",    "email",     "employer",
    "event",        "excerpt",     "fee",          "filename",     "flight",    "format",
    "forum",        "gate",        "gender",       "genre",        "genres",    "goals",
    "headline",     "host",        "hours",        "id",           "image",     "industry",
    "ingredient",   "ingredients", "isbn",         "issue",        "job",       "journal",
    "keyword",      "keywords",    "language",     "league",       "leechers",  "length",
    "license",      "likes",       "location",     "logo",         "magnet",    "maker",
    "manufacturer", "member",      "message",      "model",        "modified",  "month",
    "name",         "number",      "organisation", "organization", "origin",    "owner",
    "pages",        "period",      "person",       "photo",        "picture",   "place",
    "player",       "points",      "postcode",     "posted",       "poster",    "preview",
    "price",        "prices",      "publication",  "published",    "publisher", "quantity",
    "question",     "quote",       "rank",         "rating",       "ratings",   "region",
    "release",      "released",    "replies",      "review",       "reviews",   "role",
    "rooms",        "salary",      "score",        "seeders",      "seller",    "series",
    "shipping",     "size",        "sku",          "snippet",      "speaker",   "stars",
    "status",       "stock",       "street",       "subject",      "subtitle",  "summary",
    "synopsis",     "tag",         "tags",         "team",         "telephone", "terminal",
    "thumb",        "thumbnail",   "time",         "timestamp",    "title",     "total",
    "town",         "type",        "updated",      "url",          "user",      "username",
    "vendor",       "venue",       "version",      "video",        "views",     "volume",
    "votes",        "website",     "weight",       "writer",       "year",      "zip",
};

/* Of these the word before says which: release date, author name, comment count. */
static const char *const of_something[] = {
    "code", "count", "date", "id", "name", "number", "time", "type", "url",
};

/* Light words that say something behind another: "entry-content", "result_text". */
static const char *const light_ends[] = {"body", "content", "details", "info", "meta", "text"};

/* Words of the meaning that sites glue to others: "lvprice", "resulttitle". */
static const char *const glued[] = {
    "author", "category", "description", "excerpt", "location",
    "price",  "rating",   "snippet",     "summary", "title",
};

#define IS_ONE_OF(word, table) th__str_listed(word, table, sizeof(table) / sizeof *(table))

static bool is_vowel(unsigned char c)
{
    return memchr("aeiouy", th__lower(c), 6);
}

/* Returns true if letters look as if a tool had drawn them: hardly a vowel, or long runs without.
 * German has "schr", English "ngths". */
static bool is_drawn(th_str word)
{
    enum { LONGEST_RUN = 5 };
    size_t vowels = 0, run = 0, longest = 0;
    for (size_t i = 0; i < word.len; i++) {
        bool vowel = is_vowel((unsigned char)word.ptr[i]);
        vowels += vowel;
        run = vowel ? 0 : run + 1;
        longest = run > longest ? run : longest;
    }
    return !vowels || longest > LONGEST_RUN || (word.len > 6 && 6 * vowels < word.len);
}

static enum class_word_kind kind_of(th_str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!th__is_alpha((unsigned char)word.ptr[i]))
            return WORD_NONE;
    if (IS_ONE_OF(word, meaning))
        return WORD_MEANING;
    if (word.len < 3 || IS_ONE_OF(word, looks))
        return WORD_LOOKS;
    if (IS_ONE_OF(word, light))
        return WORD_LIGHT;
    return word.len > LONGEST_WORD || is_drawn(word) ? WORD_NONE : WORD_OTHER;
}

/* The word of the meaning that is at the end of another, or the word itself. */
static th_str glued_end(th_str word)
{
    for (size_t i = 0; i < sizeof glued / sizeof *glued; i++) {
        th_str end = th_str_from(glued[i]);
        if (word.len > end.len + 1 && th__str_ends_nocase(word, end))
            return (th_str){word.ptr + word.len - end.len, end.len};
    }
    return word;
}

struct class_words {
    th_str words[WORDS_MOST];
    enum class_word_kind kinds[WORDS_MOST];
    uint32_t count;
};

/* Returns true if a class is from a tool that writes style sheets, or if its capitals come at
 * random: "bdVaJa". */
static bool is_generated(th_str class)
{
    static const char *const tools[] = {"css-", "sc-", "jsx-", "svelte-", "emotion-", "jss"};
    size_t capitals = 0, close = 0, last = SIZE_MAX;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (th__str_starts(class, th_str_from(tools[i])))
            return true;
    for (size_t i = 0; i < class.len; i++) {
        if (class.ptr[i] < 'A' || class.ptr[i] > 'Z')
            continue;
        capitals++;
        close += last != SIZE_MAX && i - last == 2;
        last = i;
    }
    return class.len <= 10 && capitals >= 2 && close >= 1;
}

/* Cuts a class into words; those of no use are left out. */
static void cut_class(th_str class, struct class_words *out)
{
    out->count = 0;
    for (size_t i = 0; i < class.len && out->count < WORDS_MOST;) {
        size_t start = i++;
        unsigned char first = (unsigned char)class.ptr[start];
        if (first == '-' || first == '_')
            continue;
        while (i < class.len && class.ptr[i] != '-' && class.ptr[i] != '_') {
            bool lower = class.ptr[i - 1] >= 'a' && class.ptr[i - 1] <= 'z';
            if (lower && class.ptr[i] >= 'A' && class.ptr[i] <= 'Z')
                break;
            i++;
        }
        th_str word = {class.ptr + start, i - start};
        enum class_word_kind kind = kind_of(word);
        if (kind == WORD_OTHER) {
            th_str end = glued_end(word);
            kind = end.len < word.len ? WORD_MEANING : kind;
            word = end;
        }
        if (kind == WORD_NONE || kind == WORD_LOOKS)
            continue;
        out->words[out->count] = word;
        out->kinds[out->count++] = kind;
    }
}

static bool set_words(th__buf *name, th_str before, th_str word)
{
    name->len = 0;
    if (before.len && !(th__buf_add_str(name, before) && th__buf_add_byte(name, '_')))
        return false;
    return th__buf_add_str(name, word) && th__name_tidy(name);
}

/* The name that a class gives, and how much it says. A word behind one of the meaning says which:
 * "time-start", "event-series". */
static th__name_worth name_of_words(const struct class_words *w, th__buf *name)
{
    const th_str none = {0};
    for (uint32_t i = w->count; i-- > 0;) {
        if (w->kinds[i] != WORD_MEANING)
            continue;
        bool more = i + 1 < w->count && w->kinds[i + 1] == WORD_OTHER;
        bool which =
            !more && i && w->kinds[i - 1] >= WORD_OTHER && IS_ONE_OF(w->words[i], of_something);
        bool ok = more ? set_words(name, w->words[i], w->words[i + 1])
                       : set_words(name, which ? w->words[i - 1] : none, w->words[i]);
        return ok ? TH__NAME_MEANS : TH__NAME_NONE;
    }
    for (uint32_t i = w->count; i-- > 0;)
        if (w->kinds[i] == WORD_OTHER)
            return set_words(name, none, w->words[i]) ? TH__NAME_WORD : TH__NAME_NONE;
    if (w->count >= 2 && IS_ONE_OF(w->words[w->count - 1], light_ends))
        return set_words(name, w->words[w->count - 2], w->words[w->count - 1]) ? TH__NAME_WORD
                                                                               : TH__NAME_NONE;
    return TH__NAME_NONE;
}

th__name_worth th__name_of_class(th_str classes, th__buf *name)
{
    th__name_worth best = TH__NAME_NONE;
    th__buf trial = {0};
    struct class_words words;
    th_str class;
    for (size_t at = 0; best < TH__NAME_MEANS && (class = th__str_word(classes, &at)).len;) {
        if (is_generated(class))
            continue;
        cut_class(class, &words);
        th__name_worth worth = name_of_words(&words, &trial);
        if (worth <= best)
            continue;
        best = worth;
        name->len = 0;
        th__buf_add_str(name, th__buf_str(&trial));
    }
    name->failed |= trial.failed;
    th__buf_release(&trial);
    return best;
}
