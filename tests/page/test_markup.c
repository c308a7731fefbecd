/* What stands in comments, CDATA sections and doctypes, and which doctypes mean quirks mode. */
#include "test.h"

#include "base/str.h"
#include "page/parse.h"
#include "page/page.h"

static void assert_text(th_str got, const char *want)
{
    if (!th__str_eq(got, th_str_from(want)))
        fail_msg("\"%.*s\" is not \"%s\"", (int)got.len, got.ptr, want);
}

static void comments(void **unused)
{
    static const struct {
        const char *token, *text;
    } cases[] = {
        {"<!--a-->", "a"},
        {"<!---->", ""},
        {"<!-->", ""},
        {"<!--->", ""},
        {"<!--a--!>", "a"},
        {"<!--a", "a"},
        {"<!--a-", "a"},
        {"<!--a--", "a"},
        {"<!--a--!", "a"},
        {"<!--", ""},
        {"<!---", ""},
        {"<!----", ""},
        {"<!-- a - b -->", " a - b "},
        {"<!--a--->", "a-"},
        {"<!--a->-->", "a->"},
        {"<!x>", "x"},
        {"<!>", ""},
        {"<!", ""},
        {"<!-x>", "-x"},
        {"<?x?>", "?x?"},
        {"<?", "?"},
        {"</ x>", " x"},
        {"</1", "1"},
        {"<![CDATA[x]]>", "[CDATA[x]]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text(th__comment_text(th_str_from(cases[i].token)), cases[i].text);
}

static void cdata(void **unused)
{
    assert_text(th__cdata_text(TH_STR("<![CDATA[a]]>")), "a");
    assert_text(th__cdata_text(TH_STR("<![CDATA[]]>")), "");
    assert_text(th__cdata_text(TH_STR("<![CDATA[a]]")), "a]]");
    assert_text(th__cdata_text(TH_STR("<![CDATA[a]]]>")), "a]");
    assert_text(th__cdata_text(TH_STR("a]]>")), "a"); /* a scan that began inside */
}

/* Every prefix of a doctype is read without reading past it, and its parts lie inside. */
static void doctype_cut(void **unused)
{
    th_str whole =
        TH_STR("<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0//EN\"  'http://x/y.dtd' z>");
    for (size_t len = 9; len <= whole.len; len++) {
        char *copy = malloc(len);
        assert_non_null(copy);
        memcpy(copy, whole.ptr, len);
        th__doctype d = th__doctype_read((th_str){copy, len});
        const th_str parts[] = {d.name, d.public_id, d.system_id};
        for (size_t i = 0; i < 3; i++)
            assert_true(!parts[i].ptr ||
                        (parts[i].ptr >= copy && parts[i].ptr + parts[i].len <= copy + len));
        th__doctype_is_quirky((th_str){copy, len});
        free(copy);
    }
}

static void quirks(void **unused)
{
    static const struct {
        const char *token;
        bool quirky;
    } cases[] = {
        {"<!doctype html>", false},
        {"<!DOCTYPE HTML>", false},
        {"<!doctype html SYSTEM \"about:legacy-compat\">", false},
        {"<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", false},
        {"<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\" \"x\">", false},
        {"<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Frameset//EN\" \"x\">", false},
        {"<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"x\">", false},
        {"<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \"x\">", false},
        {"<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">", true},
        {"<!DOCTYPE HTML PUBLIC \"-//w3c//dtd html 4.01 frameset//en\">", true},
        {"<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.0 Transitional//EN\">", true},
        {"<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\">", true},
        {"<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML 2.0//EN\">", true},
        {"<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML//EN\">", true},
        {"<!DOCTYPE HTML PUBLIC \"HTML\">", true},
        {"<!DOCTYPE HTML PUBLIC \"-//W3O//DTD W3 HTML Strict 3.0//EN//\">", true},
        {"<!DOCTYPE html SYSTEM "
         "\"http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd\">",
         true},
        {"<!DOCTYPE xhtml>", true},
        {"<!DOCTYPE>", true},
        {"<!DOCTYPE html", true},
        {"<!DOCTYPE html PUBLIC \"x>", true},
        {"<!DOCTYPE html x>", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (th__doctype_is_quirky(th_str_from(cases[i].token)) != cases[i].quirky)
            fail_msg("%s: quirks mode should be %s", cases[i].token,
                     cases[i].quirky ? "on" : "off");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments),
        cmocka_unit_test(cdata),
        cmocka_unit_test(doctype_cut),
        cmocka_unit_test(quirks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
