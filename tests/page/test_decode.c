/* Decoding: who is asked for the encoding, what the bytes may contradict, and the conversions. */
#include "test.h"

#include "base/utf8.h"
#include "page/decode.h"

static th__arena arena;
static th_str text;
static const char *encoding, *reason;

static void decode_as(th_str bytes, const char *http)
{
    th_error err;
    th__arena_release(&arena);
    th__arena_init(&arena);
    assert_int_equal(th__decode(&arena, bytes, th_str_from(http), &text, &encoding, &reason, &err),
                     TH_OK);
    assert_int_equal(th__utf8_valid(text.ptr, text.len), text.len);
}

static void expect(th_str bytes, const char *http, const char *want_encoding,
                   const char *want_reason, th_str want_text)
{
    decode_as(bytes, http);
    assert_string_equal(encoding, want_encoding);
    assert_string_equal(reason, want_reason);
    if (!th__str_eq(text, want_text))
        fail_msg("got \"%.*s\"", (int)text.len, text.ptr);
}

#define EXPECT(bytes, http, enc, why, want) expect(TH_STR(bytes), http, enc, why, TH_STR(want))
#define FFFD                                "\xEF\xBF\xBD"

static void marks_win(void **state)
{
    EXPECT("\xEF\xBB\xBF"
           "caf\xC3\xA9",
           "latin1", "utf-8", "bom", "caf\xC3\xA9");
    EXPECT("\xFF\xFE<\0\xE9\0", NULL, "utf-16le", "bom", "<\xC3\xA9");
    EXPECT("\xFE\xFF\0<\0\xE9", NULL, "utf-16be", "bom", "<\xC3\xA9");
    EXPECT("\xFE\xFF\xD8\x3D\xDE\0\xD8\x3D\0x\xDE\0"
           "a",
           NULL, "utf-16be", "bom", "\xF0\x9F\x98\x80" FFFD "x" FFFD FFFD);
    EXPECT("\xEF\xBB\xBF\xFF", NULL, "utf-8", "bom", FFFD);
    EXPECT("\xEF\xBB\xBF", NULL, "utf-8", "bom", "");
}

static void valid_text_is_borrowed(void **state)
{
    th_str bytes = TH_STR("<p>\xE6\x97\xA5\xE6\x9C\xAC");
    decode_as(bytes, NULL);
    assert_ptr_equal(text.ptr, bytes.ptr);
    assert_int_equal(arena.total, 0);
    assert_string_equal(reason, "valid utf-8");
    decode_as(TH_STR("plain"), "gb2312");
    assert_int_equal(arena.total, 0);
    assert_string_equal(encoding, "gbk");
    EXPECT("", NULL, "utf-8", "valid utf-8", "");
    expect((th_str){NULL, 0}, NULL, "utf-8", "valid utf-8", TH_STR(""));
}

static void declarations_are_taken_in_order(void **state)
{
    EXPECT("caf\xE9 cr\xE8me", "ISO-8859-1", "windows-1252", "http", "caf\xC3\xA9 cr\xC3\xA8me");
    EXPECT("caf\xE9", " \"Latin1\" ", "windows-1252", "http", "caf\xC3\xA9");
    EXPECT("<meta charset=koi8-r>\xC1", "windows-1251", "windows-1251", "http",
           "<meta charset=koi8-r>\xD0\x91");
    EXPECT("<meta charset=koi8-r>\xC1", "nonsense", "koi8-r", "meta",
           "<meta charset=koi8-r>\xD0\xB0");
    EXPECT("<meta charset=koi8-r>\xC1", "hz-gb-2312", "koi8-r", "meta",
           "<meta charset=koi8-r>\xD0\xB0");
    EXPECT("\x80\x81\x9F\xA0\xFF", "us-ascii", "windows-1252", "http",
           "\xE2\x82\xAC\xC2\x81\xC5\xB8\xC2\xA0\xC3\xBF");
    EXPECT("\x80\xFF", "x-user-defined", "x-user-defined", "http", "\xEF\x9E\x80\xEF\x9F\xBF");
}

