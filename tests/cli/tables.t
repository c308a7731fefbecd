The columns of a data table come from its cells, whatever markup is in some of them.

    $ cat > opinions.html <<'END'
    > <!doctype html><meta charset=utf-8><title>Opinions</title><table><tr><th>Number<th>Caption<th>Date<th>Judge</tr>
    > <tr><td><a href="/op/0.pdf">24-90</a></td><td>Acme v. State</td><td>01/10/2024</td><td>Judge Acm</td></tr>
    > <tr><td><a href="/op/1.pdf">24-89</a></td><td>Bolt & Nut Co. v. Tower</td><td>02/11/2024</td><td>Judge Bol</td></tr>
    > <tr><td><a href="/op/2.pdf">24-88</a></td><td>In re Linden</td><td>03/12/2024</td><td>Judge In </td></tr>
    > <tr><td><a href="/op/3.pdf">24-87</a></td><td><p>Vos v. Harbour Board</p></td><td>04/10/2024</td><td>Judge Vos</td></tr>
    > <tr><td><a href="/op/4.pdf">24-86</a></td><td>Ferry Ltd. v. Crown</td><td>05/11/2024</td><td>Judge Fer</td></tr>
    > <tr><td><a href="/op/5.pdf">24-85</a></td><td>Holt v. Holt</td><td><span>06/12/2024</span></td><td>Judge Hol</td></tr>
    > <tr><td><a href="/op/6.pdf">24-84</a></td><td>Dune Trust v. City</td><td>07/10/2024</td><td>Judge Dun</td></tr>
    > <tr><td><a href="/op/7.pdf">24-83</a></td><td><p>Mason v. Ward</p></td><td>08/11/2024</td><td>Judge Mas</td></tr>
    > <tr><td><a href="/op/8.pdf">24-82</a></td><td>Stone v. Bright</td><td>09/12/2024</td><td>Judge Sto</td></tr>
    > <tr><td><a href="/op/9.pdf">24-81</a></td><td>Aldo v. Ferris</td><td>01/10/2024</td><td>Judge Ald</td></tr>
    > </table>
    > END
    $ thresh -f table opinions.html
    number  caption                  date        judge      number_url
    ──────  ───────────────────────  ──────────  ─────────  ──────────
    24-90   Acme v. State            01/10/2024  Judge Acm  /op/0.pdf
    24-89   Bolt & Nut Co. v. Tower  02/11/2024  Judge Bol  /op/1.pdf
    24-88   In re Linden             03/12/2024  Judge In   /op/2.pdf
    24-87   Vos v. Harbour Board     04/10/2024  Judge Vos  /op/3.pdf
    24-86   Ferry Ltd. v. Crown      05/11/2024  Judge Fer  /op/4.pdf
    24-85   Holt v. Holt             06/12/2024  Judge Hol  /op/5.pdf
    24-84   Dune Trust v. City       07/10/2024  Judge Dun  /op/6.pdf
    24-83   Mason v. Ward            08/11/2024  Judge Mas  /op/7.pdf
    24-82   Stone v. Bright          09/12/2024  Judge Sto  /op/8.pdf
    24-81   Aldo v. Ferris           01/10/2024  Judge Ald  /op/9.pdf

