Every list of a page, the best first.

    $ thresh regions -f table examples/pages/concerts.html
    examples/pages/concerts.html, region 1: lists, score 1.22e+03, confidence 1.00, 6 records
    title                    players                  date          price  note            title_url  datetime
    ───────────────────────  ───────────────────────  ────────────  ─────  ──────────────  ─────────  ──────────
    Sonatas by candlelight   Mira Holt, Jan Vos       Fri 6 March   £ 18                   /c/310     2026-03-06
    Brass on the water       Harbour Brass            Sat 7 March   £ 12   outdoors        /c/311     2026-03-07
    Winter & spring songs    Ana Ferreira, Quay Trio  Fri 13 March  £ 22   few seats left  /c/312     2026-03-13
    Open rehearsal           Tidewater Youth Band     Sun 15 March                         /c/313     2026-03-15
    Eight strings            Duo Lindqvist            Fri 20 March  £ 16                   /c/314     2026-03-20
    Long night of the organ  Six organists            Sat 28 March  £ 9    until 4 am      /c/315     2026-03-28

    examples/pages/concerts.html, region 2: lists, score 0.0364, confidence 0.00, 3 records
    title                  text_1       title_url
    ─────────────────────  ───────────  ───────────
    Why the piano moved    2 March      /letters/88
    Coats, please          20 February  /letters/87
    A seat with your name  11 February  /letters/86

    examples/pages/concerts.html, region 3: lists, score 0.0179, confidence 0.00, 4 records
    title                title_url
    ───────────────────  ─────────
    Concerts             /concerts
    Hire the hall        /hire
    Find us              /find-us
    Friends of the hall  /friends

    examples/pages/concerts.html, region 4: lists, score 0.00226, confidence 0.00, 2 records
    title    title_url
    ───────  ─────────
    Contact  /contact
    Privacy  /privacy
    $ thresh regions examples/pages/concerts.html | python3 -c "import json, sys
    > for line in sys.stdin: region = json.loads(line); print(*region, region['engine'], len(region['records']))"
    page engine score confidence records lists 6
    page engine score confidence records lists 3
    page engine score confidence records lists 4
    page engine score confidence records lists 2
    $ thresh regions -f pages examples/pages/concerts.html | python3 -c "import json, sys
    > page = json.load(sys.stdin); print(page['page'], *[len(region['records']) for region in page['regions']])"
    examples/pages/concerts.html 6 3 4 2
    $ thresh regions -f json examples/pages/concerts.html examples/pages/bikes.html | python3 -c "import json, sys
    > regions = json.load(sys.stdin); print({region['page'] for region in regions} == {'examples/pages/bikes.html', 'examples/pages/concerts.html'})"
    True

The best one is what thresh prints by itself, and scores fall.

    $ for page in bikes concerts; do thresh regions examples/pages/$page.html; done | python3 -c "import json, sys
    > last = {}
    > for line in sys.stdin:
    >     region = json.loads(line)
    >     assert region['score'] <= last.get(region['page'], 1e9)
    >     if region['page'] not in last: print(*[json.dumps(record, ensure_ascii=False, separators=(',', ':')) for record in region['records']], sep='\n')
    >     last[region['page']] = region['score']" > best
    $ thresh examples/pages/bikes.html examples/pages/concerts.html | cmp - best

A page without a list still has its line.

    $ echo '<p>We mend clocks.' > prose.html
    $ thresh regions -f pages prose.html
    {"page":"prose.html","regions":[]}
    ! thresh: prose.html: no list of records found on this page
    $ thresh regions -q -f table prose.html

csv and sqlite hold one list.

    $ thresh regions -f csv examples/pages/bikes.html
    ! thresh: regions shows several lists, and csv can contain only one: use -f table, pages, ndjson or json
    ! Try `thresh regions --help` for usage.
    [2]
    $ thresh regions -o regions.csv examples/pages/bikes.html; ls regions.csv
    ! thresh: regions shows several lists, and csv can contain only one: use -f table, pages, ndjson or json
    ! Try `thresh regions --help` for usage.
    ! ls: cannot access 'regions.csv': No such file or directory
    [2]
    $ thresh regions -f sqlite -o regions.db examples/pages/bikes.html
    ! thresh: regions shows several lists, and sqlite can contain only one: use -f table, pages, ndjson or json
    ! Try `thresh regions --help` for usage.
    [2]

