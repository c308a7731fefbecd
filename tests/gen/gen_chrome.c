/*
 * gen_chrome.c: what stands around the data, in three ages of the web.
 *
 * All of it is bait: navigation lists, tag clouds, footers with link columns, "related" boxes whose
 * few items look like records, pagination, adverts, forms, scripts, styles, comments.
 */
#include "gen_site.h"

static void head_of(gen_site *site, const char *doctype, const char *extra)
{
    GEN_FIXED(site, top, doctype);
    GEN_LIVE(site, top,
             GEN_ONE(site, "<title>$Q - $B list, page $I</title>\n", "<title>$Q</title>\n",
                     "<title>$R results for $Q | $B search</title>\n"));
    GEN_FIXED(site, top, extra);
}

/* ---- tables, fonts, frames of cells ---- */

void gen_chrome_nineties(gen_site *site)
{
    const bool cells = gen_wants(site, 0.6), late = gen_wants(site, 0.4);
    head_of(site,
            GEN_ONE(site, "<html>\n<head>\n",
                    "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2//EN\">\n<html>\n<head>\n"),
            GEN_ONE(site, "",
                    "<meta name=\"generator\" content=\"PageMaker 2.1\">\n<meta name=\"keywords\" "
                    "content=\"$C, $C, $C\">\n"));
    GEN_FIXED(
        site, top,
        GEN_ONE(site, "</head>\n<body bgcolor=\"#ffffff\" text=\"#000000\" link=\"#0000cc\">\n",
                "</head>\n<body background=\"bg.gif\">\n", "</head>\n<body bgcolor=white>\n"));
    GEN_FIXED(
        site, top,
        GEN_ONE(site, "<center><img src=\"/logo.gif\" width=400 height=60 alt=\"$K\"></center>\n",
                "<h1 align=center>$K</h1>\n",
                "<table width=\"100%\" border=0><tr><td><img src=\"logo.gif\" alt=\"\"></td><td "
                "align=right><font size=1>$K online</font></td></tr></table>\n"));
    if (gen_wants(site, 0.6)) {
        GEN_FIXED(site, top, "<p align=center>\n");
        GEN_REPEAT(site, top, false, 3, 7, "[<a href=\"/$U/\">$C</a>]\n");
        GEN_FIXED(site, top, "<hr noshade>\n");
    }
    if (cells) {
        GEN_FIXED(
            site, top,
            "<table width=\"100%\" cellspacing=0 cellpadding=6><tr>\n<td valign=top width=150 "
            "bgcolor=\"#eeeedd\">\n<font face=\"Arial,Helvetica\" size=2><b>$C</b><br>\n");
        GEN_REPEAT(site, top, false, 5, 14,
                   "<img src=\"/dot.gif\" width=5 height=5> <a "
                   "href=\"/cgi-bin/browse.pl?c=$#\">$C</a><br>\n");
        if (gen_wants(site, 0.5)) {
            GEN_FIXED(site, top, "<p><b>Top sellers</b>\n<ol>\n");
            GEN_REPEAT(site, top, true, 3, 5, "<li><a href=\"/cgi-bin/show.pl?id=$#\">$T</a>\n");
            GEN_FIXED(site, top, "</ol>\n");
        }
        if (gen_wants(site, 0.5))
            GEN_FIXED(site, top,
                      "<form action=\"/cgi-bin/search.pl\" method=get><input type=text name=q "
                      "size=12><select name=w><option>All<option>Title<option>Name</select><input "
                      "type=submit value=Go></form>\n");
        GEN_FIXED(site, top, "</font></td>\n<td valign=top>\n");
    }
    GEN_LIVE(site, top,
             GEN_ONE(site, "<h2>$Q</h2>\n", "<font size=+2><b>$Q</b></font><p>\n",
                     "<h3>Search results: $Q</h3>\n"));
    if (gen_wants(site, 0.4))
        GEN_LIVE(site, top, "<p>$S $S\n<p>\n");
    if (site->kind != GEN_DETAIL && gen_wants(site, 0.5)) {
        GEN_LIVE(site, top, "<i>$R found. Page $I</i>\n");
    }

    if (site->kind != GEN_DETAIL && gen_wants(site, 0.7)) {
        GEN_FIXED(site, bottom, "<p align=center>");
        GEN_REPEAT(site, bottom, true, 1, 1, "Page $I: <a href=\"list.html?start=20\">Next</a> ");
        GEN_REPEAT(site, bottom, false, 3, 9, "<a href=\"list.html?start=$#\">$#</a> ");
        GEN_FIXED(site, bottom, "\n");
    }
    if (cells)
        GEN_FIXED(site, bottom, "</td></tr></table>\n");
    if (late) {
        GEN_FIXED(site, bottom, "<table border=0 align=center><tr>\n");
        GEN_REPEAT(site, bottom, true, 2, 4,
                   "<td align=center><a href=\"/ads/$#.html\"><img src=\"/banners/$#.gif\" "
                   "width=88 height=31 border=0></a><br><font size=1>$T</font></td>\n");
        GEN_FIXED(site, bottom, "</tr></table>\n");
    }
    GEN_FIXED(site, bottom,
              GEN_ONE(site,
                      "<hr>\n<address><a "
                      "href=\"mailto:webmaster@example.com\">webmaster@example.com</a></address>\n",
                      "<hr>\n<font size=1>Copyright &copy; $Y $K. All rights reserved.</font>\n",
                      "<hr><center><small>$K &middot; $L</small></center>\n"));
    GEN_LIVE(site, bottom,
             GEN_ONE(site, "</body>\n</html>\n",
                     "<!-- generated $D in 0.$# s -->\n</body></html>\n", "</html>\n"));
}

