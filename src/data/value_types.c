/* value_types.c: texts read as numbers, prices and dates, and what kind of value a text looks like.
 */
#include "data/value_types.h"

#include <utf8proc.h>

#include "base/utf8.h"
#include "data/record.h"
#include "page/signs.h"
#include "page/text.h"

/* ---- currencies ------------------------------------------------------------------------------ */

#define WORD(literal)                                                                              \
    {                                                                                              \
        literal, sizeof literal - 1                                                                \
    }

/* A sign that several currencies share is its own code. */
static const struct currency {
    th_str written, code;
} currencies[] = {
    {WORD("$"), WORD("$")},     {WORD("€"), WORD("EUR")},    {WORD("£"), WORD("GBP")},
    {WORD("¥"), WORD("¥")},     {WORD("₹"), WORD("INR")},    {WORD("₽"), WORD("RUB")},
    {WORD("₺"), WORD("TRY")},   {WORD("₩"), WORD("KRW")},    {WORD("₫"), WORD("VND")},
    {WORD("₴"), WORD("UAH")},   {WORD("₪"), WORD("ILS")},    {WORD("zł"), WORD("PLN")},
    {WORD("kč"), WORD("CZK")},  {WORD("kr"), WORD("kr")},    {WORD("us$"), WORD("USD")},
    {WORD("ca$"), WORD("CAD")}, {WORD("c$"), WORD("CAD")},   {WORD("au$"), WORD("AUD")},
    {WORD("a$"), WORD("AUD")},  {WORD("nz$"), WORD("NZD")},  {WORD("hk$"), WORD("HKD")},
    {WORD("s$"), WORD("SGD")},  {WORD("r$"), WORD("BRL")},   {WORD("usd"), WORD("USD")},
    {WORD("eur"), WORD("EUR")}, {WORD("euro"), WORD("EUR")}, {WORD("euros"), WORD("EUR")},
    {WORD("gbp"), WORD("GBP")}, {WORD("cad"), WORD("CAD")},  {WORD("aud"), WORD("AUD")},
    {WORD("nzd"), WORD("NZD")}, {WORD("jpy"), WORD("JPY")},  {WORD("cny"), WORD("CNY")},
    {WORD("chf"), WORD("CHF")}, {WORD("sek"), WORD("SEK")},  {WORD("nok"), WORD("NOK")},
    {WORD("dkk"), WORD("DKK")}, {WORD("pln"), WORD("PLN")},  {WORD("czk"), WORD("CZK")},
    {WORD("huf"), WORD("HUF")}, {WORD("ron"), WORD("RON")},  {WORD("rub"), WORD("RUB")},
    {WORD("inr"), WORD("INR")}, {WORD("brl"), WORD("BRL")},  {WORD("mxn"), WORD("MXN")},
    {WORD("zar"), WORD("ZAR")}, {WORD("hkd"), WORD("HKD")},  {WORD("sgd"), WORD("SGD")},
    {WORD("krw"), WORD("KRW")}, {WORD("руб"), WORD("RUB")},  {WORD("円"), WORD("JPY")},
    {WORD("元"), WORD("CNY")},
};

/* The code or sign of a currency that a word or sign is ("€", "usd", "zł"); absent for others. */
static th_str currency_of(th_str word)
{
    for (size_t i = 0; i < sizeof currencies / sizeof *currencies; i++)
        if (th__str_eq_nocase(word, currencies[i].written))
            return currencies[i].code;
    return (th_str){0};
}

/* ---- tokens ---------------------------------------------------------------------------------- */

enum { TOKENS_MOST = 24, LONGEST = 80, DIGITS_MOST = 9 };

typedef enum token_kind { TOKEN_NUMBER, TOKEN_WORD, TOKEN_SIGN } token_kind;

typedef struct token {
    token_kind kind;
    th_str text;
    uint32_t value; /* of a number, or the code of a sign */
    bool spaced;    /* there is a blank before it */
} token;

typedef struct tokens {
    token list[TOKENS_MOST];
    size_t count;
} tokens;

static bool is_letter(uint32_t code)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_MC;
}

/* The signs of years, months and days in China and Japan are words of their own. */
static bool is_unit(uint32_t code)
{
    return code == 0x5E74 || code == 0x6708 || code == 0x65E5;
}