A wrapper gives the same, and so it does on a page with other markup in the cells.

    $ thresh learn -q opinions.html -o w.json
    $ thresh extract -w w.json -f table opinions.html
    number  caption                  date        judge      other  number_url
    ──────  ───────────────────────  ──────────  ─────────  ─────  ──────────
    24-90   Acme v. State            01/10/2024  Judge Acm         /op/0.pdf
    24-89   Bolt & Nut Co. v. Tower  02/11/2024  Judge Bol         /op/1.pdf
    24-88   In re Linden             03/12/2024  Judge In          /op/2.pdf
    24-87   Vos v. Harbour Board     04/10/2024  Judge Vos         /op/3.pdf
    24-86   Ferry Ltd. v. Crown      05/11/2024  Judge Fer         /op/4.pdf
    24-85   Holt v. Holt             06/12/2024  Judge Hol         /op/5.pdf
    24-84   Dune Trust v. City       07/10/2024  Judge Dun         /op/6.pdf
    24-83   Mason v. Ward            08/11/2024  Judge Mas         /op/7.pdf
    24-82   Stone v. Bright          09/12/2024  Judge Sto         /op/8.pdf
    24-81   Aldo v. Ferris           01/10/2024  Judge Ald         /op/9.pdf
    $ sed 's,<td>\(Judge [A-Za-z ]*\)</td>,<td><p><b>\1</b></p></td>,' opinions.html > other.html
    $ thresh extract -w w.json -f table other.html
    number  caption                  date        judge      other  number_url
    ──────  ───────────────────────  ──────────  ─────────  ─────  ──────────
    24-90   Acme v. State            01/10/2024  Judge Acm         /op/0.pdf
    24-89   Bolt & Nut Co. v. Tower  02/11/2024  Judge Bol         /op/1.pdf
    24-88   In re Linden             03/12/2024  Judge In          /op/2.pdf
    24-87   Vos v. Harbour Board     04/10/2024  Judge Vos         /op/3.pdf
    24-86   Ferry Ltd. v. Crown      05/11/2024  Judge Fer         /op/4.pdf
    24-85   Holt v. Holt             06/12/2024  Judge Hol         /op/5.pdf
    24-84   Dune Trust v. City       07/10/2024  Judge Dun         /op/6.pdf
    24-83   Mason v. Ward            08/11/2024  Judge Mas         /op/7.pdf
    24-82   Stone v. Bright          09/12/2024  Judge Sto         /op/8.pdf
    24-81   Aldo v. Ferris           01/10/2024  Judge Ald         /op/9.pdf

Cells stand where a browser shows them, and one that spans rows is in each of them.

    $ cat > rivers.html <<'END'
    > <!doctype html><meta charset=utf-8><title>t</title><table><caption>Rivers</caption><thead><tr><th rowspan=2>River</th><th colspan=2>Length</th><th rowspan=2>Country</th></tr>
    > <tr><th>km</th><th>mi</th></tr></thead><tbody>
    > <tr><td>Rhine</td><td>1,233</td><td>766</td><td rowspan=2>Germany</td></tr>
    > <tr><td>Elbe</td><td>1,094</td><td>680</td></tr>
    > <tr><td>Seine</td><td>777</td><td>483</td><td>France</td></tr>
    > <tr><td>Loire<sup>[1]</sup></td><td>1,006</td><td></td><td>France</td></tr>
    > <tr><td>Po</td><td>652</td><td>405</td><td>Italy</td></tr></tbody></table>
    > END
    $ thresh -f table rivers.html
    river     length_km  length_mi  country
    ────────  ─────────  ─────────  ───────
    Rhine     1,233      766        Germany
    Elbe      1,094      680        Germany
    Seine     777        483        France
    Loire[1]  1,006                 France
    Po        652        405        Italy
    $ thresh learn -q rivers.html -o w.json
    $ thresh extract -w w.json -f table rivers.html
    river     length_km  length_mi  country  other
    ────────  ─────────  ─────────  ───────  ─────
    Rhine     1,233      766        Germany
    Elbe      1,094      680        Germany
    Seine     777        483        France
    Loire[1]  1,006                 France
    Po        652        405        Italy