/* ---- XHTML-minded pages with ids and floats ---- */

static void noughties_side(gen_site *site)
{
    GEN_FIXED(site, bottom,
              GEN_ONE(site, "<div id=\"$[side]\">\n", "<div id=\"right\" class=\"$[side]\">\n"));
    if (gen_wants(site, 0.7)) {
        GEN_FIXED(site, bottom, "<h4>Categories</h4>\n<ul>\n");
        GEN_REPEAT(site, bottom, false, 6, 18, "<li><a href=\"/$U/index.php\">$C</a> ($#)</li>\n");
        GEN_FIXED(site, bottom, "</ul>\n");
    }
    if (gen_wants(site, 0.55)) {
        GEN_FIXED(site, bottom, "<div class=\"$[tags]\">\n");
        GEN_REPEAT(site, bottom, false, 12, 30,
                   "<a href=\"/tag/$U\" style=\"font-size:1$Ipx\" rel=\"tag\">$W</a> ");
        GEN_FIXED(site, bottom, "</div>\n");
    }
    if (gen_wants(site, 0.6)) {
        GEN_FIXED(site, bottom, "<div class=\"$[related] box\"><h4>Recently viewed</h4>\n");
        GEN_REPEAT(site, bottom, true, 2, 4,
                   "<div class=\"rv\"><a href=\"/view.php?id=$#\"><img src=\"/img/t$#.jpg\" "
                   "alt=\"\" /></a><a href=\"/view.php?id=$#\">$T</a> <span>$M</span></div>\n");
        GEN_FIXED(site, bottom, "</div>\n");
    }
    if (gen_wants(site, 0.4)) {
        GEN_FIXED(
            site, bottom,
            "<table class=\"cal\" summary=\"calendar\"><tr><th>M</th><th>T</th><th>W</th></tr>\n");
        GEN_REPEAT(site, bottom, false, 3, 5, "<tr><td>$#</td><td>$#</td><td>$#</td></tr>\n");
        GEN_FIXED(site, bottom, "</table>\n");
    }
    GEN_FIXED(site, bottom, "</div>\n");
}