static void wrong_declarations_are_seen(void **state)
{
    /* Latin-1 that calls itself utf-8. */
    decode_as(TH_STR("<meta charset=utf-8><p>\xE9t\xE9, \xE0 la plage, \xE7"
                     "a va, na\xEFve, fran\xE7"
                     "ais"),
              NULL);
    assert_string_equal(reason, "meta was wrong");
    assert_true(th__str_find(text, TH_STR("\xC3\xA9t\xC3\xA9, \xC3\xA0 la")) != SIZE_MAX);
    /* utf-8 with a little damage stays utf-8. */
    EXPECT("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xE9", "utf-8", "utf-8", "http",
           "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9" FFFD);
    EXPECT("cut off: \xE2\x82", "utf-8", "utf-8", "http", "cut off: " FFFD);
    EXPECT("one \xA9 sign", "utf-8", "windows-1252", "http was wrong", "one \xC2\xA9 sign");
    /* utf-8 that calls itself something else. */
    EXPECT("\xC3\xA9t\xC3\xA9 \xC3\xA0", "latin1", "utf-8", "http was wrong",
           "\xC3\xA9t\xC3\xA9 \xC3\xA0");
    EXPECT("CAF\xC9\xBB", "latin1", "windows-1252", "http", "CAF\xC3\x89\xC2\xBB");
    EXPECT("<p>plain", "utf-16", "utf-8", "http was wrong", "<p>plain");
    EXPECT("<\0p\0>\0a\0b\0c\0", "utf-16", "utf-16le", "http", "<p>abc");
    EXPECT("\0<\0p\0>\0a\0b\0c", NULL, "utf-16be", "guess", "<p>abc");
    /* A wrong header gives way to the right meta. */
    EXPECT("<meta charset=koi8-r>\xC1\xC2\xD7\xC7\xC4", "utf-8", "koi8-r", "meta",
           "<meta charset=koi8-r>\xD0\xB0\xD0\xB1\xD0\xB2\xD0\xB3\xD0\xB4");
}

static void undeclared_text_is_guessed(void **state)
{
    decode_as(TH_STR("<p>\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0! \xDD\xF2\xEE \xF2\xE5\xEA\xF1\xF2 "
                     "\xED\xE0 \xF0\xF3\xF1\xF1\xEA\xEE\xEC \xFF\xE7\xFB\xEA\xE5, "
                     "\xEF\xF0\xE8\xEC\xE5\xF0 \xE4\xEB\xFF \xEF\xF0\xEE\xE2\xE5\xF0\xEA\xE8.</p>"),
              NULL);
    assert_string_equal(encoding, "windows-1251");
    assert_string_equal(reason, "guess");
    EXPECT("\xA9 2004", NULL, "windows-1252", "default", "\xC2\xA9 2004");
}

