Every list of a page, the best first.

    $ thresh regions -f table examples/pages/concerts.html
    examples/pages/concerts.html, region 1: auto, score 41.9, 6 records
    title                    players                  date          price  note            title_url
    ───────────────────────  ───────────────────────  ────────────  ─────  ──────────────  ─────────
    Sonatas by candlelight   Mira Holt, Jan Vos       Fri 6 March   £ 18                   /c/310
    Brass on the water       Harbour Brass            Sat 7 March   £ 12   outdoors        /c/311
    Winter & spring songs    Ana Ferreira, Quay Trio  Fri 13 March  £ 22   few seats left  /c/312
    Open rehearsal           Tidewater Youth Band     Sun 15 March                         /c/313
    Eight strings            Duo Lindqvist            Fri 20 March  £ 16                   /c/314
    Long night of the organ  Six organists            Sat 28 March  £ 9    until 4 am      /c/315

    examples/pages/concerts.html, region 2: auto, score 3.52, 3 records
    text_1                 text_2       link
    ─────────────────────  ───────────  ───────────
    Why the piano moved    2 March      /letters/88
    Coats, please          20 February  /letters/87
    A seat with your name  11 February  /letters/86

    examples/pages/concerts.html, region 3: auto, score 1.17, 4 records
    text_1               link
    ───────────────────  ─────────
    Concerts             /concerts
    Hire the hall        /hire
    Find us              /find-us
    Friends of the hall  /friends

    examples/pages/concerts.html, region 4: auto, score 0.64, 2 records
    text_1   link
    ───────  ────────
    Contact  /contact
    Privacy  /privacy
    $ thresh regions examples/pages/concerts.html | python3 -c "import json, sys
    > for line in sys.stdin: region = json.loads(line); print(*region, region['engine'], len(region['records']))"
    page engine score records auto 6
    page engine score records auto 3
    page engine score records auto 4
    page engine score records auto 2
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
    ! thresh: prose.html: no list of records was found on this page
    $ thresh regions -q -f table prose.html

csv and sqlite hold one list.

    $ thresh regions -f csv examples/pages/bikes.html
    ! thresh: csv holds one list, and regions shows several: use -f table, pages, ndjson or json
    ! Try `thresh regions --help` for how it is used.
    [2]
    $ thresh regions -o regions.csv examples/pages/bikes.html; ls regions.csv
    ! thresh: csv holds one list, and regions shows several: use -f table, pages, ndjson or json
    ! Try `thresh regions --help` for how it is used.
    ! ls: cannot access 'regions.csv': No such file or directory
    [2]
    $ thresh regions -f sqlite -o regions.db examples/pages/bikes.html
    ! thresh: sqlite holds one list, and regions shows several: use -f table, pages, ndjson or json
    ! Try `thresh regions --help` for how it is used.
    [2]

Other engines look for lists in other ways. MDR puts a record together whose parts stand apart.

    $ thresh regions --engine mdr -f table examples/pages/concerts.html | grep region
    examples/pages/concerts.html, region 1: mdr, score 664, 6 records
    examples/pages/concerts.html, region 2: mdr, score 114, 3 records
    examples/pages/concerts.html, region 3: mdr, score 75.6, 4 records
    $ thresh regions --engine iepad -f table examples/pages/concerts.html
    examples/pages/concerts.html, region 1: iepad, score 0.093, 6 records
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
    title      text_1  text_2  link
    ─────────  ──────  ──────  ────
    Oak table  solid   € 120   /1
    Elm chair  old     € 45    /2
    Ash bench  new     € 80    /3
    Fir shelf          € 60    /4
    $ thresh --engine=mdr --spans rows.html | head -1
    {"title":{"value":"Oak table","start":19,"end":28},"text_1":{"value":"solid","start":36,"end":41},"text_2":{"value":"€ 120","start":89,"end":96},"link":{"value":"/1","start":86,"end":88}}

As published, MDR looks into tables and forms only.

    $ thresh regions --engine mdr --paper -f pages rows.html | grep -o '"engine":"mdr"'
    "engine":"mdr"
    $ thresh regions --engine mdr --paper -f pages examples/pages/concerts.html
    {"page":"examples/pages/concerts.html","regions":[]}
    ! thresh: examples/pages/concerts.html: no list of records was found on this page
    $ thresh --engine iepad --paper examples/pages/bikes.html | head -1
    {"text_1":"Marlin Courier 54","text_2":"2019","text_3":"·","text_4":"54 cm","text_5":"·","text_6":"Ghent","text_7":"steel, new chain, mudguards","text_8":"€ 420"}
    $ thresh regions --engine tree rows.html
    ! thresh: --engine cannot be 'tree'; it is one of auto, mdr, iepad, exalg
    ! Try `thresh regions --help` for how it is used.
    [2]
    $ thresh --paper rows.html
    ! thresh: --paper goes with --engine mdr or iepad: there is no paper of auto
    ! Try `thresh records --help` for how it is used.
    [2]