void gen_chrome_noughties(gen_site *site)
{
    head_of(site,
            GEN_ONE(site,
                    "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" "
                    "\"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd\">\n<html "
                    "xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta "
                    "http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\" />\n",
                    "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 "
                    "Transitional//EN\">\n<html><head>\n<meta http-equiv=\"Content-Type\" "
                    "content=\"text/html; charset=UTF-8\">\n"),
            "<link rel=\"stylesheet\" type=\"text/css\" href=\"/css/main.css?v=$#\" />\n<style "
            "type=\"text/css\">\n.$[item] { clear: both; }\n#$[nav] li a:hover { color: #c00; "
            "}\n</style>\n<script type=\"text/javascript\">//<![CDATA[\nvar items = "
            "[\"<li>$C</li>\", \"<li>$C</li>\"]; if (a < b && c > d) { document.write('<div>' + "
            "items[0] + '</div>'); }\n//]]></script>\n");
    GEN_FIXED(site, top,
              "</head>\n<body>\n<div id=\"$[wrap]\">\n<div id=\"$[header]\"><h1><a "
              "href=\"/\">$K</a></h1>\n");
    if (gen_wants(site, 0.6))
        GEN_LIVE(
            site, top,
            "<form id=\"searchform\" action=\"/search.php\" method=\"get\"><p><input type=\"text\" "
            "name=\"q\" value=\"$Q\" /><input type=\"submit\" value=\"Search\" /></p></form>\n");
    GEN_FIXED(site, top, "</div>\n");
    if (gen_wants(site, 0.9)) {
        GEN_FIXED(site, top, "<ul id=\"$[nav]\">\n");
        GEN_REPEAT(site, top, false, 4, 9, "<li><a href=\"/$U.php\">$C</a></li>\n");
        GEN_FIXED(site, top, "</ul>\n");
    }
    if (gen_wants(site, 0.5))
        GEN_FIXED(
            site, top,
            "<div class=\"$[ad]\"><!-- ad slot $# --><a "
            "href=\"http://ads.example.com/click?$X\"><img src=\"http://ads.example.com/$#.gif\" "
            "width=\"468\" height=\"60\" alt=\"\" /></a></div>\n");
    GEN_FIXED(site, top, "<div id=\"main\" class=\"content\">\n");
    if (gen_wants(site, 0.55))
        GEN_LIVE(site, top,
                 "<p class=\"$[crumbs]\"><a href=\"/\">Home</a> &raquo; <a href=\"/$U/\">$C</a> "
                 "&raquo; $Q</p>\n");
    GEN_LIVE(site, top,
             GEN_ONE(site, "<h2>$Q</h2>\n",
                     "<h2 class=\"pagetitle\">Results for &#8216;$Q&#8217;</h2>\n",
                     "<h1>$Q</h1>\n<p>$S</p>\n"));
    if (site->kind != GEN_DETAIL && gen_wants(site, 0.5)) {
        GEN_LIVE(site, top, "<div class=\"sortbar\">Showing 1-$R | Sort by: ");
        GEN_REPEAT(site, top, false, 2, 4, "<a href=\"?sort=$U\">$W</a> | ");
        GEN_FIXED(site, top, "<a href=\"?rss=1\">RSS</a></div>\n");
    }

    if (site->kind != GEN_DETAIL && gen_wants(site, 0.8)) {
        GEN_LIVE(site, bottom, "<div class=\"$[pager]\"><span class=\"current\">$I</span>");
        GEN_REPEAT(site, bottom, false, 3, 8, " <a href=\"?page=$#\">$#</a>");
        GEN_FIXED(site, bottom, " <a href=\"?page=2\">Next &raquo;</a></div>\n");
    }
    if (gen_wants(site, 0.35)) {
        GEN_FIXED(site, bottom, "<h3>People also looked at</h3>\n<ul class=\"$[related]\">\n");
        GEN_REPEAT(site, bottom, true, 3, 5,
                   "<li><a href=\"/view.php?id=$#\">$T</a> <em>$M</em> <small>$D</small></li>\n");
        GEN_FIXED(site, bottom, "</ul>\n");
    }
    GEN_FIXED(site, bottom, "</div>\n");
    if (gen_wants(site, 0.85))
        noughties_side(site);
    GEN_FIXED(site, bottom, "<div id=\"$[footer]\">\n<p>");
    GEN_REPEAT(site, bottom, false, 3, 8, "<a href=\"/$U.php\">$V</a> | ");
    GEN_LIVE(site, bottom,
             "&copy; $Y. Page generated in 0.$# seconds.</p>\n</div>\n</div>\n<script "
             "type=\"text/javascript\">\n_track('$X');\n</script>\n</body>\n</html>\n");
}