static void multi_byte_encodings_go_through_iconv(void **state)
{
    EXPECT("\x93\xFA\x96{\x81\x60\x87\x40", "Shift_JIS", "shift_jis", "http",
           "\xE6\x97\xA5\xE6\x9C\xAC\xEF\xBD\x9E\xE2\x91\xA0");
    EXPECT("\xC6\xFC\xCB\xDC", "euc-jp", "euc-jp", "http", "\xE6\x97\xA5\xE6\x9C\xAC");
    EXPECT("\x1B$BF|K\\\x1B(B.", "iso-2022-jp", "iso-2022-jp", "http", "\xE6\x97\xA5\xE6\x9C\xAC.");
    EXPECT("\xC8\xD5\xB1\xBE\x80", "gb2312", "gbk", "http", "\xE6\x97\xA5\xE6\x9C\xAC\xE2\x82\xAC");
    EXPECT("\xA4\xE9\xA5\xBB", "big5", "big5", "http", "\xE6\x97\xA5\xE6\x9C\xAC");
    EXPECT("\xC7\xD1\x8C\x63", "euc-kr", "euc-kr", "http", "\xED\x95\x9C\xEB\x98\xA0");
    /* A fault becomes U+FFFD and the text goes on; an ASCII trail byte is kept. */
#define GB_8   "\xC8\xD5\xC8\xD5\xC8\xD5\xC8\xD5\xC8\xD5\xC8\xD5\xC8\xD5\xC8\xD5"
#define UTF8_8 UTF8_4 UTF8_4
#define UTF8_4 "\xE6\x97\xA5\xE6\x97\xA5\xE6\x97\xA5\xE6\x97\xA5"
    EXPECT(GB_8 "\xFF<b>\xC8", "gbk", "gbk", "http", UTF8_8 FFFD "<b>" FFFD);
    /* Too many faults: it is not what it says. */
    decode_as(TH_STR("caf\xE9 cr\xE8me \xE0 la cr\xE8me, d\xE9j\xE0 vu"), "gbk");
    assert_string_equal(reason, "http was wrong");
    assert_true(th__str_starts(text, TH_STR("caf\xC3\xA9 cr\xC3\xA8me")));
}