/* Reads a number of a few digits, or a word; a sign is a token of its own. */
static bool cut_tokens(th_str text, tokens *out)
{
    bool spaced = false;
    out->count = 0;
    if (text.len > LONGEST)
        return false;
    for (size_t at = 0; at < text.len;) {
        uint32_t code, start = (uint32_t)at;
        at += th__char_next(text, at, &code);
        if (th__is_blank_char(code)) {
            spaced = true;
            continue;
        }
        if (out->count == TOKENS_MOST)
            return false;
        token *t = &out->list[out->count++];
        *t = (token){.spaced = spaced, .kind = TOKEN_SIGN, .value = code};
        spaced = false;
        if (code < 0x80 && th__is_digit((unsigned char)code)) {
            t->kind = TOKEN_NUMBER;
            t->value = code - '0';
            for (; at < text.len && th__is_digit((unsigned char)text.ptr[at]); at++)
                t->value = at - start < DIGITS_MOST ? t->value * 10 + (uint32_t)(text.ptr[at] - '0')
                                                    : UINT32_MAX;
        } else if (is_letter(code)) {
            t->kind = TOKEN_WORD;
            for (size_t next = at; !is_unit(code) && next < text.len; at = next) {
                uint32_t more;
                next += th__char_next(text, next, &more);
                if (!is_letter(more) || is_unit(more))
                    break;
            }
        }
        t->text = (th_str){text.ptr + start, at - start};
    }
    return true;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* A number as it is written: digits with signs between them. */
typedef struct written_number {
    char digits[16]; /* without signs; as many as a double keeps, more are a number on a card */
    size_t len;
    size_t groups;      /* signs between digits */
    char sign, last;    /* the first of them, and the last one */
    size_t first, tail; /* digits before the first sign, behind the last */
    bool even;          /* groups between signs are of three digits (or two, as in India) */
    bool mixed;         /* there are two signs, and the last one is not the first */
    bool negative;
    th_str currency;
} written_number;

/* Returns true if a sign may be inside of a number; *sign is what it counts as. */
static bool is_inside(const token *t, const token *next, char *sign)
{
    if (t->kind != TOKEN_SIGN || next->kind != TOKEN_NUMBER || t->spaced || next->spaced)
        return false;
    *sign = t->value == '.' || t->value == ','       ? (char)t->value
            : t->value == '\'' || t->value == 0x2019 ? '\''
                                                     : 0;
    return *sign;
}

static bool add_digits(written_number *n, th_str digits)
{
    if (n->len + digits.len >= sizeof n->digits)
        return false;
    memcpy(n->digits + n->len, digits.ptr, digits.len);
    n->len += digits.len;
    n->tail = digits.len;
    return true;
}

/* Reads digits and the signs between them from token *at on. */
static bool take_digits(const tokens *t, size_t *at, written_number *n)
{
    const token *list = t->list;
    if (!add_digits(n, list[*at].text))
        return false;
    n->first = n->tail;
    n->even = true;
    for (++*at; *at < t->count;) {
        char sign = 0;
        const token *next = &list[*at];
        size_t used = 2;
        if (next->kind == TOKEN_NUMBER && next->spaced && next->text.len == 3)
            sign = ' ', used = 1;
        else if (*at + 1 >= t->count || !is_inside(next, next + 1, &sign))
            break;
        if (n->groups && n->last != n->sign)
            return false; /* 1.234,56.78 */
        n->even &= !n->groups || n->tail == 3 || (n->tail == 2 && n->sign == ',');
        n->mixed = n->groups && sign != n->sign;
        n->sign = n->groups ? n->sign : sign;
        n->last = sign;
        n->groups++;
        if (!add_digits(n, list[*at + used - 1].text))
            return false;
        *at += used;
    }
    return true;
}

/* Words before a number say nothing of it ("from $12"); there may be one, but for currencies. */
static bool take_word(const tokens *t, size_t *at, written_number *n, unsigned *others)
{
    const token *word = &t->list[*at];
    th_str text = word->text;
    bool dollar = word->kind == TOKEN_WORD && *at + 1 < t->count && t->list[*at + 1].value == '$' &&
                  t->list[*at + 1].kind == TOKEN_SIGN && text.len <= 2;
    if (dollar) {
        char joined[4];
        memcpy(joined, text.ptr, text.len);
        joined[text.len] = '$';
        n->currency = currency_of((th_str){joined, text.len + 1});
        *at += n->currency.ptr ? 2 : 0;
        if (n->currency.ptr)
            return true;
    }
    th_str currency = currency_of(text);
    if (currency.ptr) {
        /* A code says more than a sign: "$ 5 USD". */
        if (!n->currency.ptr || currency.len >= n->currency.len)
            n->currency = currency;
    } else if (word->kind == TOKEN_WORD) {
        ++*others;
    } else {
        return false;
    }
    ++*at;
    return *others <= 1;
}

static bool is_dash(const token *t)
{
    return t->kind == TOKEN_SIGN &&
           (t->value == '-' || t->value == 0x2212 || (t->value >= 0x2010 && t->value <= 0x2015));
}

/* Returns true for a sign behind a number that has no cents ("60,-", "60,– €"), or at the very end
 * ("60 руб."). */
static bool is_no_cents(const tokens *t, size_t at)
{
    const token *one = &t->list[at];
    bool stop = one->kind == TOKEN_SIGN && (one->value == '.' || one->value == ',');
    return stop && (at + 1 == t->count || is_dash(one + 1));
}

static bool read_written(th_str text, written_number *n)
{
    tokens t;
    unsigned others = 0, numbers = 0;
    *n = (written_number){0};
    if (!cut_tokens(text, &t))
        return false;
    for (size_t at = 0; at < t.count;) {
        const token *one = &t.list[at];
        if (one->kind == TOKEN_NUMBER) {
            if (numbers++ || !take_digits(&t, &at, n))
                return false;
        } else if (is_dash(one) && !numbers) {
            n->negative = true;
            at++;
        } else if (one->kind == TOKEN_SIGN && memchr("()%+*:", (int)one->value, 6) &&
                   one->value < 0x80) {
            at++;
        } else if (numbers && is_no_cents(&t, at)) {
            at += at + 1 < t.count && is_dash(&t.list[at + 1]) ? 2 : 1;
        } else if ((one->kind == TOKEN_WORD && numbers && !currency_of(one->text).ptr) ||
                   !take_word(&t, &at, n, &others)) {
            return false;
        }
    }
    return numbers == 1;
}

/* What the last sign of a number is: before decimals, or between thousands. */
typedef enum sign_use { SIGN_DECIMAL, SIGN_THOUSANDS, SIGN_UNSURE, SIGN_WRONG } sign_use;

static sign_use use_of(const written_number *n)
{
    if (!n->groups)
        return SIGN_THOUSANDS;
    if (n->last == ' ' || n->last == '\'')
        return n->mixed || !n->even || n->tail != 3 ? SIGN_WRONG : SIGN_THOUSANDS;
    if (n->mixed)
        return n->even ? SIGN_DECIMAL : SIGN_WRONG;
    if (n->groups > 1)
        return n->even && n->tail == 3 ? SIGN_THOUSANDS : SIGN_WRONG;
    return n->tail != 3 || n->first > 3 || n->digits[0] == '0' ? SIGN_DECIMAL : SIGN_UNSURE;
}

static void learn_number(th__value_style *style, th_str text)
{
    written_number n;
    if (!read_written(text, &n))
        return;
    sign_use use = use_of(&n);
    if (!n.groups)
        style->whole += n.len <= 3;
    else if ((use == SIGN_DECIMAL && n.last == '.') || (use == SIGN_THOUSANDS && n.last == ','))
        style->points++;
    else if ((use == SIGN_DECIMAL && n.last == ',') || (use == SIGN_THOUSANDS && n.last == '.'))
        style->commas++;
    /* Dollars and pounds have points before their decimals. */
    else if (use == SIGN_UNSURE && n.currency.len &&
             (n.currency.ptr[0] == '$' || th__str_eq(n.currency, TH_STR("USD")) ||
              th__str_eq(n.currency, TH_STR("GBP"))))
        style->points++;
}

/* Decides about 1.234 by the rest of its column. */
static sign_use settle_use(const th__value_style *style, const written_number *n)
{
    if (style->points && style->commas)
        return SIGN_WRONG;
    if (style->points || style->commas)
        return (n->last == '.') == (style->points > 0) ? SIGN_DECIMAL : SIGN_THOUSANDS;
    return style->whole ? SIGN_THOUSANDS : SIGN_WRONG;
}

bool th__number_read(const th__value_style *style, th_str text, th__buf *out, th_str *currency)
{
    written_number n;
    if (!read_written(text, &n))
        return false;
    sign_use use = use_of(&n);
    if (use == SIGN_UNSURE)
        use = settle_use(style, &n);
    if (use == SIGN_WRONG)
        return false;
    *currency = n.currency;
    if (!out)
        return true;
    size_t whole = use == SIGN_DECIMAL ? n.len - n.tail : n.len, at = 0;
    while (at + 1 < whole && n.digits[at] == '0')
        at++;
    if (n.negative)
        th__buf_add_byte(out, '-');
    th__buf_add(out, n.digits + at, whole - at);
    if (use == SIGN_DECIMAL) {
        th__buf_add_byte(out, '.');
        th__buf_add(out, n.digits + whole, n.tail);
    }
    return true;
}

/* ---- dates ----------------------------------------------------------------------------------- */

/* The names of the months, and short forms, with blanks around each and a line for each month:
 * English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Norwegian,
 * Finnish, Polish, Czech, Russian, Ukrainian, Turkish, Hungarian, Romanian. */
static const char month_names[] =
    " jan january januar jänner jän janvier janv enero ene gennaio gen janeiro januari tammikuuta "
    "stycznia sty styczeń ledna leden января январь янв січня ocak oca január ianuarie ian \n"
    " feb february februar februari février févr fév febrero febbraio fevereiro fev helmikuuta "
    "lutego lut luty února únor февраля февраль фев лютого şubat şub február februarie \n"
    " mar march märz mär mrz mars marzo março maart mrt marts maaliskuuta marca marzec března "
    "březen "
    "марта март мар березня mart március martie \n"
    " apr april avril avr abril abr aprile huhtikuuta kwietnia kwi kwiecień dubna duben апреля "
    "апрель апр квітня nisan nis április aprilie \n"
    " may mai mayo maggio mag maio mei maj toukokuuta maja květen května мая май травня mayıs "
    "május \n"
    " jun june juni juin junio giugno giu junho kesäkuuta czerwca cze czerwiec června červen июня "
    "июнь июн червня haziran haz június iunie iun \n"
    " jul july juli juillet juil julio luglio lug julho heinäkuuta lipca lip lipiec července "
    "červenec июля июль июл липня temmuz tem július iulie iul \n"
    " aug august août aoû agosto ago augustus augusti elokuuta sierpnia sie sierpień srpna srpen "
    "августа август авг серпня ağustos ağu augusztus \n"
    " sep sept september septembre septiembre settembre set setembro syyskuuta września wrz "
    "wrzesień "
    "září сентября сентябрь сен сент вересня eylül eyl szeptember septembrie \n"
    " oct october oktober okt octobre octubre ottobre ott outubro out lokakuuta października paź "
    "październik října říjen октября октябрь окт жовтня ekim eki október octombrie \n"
    " nov november novembre noviembre novembro marraskuuta listopada lis listopad listopadu ноября "
    "ноябрь ноя листопада kasım kas noiembrie noi \n"
    " dec december dezember dez décembre déc diciembre dic dicembre dezembro joulukuuta grudnia "
    "gru "
    "grudzień prosince prosinec декабря декабрь дек грудня aralık ara decembrie des desember ";

/* Days of the week, and words that join the parts of a date. */
static const char *const silent_words =
    " mon monday tue tues tuesday wed weds wednesday thu thur thurs thursday fri friday sat "
    "saturday "
    "sun sunday mo montag di dienstag mi mittwoch do donnerstag fr freitag sa samstag so sonntag "
    "lundi lun mardi mercredi mer jeudi jeu vendredi ven samedi sam dimanche dim lunes martes "
    "miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato "
    "domenica maandag dinsdag woensdag donderdag vrijdag zaterdag zondag måndag tisdag onsdag "
    "torsdag fredag lördag söndag mandag tirsdag lørdag søndag poniedziałek wtorek środa czwartek "
    "piątek sobota niedziela понедельник вторник среда четверг пятница суббота воскресенье пн вт "
    "ср "
    "чт пт сб вс "
    "of de del di the on at le la den der dem am um uhr à alle kl o st nd rd th er г года р в от ";

/* A word in small letters, with a blank on either side, as lists of words have it. Its length is 0
 * if it is too long to be in any. */
typedef struct listed_word {
    char text[LONGEST * 4 + 2];
    size_t len;
} listed_word;

static void fold_word(th_str word, listed_word *out)
{
    out->text[0] = ' ';
    out->len = 1;
    for (size_t at = 0; at < word.len;) {
        uint32_t code;
        at += th__char_next(word, at, &code);
        if (out->len + 6 > sizeof out->text) {
            out->len = 0;
            return;
        }
        code = code < 0x80 ? th__lower((unsigned char)code)
                           : (uint32_t)utf8proc_tolower((utf8proc_int32_t)code);
        out->len += th__utf8_encode(code, out->text + out->len);
    }
    out->text[out->len++] = ' ';
}

/* Where a list of words has a word, whatever its case; SIZE_MAX where it has not. */
static size_t find_word(th_str list, th_str word)
{
    listed_word folded;
    fold_word(word, &folded);
    return folded.len ? th__str_find(list, (th_str){folded.text, folded.len}) : SIZE_MAX;
}

static bool has_word(const char *list, th_str word)
{
    return find_word(th_str_from(list), word) != SIZE_MAX;
}

static unsigned month_of(th_str word)
{
    size_t found = find_word((th_str){month_names, sizeof month_names - 1}, word);
    if (found == SIZE_MAX)
        return 0;
    unsigned month = 1;
    for (size_t at = 0; at < found; at++)
        month += month_names[at] == '\n';
    return month;
}

typedef struct date_parts {
    uint32_t year, month, day, hour, minute, second;
    bool has_time, has_second, utc;
    bool unsure; /* day and month may be the other way round */
} date_parts;

static bool is_sign(const tokens *t, size_t at, uint32_t code)
{
    return at < t->count && t->list[at].kind == TOKEN_SIGN && t->list[at].value == code;
}

static bool is_number(const tokens *t, size_t at, size_t shortest, size_t longest)
{
    return at < t->count && t->list[at].kind == TOKEN_NUMBER && t->list[at].text.len >= shortest &&
           t->list[at].text.len <= longest;
}

static bool is_word(const tokens *t, size_t at, const char *list)
{
    return at < t->count && t->list[at].kind == TOKEN_WORD && has_word(list, t->list[at].text);
}

/* A time at *at: 17:30, 5:30:12 pm, 5 pm. */
static bool take_time(const tokens *t, size_t *at, date_parts *d)
{
    size_t i = *at;
    if (d->has_time || !is_number(t, i, 1, 2))
        return false;
    d->hour = t->list[i++].value;
    bool minutes = is_sign(t, i, ':') && is_number(t, i + 1, 2, 2);
    if (minutes) {
        d->minute = t->list[i + 1].value;
        i += 2;
    }
    if (minutes && is_sign(t, i, ':') && is_number(t, i + 1, 2, 2)) {
        d->second = t->list[i + 1].value;
        d->has_second = true;
        i += 2;
        if (is_sign(t, i, '.') && is_number(t, i + 1, 1, 9))
            i += 2; /* parts of a second */
    }
    bool pm = is_word(t, i, " pm "), half = pm || is_word(t, i, " am ");
    if (half && (d->hour < 1 || d->hour > 12))
        return false;
    if (half)
        d->hour = d->hour % 12 + (pm ? 12 : 0);
    d->has_time = minutes || half;
    if (d->has_time)
        *at = i + half;
    else
        d->hour = 0;
    return d->has_time;
}

/* Years of two digits are those around the turn of the century. */
static uint32_t full_year(const token *t)
{
    return t->text.len > 2 ? t->value : t->value + (t->value < 70 ? 2000 : 1900);
}

/* Three numbers with one sign between them: 2016-03-17, 17.3.2016, 3/17/16. */
static bool take_numeric(const th__value_style *style, const tokens *t, size_t *at, date_parts *d)
{
    static const uint32_t signs[] = {'-', '/', '.'};
    size_t i = *at;
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++) {
        if (!is_number(t, i, 1, 4) || !is_sign(t, i + 1, signs[s]) || !is_number(t, i + 2, 1, 2) ||
            !is_sign(t, i + 3, signs[s]) || !is_number(t, i + 4, 1, 4))
            continue;
        const token *a = &t->list[i], *b = &t->list[i + 2], *c = &t->list[i + 4];
        if (a->text.len == 4 && c->text.len <= 2) {
            *d = (date_parts){.year = a->value, .month = b->value, .day = c->value};
        } else if (a->text.len <= 2 && (c->text.len == 4 || c->text.len == 2)) {
            *d = (date_parts){.year = full_year(c), .day = a->value, .month = b->value};
            bool months = style && style->month_first > 0 && !style->day_first;
            bool days = signs[s] == '.' || (style && style->day_first > 0 && !style->month_first);
            bool turned = b->value > 12 || (months && signs[s] != '.');
            d->unsure =
                a->value <= 12 && b->value <= 12 && a->value != b->value && !days && !months;
            if (turned)
                *d = (date_parts){.year = d->year, .day = b->value, .month = a->value};
        } else {
            return false;
        }
        *at = i + 5;
        return true;
    }
    return false;
}

