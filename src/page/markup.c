/* markup.c: what stands inside comments, doctypes and CDATA sections. */
#include "page/markup.h"

#include "base/str.h"
#include "page/bytes.h"

static th_str skip(th_str text, size_t count)
{
    return (th_str){text.ptr + count, text.len - count};
}

static th_str skip_blanks(th_str text)
{
    while (text.len && th__is_blank((unsigned char)text.ptr[0]))
        text = skip(text, 1);
    return text;
}

static bool ends_with(th_str text, th_str end)
{
    return text.len >= end.len && !memcmp(text.ptr + text.len - end.len, end.ptr, end.len);
}

/* Reads a quoted identifier at the start of *rest. False when there is none, or when it is cut. */
static bool read_quoted(th_str *rest, th_str *out)
{
    if (!rest->len || (rest->ptr[0] != '"' && rest->ptr[0] != '\''))
        return false;
    const char *start = rest->ptr + 1, *end = rest->ptr + rest->len;
    const char *quote = th__find_byte(start, end, rest->ptr[0]);
    *out = (th_str){start, (size_t)(quote - start)};
    if (quote == end)
        return false;
    *rest = skip_blanks((th_str){quote + 1, (size_t)(end - quote - 1)});
    return true;
}

th__doctype th__doctype_read(th_str token)
{
    th__doctype doctype = {.force_quirks = true};
    bool whole = ends_with(token, TH_STR(">"));
    th_str rest = skip(token, sizeof "<!doctype" - 1);
    rest.len -= whole;
    rest = skip_blanks(rest);
    if (!rest.len)
        return doctype;
    size_t len = 0;
    while (len < rest.len && !th__is_blank((unsigned char)rest.ptr[len]))
        len++;
    doctype.name = (th_str){rest.ptr, len};
    rest = skip_blanks(skip(rest, len));
    if (th__str_starts_nocase(rest, TH_STR("public"))) {
        rest = skip_blanks(skip(rest, 6));
        if (!read_quoted(&rest, &doctype.public_id))
            return doctype;
        if (rest.len && !read_quoted(&rest, &doctype.system_id))
            return doctype;
    } else if (th__str_starts_nocase(rest, TH_STR("system"))) {
        rest = skip_blanks(skip(rest, 6));
        if (!read_quoted(&rest, &doctype.system_id))
            return doctype;
    } else if (rest.len) {
        return doctype;
    }
    /* What follows a system identifier is ignored, even when the text ends in it. */
    doctype.force_quirks = !whole && !rest.len;
    return doctype;
}

th_str th__comment_text(th_str token)
{
    bool whole = ends_with(token, TH_STR(">"));
    if (!th__str_starts(token, TH_STR("<!--"))) {
        th_str text = skip(token, token.ptr[1] == '?' ? 1 : 2);
        text.len -= whole;
        return text;
    }
    th_str text = skip(token, 4);
    static const th_str ends[] = {{"-->", 3}, {"--!>", 4}, {"--!", 3}, {"--", 2}, {"-", 1}};
    if (th__str_eq(text, TH_STR(">")) || th__str_eq(text, TH_STR("->")))
        return (th_str){text.ptr, 0};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(text, ends[i]))
            return (th_str){text.ptr, text.len - ends[i].len};
    return text;
}

th_str th__cdata_text(th_str token)
{
    if (th__str_starts(token, TH_STR("<![CDATA[")))
        token = skip(token, 9);
    if (ends_with(token, TH_STR("]]>")))
        token.len -= 3;
    return token;
}

/* Prefixes of the public identifiers that mean quirks mode, without "-//" (HTML standard,
 * 13.2.6.4.1). */
static const char *const quirky[] = {
    "+//Silmaril//dtd html Pro v0r11 19970101//",
    "-//AS//DTD HTML 3.0 asWedit + extensions//",
    "-//AdvaSoft Ltd//DTD HTML 3.0 asWedit + extensions//",
    "-//IETF//DTD HTML ",
    "-//IETF//DTD HTML//",
    "-//Metrius//DTD Metrius Presentational//",
    "-//Microsoft//DTD Internet Explorer ",
    "-//Netscape Comm. Corp.//DTD ",
    "-//O'Reilly and Associates//DTD HTML ",
    "-//SQ//DTD HTML 2.0 HoTMetaL + extensions//",
    "-//SoftQuad Software//DTD HoTMetaL PRO ",
    "-//SoftQuad//DTD HoTMetaL PRO ",
    "-//Spyglass//DTD HTML 2.0 Extended//",
    "-//Sun Microsystems Corp.//DTD HotJava ",
    "-//W3C//DTD HTML 3 1995-03-24//",
    "-//W3C//DTD HTML 3.2 Draft//",
    "-//W3C//DTD HTML 3.2 Final//",
    "-//W3C//DTD HTML 3.2//",
    "-//W3C//DTD HTML 3.2S Draft//",
    "-//W3C//DTD HTML 4.0 Frameset//",
    "-//W3C//DTD HTML 4.0 Transitional//",
    "-//W3C//DTD HTML Experimental ",
    "-//W3C//DTD W3 HTML ",
    "-//W3O//DTD W3 HTML 3.0//",
    "-//WebTechs//DTD Mozilla HTML ",
};

bool th__doctype_is_quirky(th_str token)
{
    th__doctype d = th__doctype_read(token);
    if (d.force_quirks || !th__str_eq_nocase(d.name, TH_STR("html")))
        return true;
    if (th__str_eq_nocase(d.system_id,
                          TH_STR("http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd")))
        return true;
    if (!d.public_id.ptr)
        return false;
    for (size_t i = 0; i < sizeof quirky / sizeof *quirky; i++)
        if (th__str_starts_nocase(d.public_id, th_str_from(quirky[i])))
            return true;
    if (!d.system_id.ptr &&
        (th__str_starts_nocase(d.public_id, TH_STR("-//W3C//DTD HTML 4.01 Frameset//")) ||
         th__str_starts_nocase(d.public_id, TH_STR("-//W3C//DTD HTML 4.01 Transitional//"))))
        return true;
    return th__str_eq_nocase(d.public_id, TH_STR("-//W3O//DTD W3 HTML Strict 3.0//EN//")) ||
           th__str_eq_nocase(d.public_id, TH_STR("-/W3C/DTD HTML 4.0 Transitional/EN")) ||
           th__str_eq_nocase(d.public_id, TH_STR("HTML"));
}