Other engines look for lists in other ways. MDR puts a record together whose parts stand apart.

    $ thresh regions --engine mdr -f table examples/pages/concerts.html | grep region
    examples/pages/concerts.html, region 1: mdr, score 664, confidence 0.24, 6 records
    examples/pages/concerts.html, region 2: mdr, score 114, confidence 0.02, 3 records
    examples/pages/concerts.html, region 3: mdr, score 75.6, confidence 0.01, 4 records
    $ thresh regions --engine iepad -f table examples/pages/concerts.html
    examples/pages/concerts.html, region 1: iepad, score 0.093, confidence 0.98, 6 records
    <article><h3><TEXT></h3><p><TEXT></p><TEXT>[<div>|-][<TEXT>|-][</div>|-]</article>[<div>|-][<TEXT>|-][</div>|-]
    variance 0.22, density 0.74, regularity 0.78
    text_1                   text_2                   text_3        text_4  text_5          text_6                                       link_1  link_2
    ───────────────────────  ───────────────────────  ────────────  ──────  ──────────────  ───────────────────────────────────────────  ──────  ───────────────────────
    Sonatas by candlelight   Mira Holt, Jan Vos       Fri 6 March   £ 18                                                                 /c/310
    Brass on the water       Harbour Brass            Sat 7 March   £ 12    outdoors        Dockside Bakery: open until the last encore  /c/311  https://bakery.example/
    Winter & spring songs    Ana Ferreira, Quay Trio  Fri 13 March  £ 22    few seats left                                               /c/312
    Open rehearsal           Tidewater Youth Band     Sun 15 March                                                                       /c/313
    Eight strings            Duo Lindqvist            Fri 20 March  £ 16                                                                 /c/314
    Long night of the organ  Six organists            Sat 28 March  £ 9     until 4 am                                                   /c/315
    $ echo '<table><tr><td><h3>Oak table</h3><p>solid<td><h3>Elm chair</h3><p>old
    > <tr><td><a href=/1>€ 120</a><td><a href=/2>€ 45</a>
    > <tr><td><h3>Ash bench</h3><p>new<td><h3>Fir shelf</h3><p>
    > <tr><td><a href=/3>€ 80</a><td><a href=/4>€ 60</a></table>' > rows.html
    $ thresh --engine mdr -f table rows.html
    title      text_1  price  price_url
    ─────────  ──────  ─────  ─────────
    Oak table  solid   € 120  /1
    Elm chair  old     € 45   /2
    Ash bench  new     € 80   /3
    Fir shelf          € 60   /4
    $ thresh --engine=mdr --spans rows.html | head -1
    {"title":{"value":"Oak table","start":19,"end":28},"text_1":{"value":"solid","start":36,"end":41},"price":{"value":"€ 120","start":89,"end":96},"price_url":{"value":"/1","start":86,"end":88}}

As published, MDR looks into tables and forms only.

    $ thresh regions --engine mdr --paper -f pages rows.html | grep -o '"engine":"mdr"'
    "engine":"mdr"
    $ thresh regions --engine mdr --paper -f pages examples/pages/concerts.html
    {"page":"examples/pages/concerts.html","regions":[]}
    ! thresh: examples/pages/concerts.html: no list of records found on this page
    $ thresh --engine iepad --paper examples/pages/bikes.html | head -1
    {"text_1":"Marlin Courier 54","text_2":"2019","text_3":"·","text_4":"54 cm","text_5":"·","text_6":"Ghent","text_7":"steel, new chain, mudguards","text_8":"€ 420"}
    $ thresh regions --engine tree rows.html
    ! thresh: --engine cannot be 'tree'; it is one of auto, lists, mdr, iepad
    ! Try `thresh regions --help` for usage.
    [2]
    $ thresh --paper rows.html
    ! thresh: --paper needs --engine mdr or iepad, not auto
    ! Try `thresh records --help` for usage.
    [2]