/* 2016年3月17日 */
static bool take_units(const tokens *t, size_t *at, date_parts *d)
{
    static const char *const units[] = {" 年 ", " 月 ", " 日 "};
    uint32_t *parts[] = {&d->year, &d->month, &d->day};
    size_t i = *at;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++, i += 2) {
        if (!is_number(t, i, u ? 1 : 4, u ? 2 : 4) || !is_word(t, i + 1, units[u]))
            return false;
        *parts[u] = t->list[i].value;
    }
    *at = i;
    return true;
}

/* What is not a date in itself: words and signs that join its parts. */
static bool skip_token(const tokens *t, size_t *at, bool begun)
{
    const token *one = &t->list[*at];
    bool label = !begun && one->kind == TOKEN_WORD && is_sign(t, *at + 1, ':');
    bool sign =
        one->kind == TOKEN_SIGN && one->value < 0x80 && memchr(",.()-/", (int)one->value, 6);
    bool word = one->kind == TOKEN_WORD && has_word(silent_words, one->text);
    *at += label ? 2 : 1;
    return label || sign || word;
}

static bool take_part(const th__value_style *style, const tokens *t, size_t *at, date_parts *d)
{
    const token *one = &t->list[*at];
    bool begun = d->year || d->month;
    date_parts whole = {0};
    if (one->kind == TOKEN_NUMBER && !begun &&
        (take_numeric(style, t, at, &whole) || take_units(t, at, &whole))) {
        whole.has_time = d->has_time, whole.hour = d->hour, whole.minute = d->minute;
        *d = whole;
        return true;
    }
    if (take_time(t, at, d))
        return true;
    unsigned month = one->kind == TOKEN_WORD && !d->month ? month_of(one->text) : 0;
    if (month) {
        d->month = month;
        ++*at;
        return true;
    }
    if (is_number(t, *at, 4, 4) && !d->year && one->value >= 1000) {
        d->year = one->value;
        ++*at;
        return true;
    }
    if (is_number(t, *at, 1, 2) && !d->day && one->value) {
        d->day = one->value;
        ++*at;
        return true;
    }
    if (d->has_time && is_word(t, *at, " z utc gmt ")) {
        d->utc = true;
        ++*at;
        return true;
    }
    if (d->year && is_word(t, *at, " t ")) { /* 2016-03-17T17:30 */
        ++*at;
        return true;
    }
    return skip_token(t, at, begun);
}

