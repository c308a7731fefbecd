/*
 * note.c: what kind of value a text looks like.
 *
 * A text is cut into a short string of signs, one for each word, number or punctuation mark, and
 * that string is held against a list of forms. Forms speak of the whole text: "from $12" is a
 * price, "won $12 on a bet" is a text.
 */
#include "data/note.h"

#include "base/str.h"
#include "data/record.h"
#include "data/value_types.h"

enum { MAX_SIGNS = 16, LONGEST = 64 };

/* Signs: 1 2 4 digits by number of digits (n others, f with a fraction), C currency, M month, D day
 * of the week, A ago and its units, w other word, T am or pm; punctuation is itself. */
struct note_cut {
    char signs[MAX_SIGNS + 1];
    unsigned count, digits;
};

/* A view of a literal, for tables. */
#define WORD(literal)                                                                              \
    {                                                                                              \
        literal, sizeof literal - 1                                                                \
    }

/* What stands before a sign of dollars. */
static const th_str dollars[] = {WORD("us"), WORD("ca"), WORD("au"), WORD("c")};
static const th_str months[] = {WORD("jan"), WORD("feb"), WORD("mar"), WORD("apr"),
                                WORD("may"), WORD("jun"), WORD("jul"), WORD("aug"),
                                WORD("sep"), WORD("oct"), WORD("nov"), WORD("dec")};
static const th_str days[] = {WORD("mon"), WORD("tue"), WORD("wed"), WORD("thu"),
                              WORD("fri"), WORD("sat"), WORD("sun")};
static const th_str spans[] = {WORD("second"), WORD("minute"), WORD("hour"), WORD("day"),
                               WORD("week"),   WORD("month"),  WORD("year"), WORD("min"),
                               WORD("sec"),    WORD("hr")};

static bool is_one_of(th_str word, const th_str *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (th__str_eq_nocase(word, list[i]))
            return true;
    return false;
}

/* The first three letters stand in the list, and the word is no longer than the longest name. */
static bool begins_one_of(th_str word, const th_str *list, size_t count)
{
    return word.len >= 3 && word.len <= 9 && is_one_of((th_str){word.ptr, 3}, list, count);
}

#define LIST(list) list, sizeof list / sizeof *list

static char word_sign(th_str word)
{
    th_str singular = word;
    if (word.len > 3 && th__lower((unsigned char)word.ptr[word.len - 1]) == 's')
        singular.len--;
    if (th__currency_of(word).ptr || is_one_of(word, LIST(dollars)))
        return 'C';
    if (begins_one_of(word, LIST(months)))
        return 'M';
    if (begins_one_of(word, LIST(days)))
        return 'D';
    if (th__str_eq_nocase(word, TH_STR("ago")) || is_one_of(singular, LIST(spans)))
        return 'A';
    if (th__str_eq_nocase(word, TH_STR("am")) || th__str_eq_nocase(word, TH_STR("pm")))
        return 'T';
    return 'w';
}

bool th__is_time_word(th_str word)
{
    return strchr("MDAT", word_sign(word));
}

/* A number with its thousands and fraction; *at goes past it. */
static char number_sign(th_str text, size_t *at, unsigned *digits)
{
    size_t start = *at, run = 0;
    bool joined = false;
    for (; *at < text.len; ++*at) {
        unsigned char c = (unsigned char)text.ptr[*at];
        bool more = *at + 1 < text.len && th__is_digit((unsigned char)text.ptr[*at + 1]);
        if (th__is_digit(c))
            run++;
        else if ((c == ',' || c == '.') && more)
            joined = true;
        else
            break;
    }
    *digits += (unsigned)run;
    if (joined)
        return 'f';
    size_t len = *at - start;
    return len == 1 || len == 2 ? '2' : len == 4 ? '4' : 'n';
}

static bool is_word_byte(unsigned char c)
{
    return th__is_alpha(c) || c >= 0x80;
}

/* Currency signs stand against numbers without a blank: they are words of their own. */
static size_t currency_len(th_str rest)
{
    static const th_str signs[] = {WORD("$"), WORD("€"), WORD("£"),
                                   WORD("¥"), WORD("₹"), WORD("₽")};
    unsigned char first = rest.len ? (unsigned char)rest.ptr[0] : 0;
    if (first != '$' && first != 0xC2 && first != 0xE2) /* what they begin with */
        return 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (th__str_starts(rest, signs[i]))
            return signs[i].len;
    return 0;
}