What the papers leave to their users can be said.

    $ thresh regions --engine iepad -q -f pages rows.html | grep -o '"engine":"iepad"'
    [1]
    $ thresh --engine iepad --min-count 2 rows.html
    {"text_1":"Oak table","text_2":"solid","text_3":null,"text_4":null}
    {"text_1":"Ash bench","text_2":"new","text_3":null,"text_4":null}
    $ thresh --engine iepad --encoding all-tag examples/pages/concerts.html | head -1
    {"text_1":"Sonatas by candlelight","text_2":"Mira Holt, Jan Vos","text_3":"Fri 6 March","text_4":"£ 18","text_5":null,"text_6":null,"link_1":"/c/310","link_2":null}
    $ thresh --engine iepad --encoding all-tag --max-mismatch 0 -q examples/pages/concerts.html
    $ thresh --engine iepad --min-length 100 --max-variance 0.5 --min-density 0 --cluster-variance 0.01 -q examples/pages/concerts.html
    $ thresh regions --engine mdr --table-tags -q -f pages examples/pages/concerts.html
    {"page":"examples/pages/concerts.html","regions":[]}
    $ echo '<ul><li><b>a</b><i>1</i><u>x</u><li><b>b</b><u>y</u><li><b>c</b><i>3</i><u>z</u></ul>' > unlike.html
    $ thresh --engine mdr --threshold 0 -q unlike.html
    $ thresh --engine mdr --threshold 0.3 unlike.html
    {"text_1":"a1x"}
    {"text_1":"by"}
    {"text_1":"c3z"}
    $ echo '<div><h3><b>a</b></h3><p>1</p><hr><h3><b>b</b></h3><p>2</p><hr><h3><b>c</b></h3><p>3</p><hr></div>' > threes.html
    $ thresh --engine mdr threes.html
    {"text_1":"a","number":"1"}
    {"text_1":"b","number":"2"}
    {"text_1":"c","number":"3"}
    $ thresh --engine mdr --combination 2 -q threes.html
    $ thresh regions --engine iepad --encoding block rows.html
    ! thresh: --encoding cannot be 'block'; it is one of all-tag, no-physical, no-special, no-logical, block-level. Did you mean block-level?
    ! Try `thresh regions --help` for usage.
    [2]
    $ thresh regions --engine mdr --threshold 3 rows.html
    ! thresh: --threshold cannot be '3'; it is a number from 0 to 2, such as 0.25
    ! Try `thresh regions --help` for usage.
    [2]
    $ thresh regions --engine mdr --threshold -1 rows.html
    ! thresh: --threshold cannot be '-1'; it is a number from 0 to 2, such as 0.25
    ! Try `thresh regions --help` for usage.
    [2]
    $ thresh regions --engine iepad --min-count 1 rows.html
    ! thresh: --min-count cannot be '1'; it is a number from 2 to 1000000000
    ! Try `thresh regions --help` for usage.
    [2]
    $ thresh regions --engine iepad --threshold 0.2 rows.html
    ! thresh: --threshold needs --engine mdr, not iepad
    ! Try `thresh regions --help` for usage.
    [2]
    $ thresh --min-count 3 rows.html
    ! thresh: --min-count needs --engine iepad, not auto
    ! Try `thresh records --help` for usage.
    [2]

Odd pages, by every engine: no list, one record, records that are all the same, tables ten deep, a page in Hebrew, one
in Chinese, and one that ends in the middle of things.

    $ all() { for engine in auto mdr iepad; do echo "$engine: $(thresh --engine $engine -q "$@" | wc -l) records, $(thresh --engine $engine -q "$@" | sort -u | wc -l) different"; done; }
    $ echo '<p>We mend clocks.' > prose.html; all prose.html; : > empty.html; all empty.html
    auto: 0 records, 0 different
    mdr: 0 records, 0 different
    iepad: 0 records, 0 different
    auto: 0 records, 0 different
    mdr: 0 records, 0 different
    iepad: 0 records, 0 different
    $ echo '<div class=hit><h3><a href=/1>Copper kettle</a></h3><p>Mill Lane</p><b>35.00</b></div>' > one.html; all one.html
    auto: 0 records, 0 different
    mdr: 0 records, 0 different
    iepad: 0 records, 0 different
    $ for i in $(seq 40); do echo '<div class=hit><h3><a href=/1>Copper kettle</a></h3><p>Mill Lane</p></div>'; done > same.html; all same.html
    auto: 40 records, 1 different
    mdr: 40 records, 1 different
    iepad: 40 records, 1 different
    $ { for i in $(seq 9); do printf '<table><tr><td>'; done; echo '<table>'; for i in $(seq 12); do echo "<tr><td><b>item $i</b><td>$i.00"; done; for i in $(seq 10); do printf '</table>'; done; } > deep.html; all deep.html
    auto: 12 records, 12 different
    mdr: 12 records, 12 different
    iepad: 12 records, 12 different
    $ { echo '<!doctype html><html lang=he dir=rtl><meta charset=utf-8><ul>'; for i in $(seq 8); do echo "<li><h3>ספר מספר $i</h3><p>₪ $i</p></li>"; done; } > hebrew.html; all hebrew.html
    auto: 8 records, 8 different
    mdr: 8 records, 8 different
    iepad: 8 records, 8 different
    $ { echo '<!doctype html><html lang=zh><meta charset=utf-8><ul>'; for i in $(seq 8); do echo "<li><h3>第$i本书</h3><p>$i元</p></li>"; done; } > chinese.html; all chinese.html
    auto: 8 records, 8 different
    mdr: 8 records, 8 different
    iepad: 8 records, 8 different
    $ thresh --engine mdr hebrew.html | head -1; thresh --engine iepad chinese.html | head -1
    {"title":"ספר מספר 1","price":"₪ 1"}
    {"text_1":"第1本书","text_2":"1元"}
    $ head -c 400 same.html > cut.html; all cut.html
    auto: 5 records, 1 different
    mdr: 6 records, 2 different
    iepad: 5 records, 1 different