/* ---- sections, utility classes, scripts with state ---- */

static void modern_footer(gen_site *site)
{
    GEN_FIXED(site, bottom, "<footer class=\"$[footer]\">\n<div class=\"$[wrap]\">\n");
    for (uint32_t column = GEN_MANY(site, 2, 4); column > 0; column--) {
        GEN_FIXED(site, bottom, "<div class=\"$[foot-col]\"><h5>$C</h5><ul>\n");
        GEN_REPEAT(site, bottom, false, 4, 9, "<li><a href=\"/$U\">$V $W</a></li>\n");
        GEN_FIXED(site, bottom, "</ul></div>\n");
    }
    GEN_FIXED(site, bottom,
              "</div>\n<p>&copy; $Y $K &middot; <a href=\"/privacy\">Privacy</a> &middot; <a "
              "href=\"/terms\">Terms</a></p>\n</footer>\n");
}

void gen_chrome_modern(gen_site *site)
{
    head_of(site,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
            "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
            "<link rel=\"preload\" href=\"/static/app.$X.css\" as=\"style\">\n<meta "
            "property=\"og:site_name\" "
            "content=\"$K\">\n<style>.$[item]{display:flex}.$[list]>div{margin:0 auto}@media "
            "(max-width:600px){.$[side]{display:none}}</style>\n");
    GEN_FIXED(site, top,
              "<script>window.dataLayer=window.dataLayer||[];function "
              "t(){dataLayer.push(arguments)}if(1<2){t('js')}</script>\n</head>\n<body "
              "class=\"no-js theme-$#\">\n");
    if (gen_wants(site, 0.5))
        GEN_FIXED(
            site, top,
            "<div class=\"cookie-bar\" role=\"dialog\"><p>We use cookies. <a "
            "href=\"/cookies\">Learn more</a></p><button type=\"button\">OK</button></div>\n");
    GEN_FIXED(site, top,
              "<header class=\"$[header]\"><a class=\"logo\" href=\"/\"><svg width=\"24\" "
              "height=\"24\" viewBox=\"0 0 24 24\"><path d=\"M3 6h18v2H3z\"/></svg> $K</a>\n");
    if (gen_wants(site, 0.9)) {
        GEN_FIXED(site, top, "<nav class=\"$[nav]\" aria-label=\"Main\"><ul>\n");
        GEN_REPEAT(site, top, false, 4, 8,
                   "<li class=\"$[nav-item]\"><a href=\"/$U\">$C</a></li>\n");
        GEN_FIXED(site, top, "</ul></nav>\n");
    }
    if (gen_wants(site, 0.6))
        GEN_LIVE(site, top,
                 "<form role=\"search\" action=\"/search\"><label class=\"sr-only\" "
                 "for=\"q\">Search</label><input id=\"q\" type=\"search\" name=\"q\" value=\"$Q\" "
                 "placeholder=\"Search...\"><button><svg viewBox=\"0 0 16 16\"><circle cx=\"6\" "
                 "cy=\"6\" r=\"5\"/></svg></button></form>\n");
    GEN_FIXED(site, top, "</header>\n<main id=\"content\" class=\"$[main]\">\n");
    if (gen_wants(site, 0.6))
        GEN_LIVE(site, top,
                 "<nav class=\"$[crumbs]\" aria-label=\"Breadcrumb\"><ol><li><a "
                 "href=\"/\">Home</a></li><li><a href=\"/$U\">$C</a></li><li "
                 "aria-current=\"page\">$Q</li></ol></nav>\n");
    GEN_LIVE(site, top,
             GEN_ONE(site, "<h1>$Q</h1>\n", "<div class=\"$[hero]\"><h1>$Q</h1><p>$S</p></div>\n",
                     "<h1 class=\"$[page-title]\">$R $B results: $Q</h1>\n"));
    if (site->kind != GEN_DETAIL && gen_wants(site, 0.55)) {
        GEN_FIXED(site, top, "<aside class=\"$[side]\"><form>\n");
        for (uint32_t group = GEN_MANY(site, 1, 3); group > 0; group--) {
            GEN_FIXED(site, top, "<fieldset><legend>$C</legend>\n");
            GEN_REPEAT(site, top, false, 3, 9,
                       "<label class=\"$[facet]\"><input type=\"checkbox\" name=\"f\" "
                       "value=\"$#\"> $K <span>($#)</span></label>\n");
            GEN_FIXED(site, top, "</fieldset>\n");
        }
        GEN_FIXED(site, top, "</form></aside>\n");
    }
    if (gen_wants(site, 0.3)) {
        GEN_FIXED(site, top,
                  "<section class=\"$[related]\"><h2>Trending</h2><div class=\"scroller\">\n");
        GEN_REPEAT(site, top, true, 3, 5,
                   "<a class=\"$[chip]\" href=\"/$U/$#\"><img loading=\"lazy\" src=\"/i/$X.webp\" "
                   "alt=\"\"><strong>$T</strong><span>$M</span></a>\n");
        GEN_FIXED(site, top, "</div></section>\n");
    }

    if (site->kind != GEN_DETAIL && gen_wants(site, 0.7)) {
        GEN_LIVE(site, bottom,
                 "<nav class=\"$[pager]\"><a rel=\"prev\" href=\"?p=0\">Previous</a><span "
                 "aria-current=\"page\">$I</span>");
        GEN_REPEAT(site, bottom, false, 2, 6, "<a href=\"?p=$#\">$#</a>");
        GEN_FIXED(site, bottom, "<a rel=\"next\" href=\"?p=2\">Next</a></nav>\n");
    }
    if (gen_wants(site, 0.5)) {
        GEN_FIXED(site, bottom, "<section class=\"$[related]\"><h2>You may also like</h2><ul>\n");
        GEN_REPEAT(site, bottom, true, 3, 4,
                   "<li><a href=\"/$U/$#\"><img src=\"/i/$X.webp\" alt=\"\"></a><h3><a "
                   "href=\"/$U/$#\">$T</a></h3><p>$M</p></li>\n");
        GEN_FIXED(site, bottom, "</ul></section>\n");
    }
    GEN_FIXED(site, bottom, "</main>\n");
    if (gen_wants(site, 0.4))
        GEN_FIXED(site, bottom,
                  "<section class=\"newsletter\"><h2>Stay in touch</h2><form><input type=\"email\" "
                  "placeholder=\"you@example.com\"><button>Subscribe</button></form></section>\n");
    modern_footer(site);
    GEN_LIVE(
        site, bottom,
        "<script>window.__STATE__={\"page\":$I,\"id\":\"$X\",\"html\":\"<ul><li>$W<\\/li><\\/"
        "ul>\"};</script>\n<script src=\"/static/app.js\" defer></script>\n</body>\n</html>\n");
}