static bool is_possible(const date_parts *d)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (!d->year || d->year > 9999 || d->month < 1 || d->month > 12 || d->hour > 23 ||
        d->minute > 59 || d->second > 60 || (d->has_time && !d->day))
        return false;
    bool leap = d->year % 4 == 0 && (d->year % 100 || d->year % 400 == 0);
    return d->day <= days[d->month - 1] + (d->month == 2 && leap ? 1U : 0U);
}

static bool read_parts(const th__value_style *style, th_str text, date_parts *d)
{
    tokens t;
    *d = (date_parts){0};
    if (!cut_tokens(text, &t))
        return false;
    for (size_t at = 0; at < t.count;)
        if (!take_part(style, &t, &at, d))
            return false;
    return is_possible(d);
}

/* Returns true if a text may be a date: most have too few digits, and need no closer look. */
static bool may_be_date(th_str text)
{
    size_t digits = 0;
    for (size_t i = 0; i < text.len && i <= LONGEST; i++)
        digits += th__is_digit((unsigned char)text.ptr[i]);
    return text.len <= LONGEST && digits >= 3 && digits <= 24;
}

th__date_reading th__date_read(const th__value_style *style, th_str text, th__buf *out)
{
    date_parts d;
    if (!may_be_date(text) || !read_parts(style, text, &d))
        return TH__DATE_NONE;
    if (d.unsure)
        return TH__DATE_AMBIGUOUS;
    if (!out)
        return TH__DATE_READ;
    th__buf_printf(out, "%04u-%02u", d.year, d.month);
    if (d.day)
        th__buf_printf(out, "-%02u", d.day);
    if (d.has_time)
        th__buf_printf(out, "T%02u:%02u", d.hour, d.minute);
    if (d.has_second)
        th__buf_printf(out, ":%02u", d.second);
    if (d.utc)
        th__buf_add_byte(out, 'Z');
    return TH__DATE_READ;
}