A hundred thousand records.

    $ python3 -c "print('<ul>', *['<li><h3><a href=/%d>book %d</a></h3><p>€ %d</p></li>' % (i, i, i % 97) for i in range(100000)], sep='')" > many.html
    $ for engine in auto mdr iepad; do thresh --engine $engine many.html | sed -n '1p; $='; done
    {"title":"book 0","price":"€ 0","title_url":"/0"}
    100000
    {"title":"book 0","price":"€ 0","title_url":"/0"}
    100000
    {"text_1":"book 0","text_2":"€ 0","link_1":"/0"}
    100000

Wrappers, learnt from a page that breaks off in its seventh record, on the same pages.

    $ head -c 332 many.html > few.html; grep -o '<li>' few.html | wc -l
    7
    $ for engine in auto mdr iepad; do thresh learn -q --engine $engine -o $engine.json few.html; for page in prose empty same deep few many; do echo "$engine, $page: $(thresh extract -q -w $engine.json $page.html | wc -l)"; done; done
    auto, prose: 0
    auto, empty: 0
    auto, same: 0
    auto, deep: 0
    auto, few: 7
    auto, many: 100000
    mdr, prose: 0
    mdr, empty: 0
    mdr, same: 0
    mdr, deep: 0
    mdr, few: 7
    mdr, many: 100000
    iepad, prose: 0
    iepad, empty: 0
    iepad, same: 0
    iepad, deep: 0
    iepad, few: 6
    iepad, many: 100000

One of them alone, as records.

    $ thresh --pick 2 -f ndjson examples/pages/concerts.html
    {"title":"Why the piano moved","text_1":"2 March","title_url":"/letters/88"}
    {"title":"Coats, please","text_1":"20 February","title_url":"/letters/87"}
    {"title":"A seat with your name","text_1":"11 February","title_url":"/letters/86"}
    $ thresh --pick 9 -f ndjson examples/pages/concerts.html
    ! thresh: examples/pages/concerts.html: this page has fewer than 9 lists of records

Pages of a project are put into clusters, too.

    $ thresh project new shop.thresh
    $ thresh project add shop.thresh examples/pages/bikes.html examples/pages/concerts.html -q
    $ thresh clusters --project shop.thresh -f ndjson
    {"cluster":null,"count":2,"pages":["examples/pages/bikes.html","examples/pages/concerts.html"]}
    ! thresh: 2 pages: 0 clusters, 2 outliers

Elements side by side are a list for iepad, though many of them lack a field; repeats alone leave one out:

    $ for i in 1 2 3 4 5 6; do echo "<li><b>Tale $i</b>$([ $((i % 2)) = 1 ] && echo "<br>${i}00 pages")$([ $((i % 3)) = 0 ] || echo "<br><i>$i EUR</i>")</li>"; done > items.txt
    $ (echo '<html><body><h1>Books</h1><ul>'; cat items.txt; echo '</ul></body></html>') > sides.html
    $ thresh --engine iepad -q sides.html
    {"text_1":"Tale 1","text_2":"100 pages","text_3":"1 EUR"}
    {"text_1":"Tale 2","text_2":"2 EUR","text_3":null}
    {"text_1":"Tale 3","text_2":"300 pages","text_3":null}
    {"text_1":"Tale 4","text_2":"4 EUR","text_3":null}
    {"text_1":"Tale 5","text_2":"500 pages","text_3":"5 EUR"}
    {"text_1":"Tale 6","text_2":null,"text_3":null}
    $ thresh --engine iepad --paper -q sides.html
    {"text_1":"Tale 1","text_2":"100 pages","text_3":"1 EUR"}
    {"text_1":"Tale 2","text_2":"2 EUR","text_3":null}
    {"text_1":"Tale 3","text_2":"300 pages","text_3":null}
    {"text_1":"Tale 4","text_2":"4 EUR","text_3":null}
    {"text_1":"Tale 5","text_2":"500 pages","text_3":"5 EUR"}
    $ thresh learn -q --engine iepad -o sides.json sides.html; grep -c '"element"' sides.json
    3
    $ thresh extract -q -w sides.json sides.html | wc -l
    6