static void labels(void **state)
{
    static const char *const pairs[][2] = {
        {"LATIN1", "windows-1252"}, {"\t ascii\n", "windows-1252"}, {"gb_2312-80", "gbk"},
        {"tis-620", "windows-874"}, {"ms_kanji", "shift_jis"},      {"utf-16", "utf-16le"},
        {"l5", "windows-1254"},     {"logical", "iso-8859-8-i"},    {"ks_c_5601-1987", "euc-kr"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(th__encoding_find(th_str_from(pairs[i][0]))->name, pairs[i][1]);
    assert_null(th__encoding_find(TH_STR("utf-7")));
    assert_null(th__encoding_find(TH_STR("")));
    assert_null(th__encoding_find(TH_STR("latin1 latin2")));
}

/* Each single-byte encoding is known to this iconv and gives a character or U+FFFD for each byte.
 */
static void every_encoding_converts(void **state)
{
    static const char *const names[] = {
        "ibm866",       "iso-8859-2",   "iso-8859-3",     "iso-8859-4",   "iso-8859-5",
        "iso-8859-6",   "iso-8859-7",   "iso-8859-8",     "iso-8859-8-i", "iso-8859-10",
        "iso-8859-13",  "iso-8859-14",  "iso-8859-15",    "iso-8859-16",  "koi8-r",
        "koi8-u",       "macintosh",    "windows-874",    "windows-1250", "windows-1251",
        "windows-1252", "windows-1253", "windows-1254",   "windows-1255", "windows-1256",
        "windows-1257", "windows-1258", "x-mac-cyrillic", "gbk",          "gb18030",
        "big5",         "euc-jp",       "iso-2022-jp",    "shift_jis",    "euc-kr"};
    char all[256 * 256 * 2];
    for (unsigned i = 0; i < 256 * 256; i++) {
        all[2 * i] = (char)(i >> 8);
        all[2 * i + 1] = (char)i;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t bad;
        bool known;
        th_error err;
        th__arena_release(&arena);
        th__arena_init(&arena);
        const th__encoding *found = th__encoding_find(th_str_from(names[i]));
        assert_int_equal(th__encoding_convert(found, (th_str){all, sizeof all}, &arena, &text, &bad,
                                              &known, &err),
                         TH_OK);
        assert_true(known);
        assert_int_equal(th__utf8_valid(text.ptr, text.len), text.len);
        th__arena_release(&arena);
    }
}

static void expect_prescan(const char *start, const char *want)
{
    const th__encoding *found = th__prescan(th_str_from(start));
    if (!found || !want ? (found != NULL) != (want != NULL) : strcmp(found->name, want) != 0)
        fail_msg("%s gave %s", start, found ? found->name : "nothing");
}

static void prescan(void **state)
{
    expect_prescan("<meta charset=koi8-r>", "koi8-r");
    expect_prescan("<META\tCHARSET = 'koi8-r' >", "koi8-r");
    expect_prescan("<meta/charset=\"koi8-r\"/>", "koi8-r");
    expect_prescan("<metacharset=koi8-r>", NULL);
    expect_prescan("<meta charset=koi8-r", NULL); /* cut off */
    expect_prescan("<!-- <meta charset=koi8-r> --><meta charset=big5>", "big5");
    expect_prescan("<!--><meta charset=big5>", "big5");
    expect_prescan("<!-- <meta charset=koi8-r>", NULL);
    expect_prescan("<p title='<meta charset=koi8-r>'><meta charset=big5>", "big5");
    expect_prescan("<? <meta charset=koi8-r><meta charset=big5>", "big5");
    expect_prescan("</ <meta charset=koi8-r><meta charset=big5>", "big5");
    expect_prescan("</p <meta charset=koi8-r><meta charset=big5>", "big5");
    expect_prescan("< <meta charset=koi8-r>", "koi8-r");
    expect_prescan("<meta charset=utf-16be>", "utf-8");
    expect_prescan("<meta charset=x-user-defined>", "windows-1252");
    expect_prescan("<meta charset=bogus charset=big5><meta charset=koi8-r>", "koi8-r");
    expect_prescan("<meta http-equiv=Content-Type content='text/html; charset=big5'>", "big5");
    expect_prescan("<meta content='text/html; charset=big5' http-equiv=content-type>", "big5");
    expect_prescan("<meta content='text/html; charset=big5'>", NULL);
    expect_prescan("<meta http-equiv=refresh content='text/html; charset=big5'>", NULL);
    expect_prescan("<meta http-equiv=content-type content='charset charset = \"big5\"x'>", "big5");
    expect_prescan("<meta http-equiv=content-type content='charset=\"big5'>", NULL);
    expect_prescan("<meta http-equiv=content-type content='charset=big5;x'>", "big5");
    expect_prescan("<meta http-equiv=content-type content=charset=>", NULL);
    expect_prescan("<meta charset=koi8-r content='charset=big5' http-equiv=content-type>",
                   "koi8-r");
    expect_prescan("<?xml version='1.0' encoding='koi8-r'?><p>", "koi8-r");
    expect_prescan("<?xml version='1.0' encoding = \"utf-16\"?>", "utf-8");
    expect_prescan("<?xml encoding=' koi8-r'?>", NULL);
    expect_prescan("<?xml encoding='koi8-r'?><meta charset=big5>", "big5");
    expect_prescan("", NULL);
    assert_string_equal(th__prescan(TH_STR("<\0?\0x\0m\0l\0"))->name, "utf-16le");
    assert_string_equal(th__prescan(TH_STR("\0<\0?\0x\0m\0l"))->name, "utf-16be");
}

static void only_the_first_1024_bytes_count_unless_nothing_else_helps(void **state)
{
    char page[4000];
    memset(page, ' ', sizeof page);
    memcpy(page + 2000, "<meta charset=koi8-r>\xC1\xC2\xD7", 24);
    decode_as((th_str){page, sizeof page}, NULL);
    assert_string_equal(encoding, "koi8-r");
    memcpy(page + 2021, "\xD0\xB0 ", 3);
    decode_as((th_str){page, sizeof page}, NULL);
    assert_string_equal(reason, "valid utf-8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_win),
        cmocka_unit_test(valid_text_is_borrowed),
        cmocka_unit_test(declarations_are_taken_in_order),
        cmocka_unit_test(wrong_declarations_are_seen),
        cmocka_unit_test(undeclared_text_is_guessed),
        cmocka_unit_test(multi_byte_encodings_go_through_iconv),
        cmocka_unit_test(labels),
        cmocka_unit_test(every_encoding_converts),
        cmocka_unit_test(prescan),
        cmocka_unit_test(only_the_first_1024_bytes_count_unless_nothing_else_helps),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    th__arena_release(&arena);
    return failed;
}