Tables of one kind below headings are one list, and the heading is a column.

    $ cat > heats.html <<'END'
    > <!doctype html><meta charset=utf-8><title>t</title><h1>Results</h1>
    > <h2>Heat 0</h2><table class=wikitable><tr><th>Rank<th>Name<th>Country<th>Time</tr>
    > <tr><td>1<td><a href="/a/00">Ali Stone</a><td>Kenya<td>9.08</tr>
    > <tr><td>2<td><a href="/a/01">Bo Marsh</a><td>Japan<td>9.25</tr>
    > <tr><td>3<td><a href="/a/02">Cy Marsh</a><td>Kenya<td>9.58</tr>
    > <tr><td>4<td><a href="/a/03">Dan Marsh</a><td>Peru<td>9.64</tr></table>
    > <h2>Heat 1</h2><table class=wikitable><tr><th>Rank<th>Name<th>Country<th>Time</tr>
    > <tr><td>1<td><a href="/a/10">Bo Vale</a><td>Peru<td>9.50</tr>
    > <tr><td>2<td><a href="/a/11">Cy Stone</a><td>Kenya<td>9.36</tr>
    > <tr><td>3<td><a href="/a/12">Dan Vale</a><td>Peru<td>9.42</tr>
    > <tr><td>4<td><a href="/a/13">Ed Marsh</a><td>Ghana<td>9.24</tr></table>
    > <h2>Heat 2</h2><table class=wikitable><tr><th>Rank<th>Name<th>Country<th>Time</tr>
    > <tr><td>1<td><a href="/a/20">Cy Stone</a><td>Ghana<td>9.33</tr>
    > <tr><td>2<td><a href="/a/21">Dan Marsh</a><td>Japan<td>10.00</tr>
    > <tr><td>3<td><a href="/a/22">Ed Marsh</a><td>Peru<td>9.80</tr>
    > <tr><td>4<td><a href="/a/23">Fin Vale</a><td>Japan<td>9.36</tr></table>
    > END
    $ thresh -f table heats.html
    heading  rank  name       country  time   name_url
    ───────  ────  ─────────  ───────  ─────  ────────
    Heat 0   1     Ali Stone  Kenya    9.08   /a/00
    Heat 0   2     Bo Marsh   Japan    9.25   /a/01
    Heat 0   3     Cy Marsh   Kenya    9.58   /a/02
    Heat 0   4     Dan Marsh  Peru     9.64   /a/03
    Heat 1   1     Bo Vale    Peru     9.50   /a/10
    Heat 1   2     Cy Stone   Kenya    9.36   /a/11
    Heat 1   3     Dan Vale   Peru     9.42   /a/12
    Heat 1   4     Ed Marsh   Ghana    9.24   /a/13
    Heat 2   1     Cy Stone   Ghana    9.33   /a/20
    Heat 2   2     Dan Marsh  Japan    10.00  /a/21
    Heat 2   3     Ed Marsh   Peru     9.80   /a/22
    Heat 2   4     Fin Vale   Japan    9.36   /a/23
    $ thresh learn -q heats.html -o w.json
    $ sed -n '1,/Heat 0/p;/^<tr><td>4/{p;q}' heats.html > one.html
    $ thresh extract -w w.json -f table one.html
    heading  rank  name       country  time  other  name_url
    ───────  ────  ─────────  ───────  ────  ─────  ────────
    Heat 0   4     Dan Marsh  Peru     9.64         /a/03
    $ thresh show w.json | grep above
      heading   text of the last heading above, h2

