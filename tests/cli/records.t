The records of pages without a word said beforehand, in every form. The page has a menu, a filter, end tags that are left
out, and badges that most records lack.

    $ thresh -f table examples/pages/bikes.html
    title                  badge     facts  facts_2     facts_3   note                                price    title_url    image
    ─────────────────────  ────────  ─────  ──────────  ────────  ──────────────────────────────────  ───────  ───────────  ───────────────
    Marlin Courier 54                2019   54 cm       Ghent     steel, new chain, mudguards         € 420    /bikes/4101  /img/4101-s.jpg
    Hallam Tourer          reserved  2021   58 cm       Bruges    racks front and rear                € 690    /bikes/4102  /img/4102-s.jpg
    Pavé Randonneur                  2022   56 cm       Ghent     hub dynamo & lights                 € 1,150  /bikes/4103  /img/4103-s.jpg
    Oostkaai City 3-speed            2008   52 cm       Ostend    fresh brake cables                  € 180    /bikes/4104  /img/4104-s.jpg
    Fenwick Folding                  2017   one size    Antwerp   fits under a train seat             € 340    /bikes/4105  /img/4105-s.jpg
    Marlin Courier 58                2018   58 cm       Leuven    some scratches on the fork          € 395    /bikes/4106  /img/4106-s.jpg
    Van Aal Cargo Long     new       2023   one size    Ghent     box for two children, rain cover    € 2,300  /bikes/4107  /img/4107-s.jpg
    Tern & Tide Gravel               2020   54 cm       Mechelen  tubeless, 40 mm tyres               € 980    /bikes/4108  /img/4108-s.jpg
    Hallam Mixte                     1994   53 cm       Bruges    original paint                      € 260    /bikes/4109  /img/4109-s.jpg
    Kettle Brook MTB                 2016   50 cm       Liège     fork serviced in May                € 515    /bikes/4110  /img/4110-s.jpg
    Pavé Track             reserved  2020   55 cm       Antwerp   fixed, no brakes: not for the road  € 740    /bikes/4111  /img/4111-s.jpg
    Linden Step-through              2015   49 cm       Ghent     wicker basket included              € 310    /bikes/4112  /img/4112-s.jpg
    Oostkaai Tandem                  2011   56 + 50 cm  Ostend    drum brake, strong wheels           € 870    /bikes/4113  /img/4113-s.jpg
    Fenwick Kids 20                  2021   20 in       Leuven    for ages 6 to 9                     € 95     /bikes/4114  /img/4114-s.jpg
    Marlin Courier 52      new       2020   52 cm       Antwerp   unused, shop display                € 440    /bikes/4115  /img/4115-s.jpg
    Tern & Tide Road                 2022   57 cm       Mechelen  carbon fork, hydraulic brakes       € 1,420  /bikes/4116  /img/4116-s.jpg
    Linden Electric                  2021   51 cm       Bruges    battery at 94 %                     € 1,650  /bikes/4117  /img/4117-s.jpg
    Kettle Brook Rigid               1998   48 cm       Liège     a fine winter bike                  € 280    /bikes/4118  /img/4118-s.jpg
    Hallam Sport                     1987   60 cm       Ghent     down-tube shifters                  € 365    /bikes/4119  /img/4119-s.jpg
    Van Aal Cargo Short              2022   one size    Antwerp   flat bed, 80 kg                     € 1,990  /bikes/4120  /img/4120-s.jpg
    $ thresh -f csv examples/pages/bikes.html | tr -d '\r' | head -4
    title,badge,facts,facts_2,facts_3,note,price,title_url,image
    Marlin Courier 54,,2019,54 cm,Ghent,"steel, new chain, mudguards",€ 420,/bikes/4101,/img/4101-s.jpg
    Hallam Tourer,reserved,2021,58 cm,Bruges,racks front and rear,€ 690,/bikes/4102,/img/4102-s.jpg
    Pavé Randonneur,,2022,56 cm,Ghent,hub dynamo & lights,"€ 1,150",/bikes/4103,/img/4103-s.jpg
    $ thresh examples/pages/bikes.html | head -3
    {"title":"Marlin Courier 54","badge":null,"facts":"2019","facts_2":"54 cm","facts_3":"Ghent","note":"steel, new chain, mudguards","price":"€ 420","title_url":"/bikes/4101","image":"/img/4101-s.jpg"}
    {"title":"Hallam Tourer","badge":"reserved","facts":"2021","facts_2":"58 cm","facts_3":"Bruges","note":"racks front and rear","price":"€ 690","title_url":"/bikes/4102","image":"/img/4102-s.jpg"}
    {"title":"Pavé Randonneur","badge":null,"facts":"2022","facts_2":"56 cm","facts_3":"Ghent","note":"hub dynamo & lights","price":"€ 1,150","title_url":"/bikes/4103","image":"/img/4103-s.jpg"}
    $ thresh -f json examples/pages/bikes.html | sed -n '1,2p;20,$p'
    [
    {"title":"Marlin Courier 54","badge":null,"facts":"2019","facts_2":"54 cm","facts_3":"Ghent","note":"steel, new chain, mudguards","price":"€ 420","title_url":"/bikes/4101","image":"/img/4101-s.jpg"},
    {"title":"Hallam Sport","badge":null,"facts":"1987","facts_2":"60 cm","facts_3":"Ghent","note":"down-tube shifters","price":"€ 365","title_url":"/bikes/4119","image":"/img/4119-s.jpg"},
    {"title":"Van Aal Cargo Short","badge":null,"facts":"2022","facts_2":"one size","facts_3":"Antwerp","note":"flat bed, 80 kg","price":"€ 1,990","title_url":"/bikes/4120","image":"/img/4120-s.jpg"}
    ]
    $ thresh -f pages examples/pages/bikes.html | cut -c1-260
    {"page":"examples/pages/bikes.html","records":[{"title":"Marlin Courier 54","badge":null,"facts":"2019","facts_2":"54 cm","facts_3":"Ghent","note":"steel, new chain, mudguards","price":"€ 420","title_url":"/bikes/4101","image":"/img/4101-s.jpg"},{"title":"Ha
    $ thresh records examples/pages/bikes.html | cmp - <(thresh examples/pages/bikes.html)

An advert between the records, a record of another class, and fields that are missing. Links are made absolute when
the page's URL is known, and every value has its place.

    $ thresh -f table --url https://quayhall.example/march examples/pages/concerts.html
    title                    players                  date          price  note            title_url                       datetime
    ───────────────────────  ───────────────────────  ────────────  ─────  ──────────────  ──────────────────────────────  ──────────
    Sonatas by candlelight   Mira Holt, Jan Vos       Fri 6 March   £ 18                   https://quayhall.example/c/310  2026-03-06
    Brass on the water       Harbour Brass            Sat 7 March   £ 12   outdoors        https://quayhall.example/c/311  2026-03-07
    Winter & spring songs    Ana Ferreira, Quay Trio  Fri 13 March  £ 22   few seats left  https://quayhall.example/c/312  2026-03-13
    Open rehearsal           Tidewater Youth Band     Sun 15 March                         https://quayhall.example/c/313  2026-03-15
    Eight strings            Duo Lindqvist            Fri 20 March  £ 16                   https://quayhall.example/c/314  2026-03-20
    Long night of the organ  Six organists            Sat 28 March  £ 9    until 4 am      https://quayhall.example/c/315  2026-03-28
    $ thresh --spans examples/pages/concerts.html | head -1
    {"title":{"value":"Sonatas by candlelight","start":523,"end":545},"players":{"value":"Mira Holt, Jan Vos","start":580,"end":598},"date":{"value":"Fri 6 March","start":637,"end":648},"price":{"value":"£ 18","start":682,"end":687},"note":null,"title_url":{"value":"/c/310","start":515,"end":521},"datetime":{"value":"2026-03-06","start":625,"end":635}}

Several pages: the order is that of the inputs, however many are worked on at once.

    $ for i in $(seq 40); do echo examples/pages/bikes.html; echo examples/pages/concerts.html; done > many
    $ thresh -j1 --with-page @many > one
    $ thresh -j8 --with-page @many | cmp - one && wc -l < one
    1040
    $ thresh --with-page -f csv examples/pages/concerts.html examples/pages/bikes.html | tr -d '\r' | sed -n '1,2p;8p'
    page,title,players,date,price,note,title_url,datetime,badge,facts,facts_2,facts_3,image
    examples/pages/concerts.html,Sonatas by candlelight,"Mira Holt, Jan Vos",Fri 6 March,£ 18,,/c/310,2026-03-06,,,,,
    examples/pages/bikes.html,Marlin Courier 54,,,€ 420,"steel, new chain, mudguards",/bikes/4101,,,2019,54 cm,Ghent,/img/4101-s.jpg
    $ thresh --with-page -f table examples/pages/bikes.html examples/pages/concerts.html | sed -n '1,3p;22,26p'
    page                       title                  badge     facts  facts_2     facts_3   note                                price    title_url    image
    ─────────────────────────  ─────────────────────  ────────  ─────  ──────────  ────────  ──────────────────────────────────  ───────  ───────────  ───────────────
    examples/pages/bikes.html  Marlin Courier 54                2019   54 cm       Ghent     steel, new chain, mudguards         € 420    /bikes/4101  /img/4101-s.jpg
    examples/pages/bikes.html  Van Aal Cargo Short              2022   one size    Antwerp   flat bed, 80 kg                     € 1,990  /bikes/4120  /img/4120-s.jpg

    page                          title                    players                  date          price  note            title_url  datetime
    ────────────────────────────  ───────────────────────  ───────────────────────  ────────────  ─────  ──────────────  ─────────  ──────────
    examples/pages/concerts.html  Sonatas by candlelight   Mira Holt, Jan Vos       Fri 6 March   £ 18                   /c/310     2026-03-06

Into files: what the name ends in tells the form.

    $ thresh -o out.db examples/pages/bikes.html examples/pages/concerts.html
    $ python3 -c "import sqlite3
    > for row in sqlite3.connect('out.db').execute('select page, position, title, price, date from records where position > 5 and position < 8'): print(row)"
    ('examples/pages/bikes.html', 6, 'Marlin Courier 58', '€ 395', None)
    ('examples/pages/bikes.html', 7, 'Van Aal Cargo Long', '€ 2,300', None)
    ('examples/pages/concerts.html', 6, 'Long night of the organ', '£ 9', 'Sat 28 March')
    $ thresh -o out.csv examples/pages/concerts.html && head -2 out.csv | tr -d '\r'
    title,players,date,price,note,title_url,datetime
    Sonatas by candlelight,"Mira Holt, Jan Vos",Fri 6 March,£ 18,,/c/310,2026-03-06

Pages without a list: a note, no records, and no failure. One record alone repeats nothing that could be seen.

    $ echo '<title>About</title><h1>About us</h1><p>We mend clocks.</p>' > prose.html
    $ thresh prose.html
    ! thresh: prose.html: no list of records found on this page
    $ thresh -q prose.html
    $ thresh -f json -q prose.html
    []
    $ thresh -f table prose.html examples/pages/concerts.html | head -3
    title                    players                  date          price  note            title_url  datetime
    ───────────────────────  ───────────────────────  ────────────  ─────  ──────────────  ─────────  ──────────
    Sonatas by candlelight   Mira Holt, Jan Vos       Fri 6 March   £ 18                   /c/310     2026-03-06
    ! thresh: prose.html: no list of records found on this page
    ! thresh: no records on 1 of 2 pages
    $ echo '<h1>1 result</h1><div class=hits><div class=hit><h3><a href=/o/1>Copper kettle</a></h3><p
    > class=seller>Mill Lane Antiques</p><span class=price>35.00</span></div></div>' > one.html
    $ thresh one.html
    ! thresh: one.html: no list of records found on this page
    $ > empty.html
    $ thresh empty.html
    ! thresh: empty.html: no list of records found on this page
    $ thresh missing.html prose.html examples/pages/concerts.html | sed -n 1p; echo "${PIPESTATUS[0]}"
    {"title":"Sonatas by candlelight","players":"Mira Holt, Jan Vos","date":"Fri 6 March","price":"£ 18","note":null,"title_url":"/c/310","datetime":"2026-03-06"}
    1
    ! thresh: missing.html: cannot be opened: No such file or directory
    ! thresh: prose.html: no list of records found on this page
    ! thresh: no records on 1 of 2 pages
    $ mkdir none && thresh none
    ! thresh: none: the folder has no pages: no file is named like one (.html, .htm, .warc, ...) or begins with HTML
    [1]

A table at the bottom of ten.

    $ for i in $(seq 9); do printf '<table><tr><td>'; done > nested.html
    $ printf '<table><tr><th>Item<th>Price<tr><td>Anchor<td>12.00<tr><td>Bell<td>7.50<tr><td>Compass<td>21.00' >> nested.html
    $ for i in $(seq 9); do printf '</table>'; done >> nested.html
    $ thresh -f table nested.html
    item     price
    ───────  ─────
    Anchor   12.00
    Bell     7.50
    Compass  21.00

Writing from right to left, and without blanks between words. A header in any script names its column.

    $ cat > hebrew.html <<'END'
    > <!doctype html><html lang=he dir=rtl><meta charset=utf-8><title>ספרים</title>
    > <nav><ul><li><a href=/>בית</a><li><a href=/help>עזרה</a></ul></nav>
    > <ul class=books>
    > <li class=book><h3><a href=/b/1>הדרך אל הים</a></h3><span class=author>נועה לוי</span><span class=price>₪ 64</span>
    > <li class=book><h3><a href=/b/2>לחם של חורף</a></h3><span class=author>דן פרץ</span><span class=price>₪ 48</span>
    > <li class=book><h3><a href=/b/3>תשע סירות קטנות</a></h3><span class=author>רות אוקון</span><span class=price>₪ 72</span>
    > </ul>
    > END
    $ thresh hebrew.html
    {"title":"הדרך אל הים","author":"נועה לוי","price":"₪ 64","title_url":"/b/1"}
    {"title":"לחם של חורף","author":"דן פרץ","price":"₪ 48","title_url":"/b/2"}
    {"title":"תשע סירות קטנות","author":"רות אוקון","price":"₪ 72","title_url":"/b/3"}
    $ cat > japanese.html <<'END'
    > <!doctype html><html lang=ja><meta charset=utf-8><title>喫茶店</title>
    > <nav><ul><li><a href=/>ホーム</a><li><a href=/help>ヘルプ</a></ul></nav>
    > <table>
    > <tr><th>店名<th>場所<th>値段
    > <tr><td>朝の珈琲<td>京都<td>四百円
    > <tr><td>青い椅子<td>大阪府堺市<td>五百二十円
    > <tr><td>月と猫<td>神戸<td>三百八十円
    > </table>
    > END
    $ thresh -f table japanese.html
    店名      場所        値段
    ────────  ──────────  ──────────
    朝の珈琲  京都        四百円
    青い椅子  大阪府堺市  五百二十円
    月と猫    神戸        三百八十円

Labels with a colon name what follows them, and a record that lacks one shifts nothing.

    $ cat > teas.html <<'END'
    > <div class=tea><h2>Harbour Black</h2><dl><dt>Origin:<dd>Assam<dt>Price:<dd>4.00</dl></div>
    > <div class=tea><h2>Grey Seal</h2><dl><dt>Price:<dd>6.00</dl></div>
    > <div class=tea><h2>Low Tide</h2><dl><dt>Origin:<dd>Uji<dt>Price:<dd>9.50</dl></div>
    > END
    $ thresh -f table teas.html
    title          origin  price
    ─────────────  ──────  ─────
    Harbour Black  Assam   4.00
    Grey Seal              6.00
    Low Tide       Uji     9.50

Several values in one place are a list: joined in flat forms, a child table in SQLite.

    $ cat > films.html <<'END'
    > <ol><li><h2>The Ferryman</h2><span class=tag>drama</span>
    > <li><h2>Nine Small Boats</h2><span class=tag>family</span><span class=tag>sea</span><span class=tag>short</span>
    > <li><h2>Winter Bread</h2></ol>
    > END
    $ thresh films.html
    {"title":"The Ferryman","tag":["drama"]}
    {"title":"Nine Small Boats","tag":["family","sea","short"]}
    {"title":"Winter Bread","tag":null}
    $ thresh -f csv films.html | tr -d '\r'
    title,tag
    The Ferryman,drama
    Nine Small Boats,family | sea | short
    Winter Bread,
    $ thresh -o films.db films.html && python3 -c "import sqlite3
    > for row in sqlite3.connect('films.db').execute('select title, tag from records join records_tag on parent = records.id'): print(row)"
    ('The Ferryman', 'drama')
    ('Nine Small Boats', 'family')
    ('Nine Small Boats', 'sea')
    ('Nine Small Boats', 'short')

A page without a list is a line all the same in the form that has one for each page.

    $ echo '<p>We mend clocks.' > about.html
    $ thresh -q -f pages about.html
    {"page":"about.html","records":[]}