/* Notes which of the first two numbers of 3/17/2016 can only be a day. */
static void learn_date(th__value_style *style, th_str text)
{
    tokens t;
    if (!may_be_date(text) || !cut_tokens(text, &t))
        return;
    for (size_t i = 0; i + 4 < t.count; i++) {
        bool sign = is_sign(&t, i + 1, '/') || is_sign(&t, i + 1, '-');
        if (!sign || !is_number(&t, i, 1, 2) || !is_number(&t, i + 2, 1, 2) ||
            !is_sign(&t, i + 3, t.list[i + 1].value) || t.list[i + 4].kind != TOKEN_NUMBER)
            continue;
        style->day_first += t.list[i].value > 12 && t.list[i + 2].value <= 12;
        style->month_first += t.list[i].value <= 12 && t.list[i + 2].value > 12;
        return;
    }
}

void th__value_style_learn(th__value_style *style, th_str text)
{
    learn_number(style, text);
    learn_date(style, text);
}

/* ---- what a text looks like --------------------------------------------------------------------
 *
 * A text is cut into a short string of signs, one for each word, number or punctuation mark, and
 * that string is compared with a list of forms. A form is of the whole text: "from $12" is a price,
 * "won $12 on a bet" is a text.
 */

enum { MAX_SIGNS = 16, LONGEST_NOTED = 64 };

/* Signs: 1 2 4 digits by number of digits (n others, f with a fraction), C currency, M month, D day
 * of the week, A ago and its units, w other word, T am or pm; punctuation is itself. */
struct note_cut {
    char signs[MAX_SIGNS + 1];
    unsigned count, digits;
};

/* What comes before a sign of dollars. */
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

/* The first three letters are in the list, and the word is no longer than the longest name. */
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
    if (currency_of(word).ptr || is_one_of(word, LIST(dollars)))
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

/* Currency signs are next to numbers without a blank: they are words of their own. */
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
    if (!text.len || text.len > LONGEST_NOTED || !may_have_form(text) || !cut_text(text, &cut))
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

th_note th__link_note_of(th_str text)
{
    th_note note = th__note_of(text);
    bool near = th__str_starts(text, TH_STR("/")) || th__str_starts(text, TH_STR("./")) ||
                th__str_starts(text, TH_STR("../")) || th__str_starts(text, TH_STR("?"));
    if (note == TH_NOTE_TEXT && near && text.len > 1 && !memchr(text.ptr, ' ', text.len))
        return TH_NOTE_URL;
    return note;
}