Older wrapper files name no kind of heading.

    $ sed 's/"^h2"/"^heading"/' w.json > old.json
    $ thresh extract -w old.json heats.html | cut -c1-46 | sed -n '4,5p'
    {"heading":"Heat 0","rank":"4","name":"Dan Mar
    {"heading":"Heat 1","rank":"1","name":"Bo Vale
    $ thresh extract -w old.json one.html | cut -c1-46
    {"heading":"Heat 0","rank":"4","name":"Dan Mar

A header may be made of td, and a heading be bold or a row of its own.

    $ cat > weeks.html <<'END'
    > <h1>Fixtures</h1><p><b>Week 31</b></p><table><tr><td>Teams<td>Ground<td>Tickets</tr>
    > <tr><td><a href=/s/1>Reyes and Vance</a><td>Field 13<td>6301 left</tr>
    > <tr><td><a href=/s/2>Vance and Cole</a><td>Field 26<td>6302 left</tr>
    > <tr><td><a href=/s/3>Drew and Wells</a><td>Field 39<td>6303 left</tr>
    > <tr><td><a href=/s/4>Moss and Baker</a><td>Field 52<td>6304 left</tr></table><p><b>Week 30</b></p><table><tr><td>Teams<td>Ground<td>Tickets</tr>
    > <tr><td><a href=/s/5>Wells and Cole</a><td>Field 65<td>6305 left</tr>
    > <tr><td><a href=/s/6>Young and Abbot</a><td>Field 78<td>6306 left</tr>
    > <tr><td><a href=/s/7>Stone and Reyes</a><td>Field 91<td>6307 left</tr>
    > <tr><td><a href=/s/8>Stone and Zane</a><td>Field 104<td>6308 left</tr>
    > <tr><td><a href=/s/9>Vance and Moss</a><td>Field 117<td>6309 left</tr>
    > <tr><td><a href=/s/10>Abbot and Vance</a><td>Field 130<td>6310 left</tr></table><p><b>Week 29</b></p><table><tr><td>Teams<td>Ground<td>Tickets</tr>
    > <tr><td><a href=/s/11>Ito and Vance</a><td>Field 143<td>6311 left</tr>
    > <tr><td><a href=/s/12>Baker and Drew</a><td>Field 156<td>6312 left</tr>
    > <tr><td><a href=/s/13>Vance and Abbot</a><td>Field 169<td>6313 left</tr>
    > <tr><td><a href=/s/14>Stone and Young</a><td>Field 182<td>6314 left</tr>
    > <tr><td><a href=/s/15>Young and Baker</a><td>Field 195<td>6315 left</tr></table>
    > END
    $ thresh -f table weeks.html
    heading  teams            ground     tickets    teams_url
    ───────  ───────────────  ─────────  ─────────  ─────────
    Week 31  Reyes and Vance  Field 13   6301 left  /s/1
    Week 31  Vance and Cole   Field 26   6302 left  /s/2
    Week 31  Drew and Wells   Field 39   6303 left  /s/3
    Week 31  Moss and Baker   Field 52   6304 left  /s/4
    Week 30  Wells and Cole   Field 65   6305 left  /s/5
    Week 30  Young and Abbot  Field 78   6306 left  /s/6
    Week 30  Stone and Reyes  Field 91   6307 left  /s/7
    Week 30  Stone and Zane   Field 104  6308 left  /s/8
    Week 30  Vance and Moss   Field 117  6309 left  /s/9
    Week 30  Abbot and Vance  Field 130  6310 left  /s/10
    Week 29  Ito and Vance    Field 143  6311 left  /s/11
    Week 29  Baker and Drew   Field 156  6312 left  /s/12
    Week 29  Vance and Abbot  Field 169  6313 left  /s/13
    Week 29  Stone and Young  Field 182  6314 left  /s/14
    Week 29  Young and Baker  Field 195  6315 left  /s/15
    $ cat > flights.html <<'END'
    > <table><tr><td>Place<td>Player<td>Total</tr>
    > <tr><td colspan=3>Flight A</tr>
    > <tr><td>1<td>Ann Reed<td>80</tr><tr><td>2<td>Bob Cole<td>83</tr><tr><td>3<td>Cleo Vane<td>84</tr>
    > <tr><td colspan=3>Flight B</tr>
    > <tr><td>1<td>Dora Moss<td>79</tr><tr><td>2<td>Egon Hart<td>81</tr><tr><td>3<td>Fay Lund<td>90</tr></table>
    > END
    $ thresh -f table flights.html
    heading   place  player     total
    ────────  ─────  ─────────  ─────
    Flight A  1      Ann Reed   80
    Flight A  2      Bob Cole   83
    Flight A  3      Cleo Vane  84
    Flight B  1      Dora Moss  79
    Flight B  2      Egon Hart  81
    Flight B  3      Fay Lund   90

Rows of layout are no data table: three of them, with cells across columns and rows, are one record.

    $ cat > rows.html <<'END'
    > <table>
    > <tr><td rowspan=3><td colspan=3><b>Ann Reed</b></tr><tr><td>Boston<td>networks<td>1999</tr><tr><td colspan=3>On the hill.</tr>
    > <tr><td rowspan=3><td colspan=3><b>Bob Cole</b></tr><tr><td>Leeds<td>systems<td>2008</tr><tr><td colspan=3>By the sea.</tr>
    > <tr><td rowspan=3><td colspan=3><b>Cleo Vane</b></tr><tr><td>Bath<td>ciphers<td>2018</tr><tr><td colspan=3>In the old town.</tr>
    > <tr><td rowspan=3><td colspan=3><b>Dora Moss</b></tr><tr><td>Hull<td>graphs<td>2003</tr><tr><td colspan=3>Near the park.</tr>
    > </table>
    > END
    $ thresh rows.html
    {"title":"Ann Reed","text_1":"Boston","text_2":"networks","number":"1999","text_3":"On the hill."}
    {"title":"Bob Cole","text_1":"Leeds","text_2":"systems","number":"2008","text_3":"By the sea."}
    {"title":"Cleo Vane","text_1":"Bath","text_2":"ciphers","number":"2018","text_3":"In the old town."}
    {"title":"Dora Moss","text_1":"Hull","text_2":"graphs","number":"2003","text_3":"Near the park."}