static bool cut_text(th_str text, struct note_cut *out)
{
    *out = (struct note_cut){0};
    for (size_t at = 0; at < text.len;) {
        unsigned char c = (unsigned char)text.ptr[at];
        if (th__is_blank(c)) {
            at++;
            continue;
        }
        if (out->count == MAX_SIGNS)
            return false;
        size_t sign = currency_len((th_str){text.ptr + at, text.len - at});
        if (sign) {
            at += sign;
            out->signs[out->count++] = 'C';
        } else if (th__is_digit(c)) {
            out->signs[out->count++] = number_sign(text, &at, &out->digits);
        } else if (is_word_byte(c)) {
            size_t start = at;
            while (at < text.len && is_word_byte((unsigned char)text.ptr[at]) &&
                   !currency_len((th_str){text.ptr + at, text.len - at}))
                at++;
            out->signs[out->count++] = word_sign((th_str){text.ptr + start, at - start});
        } else {
            out->signs[out->count++] = (char)c;
            at++;
        }
    }
    return true;
}

/* Matches a whole string of signs: # any number, ? the sign before is optional. */
static bool has_form(const char *signs, const char *form)
{
    if (!*form)
        return !*signs;
    bool optional = form[1] == '?';
    const char *rest = form + 1 + optional;
    bool fits = *signs && (*form == *signs || (*form == '#' && strchr("24nf", *signs)));
    return (fits && has_form(signs + 1, rest)) || (optional && has_form(signs, rest));
}

static const struct form {
    th_note note;
    const char *signs;
} forms[] = {
    {TH_NOTE_NUMBER, "-?#%?"},
    {TH_NOTE_NUMBER, "(#)"},
    {TH_NOTE_PRICE, "w?C?C#"},
    {TH_NOTE_PRICE, "w?C?C#C"},
    {TH_NOTE_PRICE, "#C"},
    {TH_NOTE_PRICE, "C?C#-C?C?#"},
    {TH_NOTE_DATE, "4-2-2"},
    {TH_NOTE_DATE, "2/2/4"},
    {TH_NOTE_DATE, "2/2/2"},
    {TH_NOTE_DATE, "2-2-4"},
    {TH_NOTE_DATE, "D?,?M.?2,?4"},
    {TH_NOTE_DATE, "D?,?2M.?,?4"},
    {TH_NOTE_DATE, "D?,?M.?2w?"},
    {TH_NOTE_DATE, "M.?4"},
    {TH_NOTE_DATE, "2AA"},
    {TH_NOTE_DATE, "wAA"},
    {TH_NOTE_DATE, "D?,?M.?2,?4,?2:2T?"},
    {TH_NOTE_TIME, "2:2T?"},
    {TH_NOTE_TIME, "2:2:2T?"},
    {TH_NOTE_PHONE, "+?#?(?#)?-?#-?#"},
};

static bool is_email(th_str text)
{
    const char *sign = text.len ? memchr(text.ptr, '@', text.len) : NULL;
    if (!sign || sign == text.ptr || memchr(text.ptr, ' ', text.len))
        return false;
    th_str host = {sign + 1, (size_t)(text.ptr + text.len - sign - 1)};
    return th__str_find(host, TH_STR(".")) != SIZE_MAX &&
           th__str_find(host, TH_STR("@")) == SIZE_MAX;
}

/* Returns true if a text may have one of the forms: they have a digit or, as "an hour ago", three
 * words. Nearly all texts have neither. */
static bool may_have_form(th_str text)
{
    size_t gaps = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (th__is_digit((unsigned char)text.ptr[i]))
            return true;
        gaps += th__is_blank((unsigned char)text.ptr[i]) &&
                !th__is_blank((unsigned char)text.ptr[i + 1]);
    }
    return gaps == 2;
}

/* Returns true for a number with a currency, however its thousands are written. */
static bool is_price(th_str text)
{
    static const th__value_style any = {.points = 1};
    th_str currency = {0};
    return th__number_read(&any, text, NULL, &currency) && currency.ptr;
}

th_note th__note_of(th_str text)
{
    struct note_cut cut;
    text = th__str_trim(text);
    if (th__str_starts_nocase(text, TH_STR("http://")) ||
        th__str_starts_nocase(text, TH_STR("https://")))
        return memchr(text.ptr, ' ', text.len) ? TH_NOTE_TEXT : TH_NOTE_URL;
    if (is_email(text))
        return TH_NOTE_EMAIL;
    if (!text.len || text.len > LONGEST || !may_have_form(text) || !cut_text(text, &cut))
        return TH_NOTE_TEXT;
    if (th__date_read(NULL, text, NULL))
        return TH_NOTE_DATE;
    if (is_price(text))
        return TH_NOTE_PRICE;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (has_form(cut.signs, forms[i].signs) &&
            (forms[i].note != TH_NOTE_PHONE || cut.digits >= 7))
            return forms[i].note;
    return TH_NOTE_TEXT;
}

/* ---- the notes of fields --------------------------------------------------------------------- */
