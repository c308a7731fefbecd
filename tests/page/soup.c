/* soup.c: bad pages, random and fixed. */
#include "soup.h"

static const char *const names[] = {
    "a",        "b",        "i",        "nobr",
    "font",     "p",        "div",      "span",
    "ul",       "ol",       "li",       "dl",
    "dt",       "dd",       "table",    "tbody",
    "thead",    "tr",       "td",       "th",
    "caption",  "col",      "colgroup", "form",
    "select",   "option",   "optgroup", "button",
    "input",    "textarea", "h1",       "h2",
    "html",     "head",     "body",     "title",
    "script",   "style",    "noscript", "svg",
    "math",     "g",        "mi",       "foreignObject",
    "ruby",     "rt",       "rp",       "rb",
    "template", "object",   "marquee",  "frameset",
    "iframe",   "x-item",   "br",       "img",
    "meta",     "link",     "base",     "pre",
    "address",
};

static const char *const pieces[] = {
    "text",          " ",          "\n",       "&amp;", "&",    "<",     "<>",
    "</>",           "<!-- c -->", "<!--",     "-->",   "<!x>", "<?x?>", "<!doctype html>",
    "<![CDATA[x]]>", "</ x>",      "\"",       "'",     "=",    ">",     "<p",
    "<a b=\"",       "</scr",      "\xC3\xA9",
};

static const char *const attributes[] = {"",       "",           "",  "",     " a=b",
                                         " c='>'", " d=\"x y\"", "/", " e f", " =g"};

#define PICK(list, random) (list)[(random) % (sizeof(list) / sizeof *(list))]

static uint64_t next(uint64_t *state)
{
    *state = th__hash_mix(*state, 0x9E3779B97F4A7C15u);
    return *state >> 11;
}

void soup_make(th__buf *out, uint64_t seed, size_t count)
{
    uint64_t state = th__hash_mix(seed, 1);
    /* Few names a soup, so that its tags meet. */
    size_t first = next(&state) % (sizeof names / sizeof *names), some = 3 + next(&state) % 12;
    for (size_t i = 0; i < count; i++) {
        uint64_t choice = next(&state) % 16;
        size_t name = (first + next(&state) % some * 7) % (sizeof names / sizeof *names);
        if (choice < 8)
            th__buf_printf(out, "<%s%s>", names[name], PICK(attributes, next(&state)));
        else if (choice < 13)
            th__buf_printf(out, "</%s>", names[name]);
        else
            th__buf_printf(out, "%s", choice == 13 ? PICK(pieces, next(&state)) : "x");
    }
}

const char soup_nasty[] =
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN\" 'x'>\n<!-- a -- b --!><html lang=en>"
    "<head><title>a &amp; </titl> b</title><base href=/x><style>p > q {}</styl></style>"
    "<script><!-- <script> </script> --></script><noscript><link rel=x></noscript></head>"
    "<body class=\"a b\" onload='x(\">\")'><p>one<p>two<b>three<i>four</b>five</i>"
    "<table border=1><caption>c<tr><td>1<td>2<tr><th>3<table><td>in</table></table>"
    "<ul><li>x<ul><li>y</ul><li>z</ul><dl><dt>a<dd>b<dt>c</dl>"
    "<form action=?a=1&b=2><select><optgroup label=x><option>1<option selected>2</select>"
    "<textarea>\n<p></textarea></form><button><p>x</button><a href=1>1<a href=2>2</a>"
    "<svg viewBox=\"0 0 1 1\"><title>t</title><path d=M0/><![CDATA[<x>]]><foreignObject><div>h"
    "</foreignObject></svg><math><mi>x</mi><mo/></math><ruby>r<rt>s<rp>t</ruby>"
    "<object><p></object></p><![CDATA[bogus]]><?php echo ?></ nothing></>"
    "<template><tr><td>t</template><h1>h<h2>i</h1><nobr>a<nobr>b<font size=1 =x y==z/>"
    "\xE2\x82\xAC\xF0\x9F\x98\x80 &euro; &#x20AC; &notanentity; \x01 <br/><hr><img src=a.gif"
    "><x-item a='b' c>d</x-item><div <span>e</div></body></html>trailing<!-- unclosed";
