/* hostile.c: inputs that a careless parser takes quadratic time for. */
#include "hostile.h"

/* name, first, unit, back, last, turns */
const struct hostile hostile_inputs[] = {
    {"ordinary list", "<ul>",
     "<li class=\"item\"><a href=\"/p/%\">Item %</a> costs &euro; 3.50</li>\n"},
    /* nesting */
    {"div nested", "", "<div>"},
    {"span nested", "", "<span>"},
    {"div nested and closed", "", "<div>", "</div>", "", 400},
    {"div past the limit, closed", "", "<div>", "</div>", "", 5000},
    {"unknown tags nested", "", "<x-%>"},
    {"unknown tags, all different", "", "<x-%></x-%>"},
    /* attributes */
    {"attributes of one tag", "<a", " a%=b", "", ">"},
    {"attributes of one tag, one name", "<a", " a=b", "", ">"},
    {"attributes without values", "<a", " a", "", ">"},
    {"attributes that begin with =", "<a", " =a", "", ">"},
    {"attributes: = floods", "<a ", "=", "", ">"},
    {"attributes: blanks", "<a b", " ", "", "=c>"},
    {"attributes: blanks and =", "<a ", "        =", "", ">"},
    {"attributes: slashes", "<a", "/ ", "", ">"},
    {"attributes: quotes", "<a ", "\"'", "", ">"},
    {"attributes: one long value", "<a b=\"", "x> ", "", "\">"},
    {"attributes: many tags", "", "<a b=c d='e' f>"},
    /* what is never closed */
    {"tag never closed", "<a ", "b "},
    {"tags never closed", "", "<a "},
    {"quote never closed", "<a b=\"", "<p>x"},
    {"quotes in turn", "", "<a b=\""},
    {"quotes of both kinds in turn", "", "<a b=\"<c d='"},
    {"end tags never closed", "", "</a "},
    {"names without end", "<", "a"},
    /* odd bytes */
    {"< alone", "", "<"},
    {"</", "", "</"},
    {"<<a", "", "<<a>"},
    {"< and letters", "", "< a"},
    {"> alone", "", ">"},
    {"&", "", "&"},
    {"&a", "", "&a"},
    {"&amp;", "", "&amp;"},
    {"& and a long name", "", "&CounterClockwiseContourIntegra"},
    {"&#", "", "&#"},
    {"&#1 without end", "&#", "1"},
    {"NUL", "", "a\001\001"},
    {"blanks", "", "  \n"},
    {"letters", "", "a"},
    {"digits and points", "", "1.2,"},
    {"words", "", "Some words, 12 of them. "},
    {"letters beyond ASCII", "", "\xC3\xA9\xE4\xB8\xAD"},
    /* comments and the like */
    {"<!--", "", "<!--"},
    {"<!-- -", "<!--", " -"},
    {"<!-- --", "<!--", "--"},
    {"<!-- --!", "<!--", "--!"},
    {"<!-- <!--", "", "<!-- <!-- -->"},
    {"<!---->", "", "<!---->"},
    {"<!", "", "<!"},
    {"<?", "", "<?"},
    {"doctypes", "", "<!doctype html>"},
    {"<![CDATA[", "", "<![CDATA["},
    {"<![CDATA[ in svg", "<svg>", "<![CDATA["},
    {"]] in CDATA", "<svg><![CDATA[", "]]"},
    {"CDATA sections in svg", "<svg>", "<![CDATA[x]]>"},
    /* raw text */
    {"script with </scrip", "<script>", "</scrip"},
    {"script with <!-- <script>", "<script>", "<!-- <script> </script> "},
    {"script with dashes", "<script><!--", "--"},
    {"scripts", "", "<script></script>"},
    {"style with </styl", "<style>", "</styl"},
    {"title with </titl", "<title>", "</titl"},
    {"title with &", "<title>", "&a"},
    {"textareas", "", "<textarea></textarea>"},
    {"plaintext", "<plaintext>", "</plaintext>"},
    /* tables */
    {"table tr td nested", "", "<table><tr><td>"},
    {"table tr td nested and closed", "", "<table><tr><td>", "</table>", "", 100},
    {"tables never closed", "", "<table>"},
    {"table div", "", "<table><div>"},
    {"rows", "<table>", "<tr><td>x<td>y"},
    {"rows with all tags", "<table>", "<tr><td>x</td><td>y</td></tr>"},
    {"cells", "<table><tr>", "<td>"},
    {"cells without a table", "", "<td>"},
    {"rows without a table", "", "<tr><td>x"},
    {"table end tags", "<table><tr><td>", "</tr></td></tbody></th>"},
    {"cells with formatting", "<table>", "<tr><td><b><i>x"},
    {"col", "<table><colgroup>", "<col>"},
    {"text in tables", "<table>", "x<tr>y"},
    /* formatting */
    {"b nested", "", "<b>"},
    {"b i p misnested", "", "<b><i><p></b></i>"},
    {"b div", "", "<b><div></b>"},
    {"b i u font over blocks", "", "<b><i><u><font><div>x</b>y</i></div>"},
    {"a a", "", "<a>"},
    {"a div", "", "<a><div>"},
    {"nobr", "", "<nobr>"},
    {"nobr div", "", "<nobr><div>"},
    {"b under p, closed one by one", "", "<b>", "</b>", "", 400},
    {"b over one p, closed one by one", "", "<b>", "<p></b>", "", 200},
    {"closed b, then p", "", "<b><i><u>x</b>x</i>x</u><p>"},
    /* end tags */
    {"end tags of nothing", "", "</div>"},
    {"end tags of nothing, inline", "", "</b></i></a>"},
    {"end tags of a tag far below", "<b><p>", "<i><div></b>"},
    {"end tags behind a wall", "<div><object>", "</div>"},
    {"end tags behind walls", "<div>", "<object></div>"},
    {"</p>", "", "</p>"},
    {"</br>", "", "</br>"},
    {"</form> far below", "", "<form><div></form>"},
    /* lists, select, forms, headings */
    {"li", "<ul>", "<li>"},
    {"ul li", "", "<ul><li>"},
    {"li div", "<ul>", "<li><div>"},
    {"dd dt", "<dl>", "<dd><dt>"},
    {"dl dd", "", "<dl><dd>"},
    {"p", "", "<p>"},
    {"p span", "", "<p><span>"},
    {"option", "<select>", "<option>"},
    {"select", "", "<select>"},
    {"select option", "", "<select><option>"},
    {"optgroup option", "<select>", "<optgroup><option>"},
    {"select input", "", "<select><input>"},
    {"button", "", "<button>"},
    {"button p", "", "<button><p>"},
    {"form", "", "<form>"},
    {"headings", "", "<h1><h2>"},
    {"headings nested", "", "<h1><div>"},
    {"ruby", "<ruby>", "<rb><rt><rp>"},
    {"template", "", "<template>"},
    {"template tr td", "", "<template><tr><td>"},
    {"html head body", "", "<html><head><body>"},
    {"frameset", "", "<frameset><frame>"},
    {"br", "", "<br>"},
    {"noscript", "<head>", "<noscript><link>"},
    {"base", "", "<base>"},
    {"meta", "", "<meta charset=x>"},
    /* svg and math */
    {"svg nested", "", "<svg>"},
    {"svg g nested", "<svg>", "<g>"},
    {"svg foreignobject nested", "", "<svg><foreignobject>"},
    {"svg p", "", "<svg><g><p>"},
    {"svg end tags", "<svg><g>", "</p></x>"},
    {"svg end tags, nested", "<svg><desc><svg><desc><svg><desc><svg><desc>", "</x>"},
    {"math mi", "", "<math><mi>"},
    {"self-closing in svg", "<svg>", "<path d=\"M0 0\"/>"},
};

const size_t hostile_count = sizeof hostile_inputs / sizeof *hostile_inputs;

static bool add_unit(th__buf *out, const char *unit, unsigned *number)
{
    bool counts = false;
    for (const char *at = unit; *at; at++) {
        if (*at == '%')
            counts = th__buf_printf(out, "%u", *number);
        else if (!th__buf_add_byte(out, *at == '\001' ? '\0' : *at))
            return false;
    }
    *number += counts;
    return !out->failed;
}

bool hostile_make(const struct hostile *input, size_t size, th__buf *out)
{
    unsigned number = 0;
    size_t tail = input->last ? strlen(input->last) : 0;
    th__buf_clear(out);
    if (!th__buf_reserve(out, size + 4096))
        return false;
    th__buf_add_str(out, th_str_from(input->first));
    while (out->len + tail < size) {
        unsigned turns = input->turns ? input->turns : 1;
        for (unsigned i = 0; i < turns; i++)
            add_unit(out, input->unit, &number);
        for (unsigned i = 0; i < turns && input->turns; i++)
            add_unit(out, input->back, &number);
    }
    th__buf_add(out, input->last ? input->last : "", tail);
    return !out->failed;
}
