A wrapper is learnt from one page of a site and run on others: with other classes further up, a field that is new, one
record only, and none at all.

    $ card() { printf '<li class="card n%s"><h3><a href="/b/%s">%s</a></h3><p class=maker>%s<p class=price>%s%s\n' "$1" "$1" "$2" "$3" "$4" "$5"; }
    $ { echo '<html><body class=list><ul class=nav><li><a href=/>Home</a><li><a href=/help>Help</a></ul><ul class=cards>'; card 1 'Marlin Courier' Hallam '€ 420'; card 2 'Hallam Tourer' Hallam '€ 690'; card 3 'Oostkaai City' 'Van Aal' '€ 180'; echo '</ul></body></html>'; } > 1.html
    $ { echo '<html><body class=search><ul class=cards>'; card 12 'Pavé Track' Pavé '€ 740' '<p class=badge>reserved'; card 13 'Linden Mixte' Linden '€ 260'; echo '</ul></body></html>'; } > 2.html
    $ { echo '<html><body class=list><ul class=cards>'; card 9 'Fenwick Kids' Fenwick '€ 95'; echo '</ul></body></html>'; } > one.html
    $ echo '<html><body class=list><p>Nothing was found.</p></body></html>' > none.html
    $ thresh learn --date 2026-01-02 -o bikes.json 1.html
    ! thresh: learnt from 3 records on 1 page
    $ thresh extract -w bikes.json 1.html 2.html one.html
    {"title":"Marlin Courier","maker":"Hallam","price":"€ 420","other":null,"title_url":"/b/1"}
    {"title":"Hallam Tourer","maker":"Hallam","price":"€ 690","other":null,"title_url":"/b/2"}
    {"title":"Oostkaai City","maker":"Van Aal","price":"€ 180","other":null,"title_url":"/b/3"}
    {"title":"Pavé Track","maker":"Pavé","price":"€ 740","other":["reserved"],"title_url":"/b/12"}
    {"title":"Linden Mixte","maker":"Linden","price":"€ 260","other":null,"title_url":"/b/13"}
    {"title":"Fenwick Kids","maker":"Fenwick","price":"€ 95","other":null,"title_url":"/b/9"}
    $ thresh extract -w bikes.json none.html
    ! thresh: none.html: no records: this wrapper finds none on this page
    $ thresh extract -w bikes.json -f pages 2.html none.html
    {"page":"2.html","records":[{"title":"Pavé Track","maker":"Pavé","price":"€ 740","other":["reserved"],"title_url":"/b/12"},{"title":"Linden Mixte","maker":"Linden","price":"€ 260","other":null,"title_url":"/b/13"}]}
    {"page":"none.html","records":[]}
    ! thresh: none.html: no records: this wrapper finds none on this page
    ! thresh: no records on 1 of 2 pages
    $ thresh extract -w bikes.json -f csv -q none.html | tr -d '\r'
    title,maker,price,other,title_url
    $ thresh extract -w bikes.json --spans --with-page one.html
    {"page":"one.html","title":{"value":"Fenwick Kids","start":79,"end":91},"maker":{"value":"Fenwick","start":115,"end":122},"price":{"value":"€ 95","start":137,"end":144},"other":null,"title_url":{"value":"/b/9","start":73,"end":77}}
    $ thresh show bikes.json
    wrapper of engine lists
    schema
      {<title,maker,price,({other})?,title_url>}
    records
      html > body.list > ul.cards > li.card
    fields
      title_url  target of h3 > a
      title      text of h3 > a
      maker      text of p.maker
      price      text of p.price
      other      all texts that no other field takes
    learnt on 2026-01-02 from
      1.html, 3 records
    $ cat bikes.json
    {
      "thresh_wrapper": 1,
      "engine": "lists",
      "schema": {
        "kind": "list",
        "item": {
          "kind": "tuple",
          "members": [
            {"kind": "field", "name": "title", "note": "text"},
            {"kind": "field", "name": "maker", "note": "text"},
            {"kind": "field", "name": "price", "note": "price"},
            {
              "kind": "optional",
              "item": {"kind": "list", "item": {"kind": "field", "name": "other", "note": "text"}}
            },
            {"kind": "field", "name": "title_url", "note": "url"}
          ]
        }
      },
      "rules": {
        "records": [{"path": "html > body.list > ul.cards > li.card"}],
        "fields": [
          {"name": "title_url", "kind": "link", "path": "h3 > a"},
          {"name": "title", "kind": "text", "path": "h3 > a", "core": true},
          {"name": "maker", "kind": "text", "path": "p.maker", "core": true},
          {"name": "price", "kind": "text", "path": "p.price", "core": true},
          {"name": "other", "kind": "rest", "list": true}
        ]
      },
      "provenance": {
        "date": "2026-01-02",
        "options": {"pick": 1},
        "pages": [{"page": "1.html", "digest": "8228ad9ff713ef01", "records": 3}]
      },
      "profile": {
        "pages": 1,
        "empty_pages": 0,
        "records": 3,
        "least": 3,
        "most": 3,
        "explained": 0.8791,
        "explained_least": 0.8791,
        "fields": [
          {
            "field": "title",
            "chances": 3,
            "values": 3,
            "pages": 1,
            "sampled": 3,
            "distinct": 3,
            "length": 2.6621,
            "length_sd": 0.0325,
            "start": [],
            "end": [],
            "start_shapes": [],
            "end_shapes": [],
            "examples": ["Marlin Courier", "Hallam Tourer", "Oostkaai City"],
            "element": "a",
            "position": 0.5,
            "position_sd": 0.2227,
            "before": [
              {"text": "Help", "at": 1, "count": 1},
              {"text": "€ 420", "at": 1, "count": 1},
              {"text": "Home", "at": 2, "count": 1},
              {"text": "Hallam", "at": 2, "count": 2},
              {"text": "Marlin Courier", "at": 3, "count": 1}
            ],
            "after": [
              {"text": "Hallam", "at": 1, "count": 2},
              {"text": "Van Aal", "at": 1, "count": 1},
              {"text": "€ 690", "at": 2, "count": 1},
              {"text": "€ 180", "at": 2, "count": 1},
              {"text": "Oostkaai City", "at": 3, "count": 1}
            ]
          },
          {
            "field": "maker",
            "chances": 3,
            "values": 3,
            "pages": 1,
            "sampled": 3,
            "distinct": 2,
            "length": 1.9904,
            "length_sd": 0.0629,
            "start": [],
            "end": [],
            "start_shapes": [],
            "end_shapes": [],
            "examples": ["Hallam", "Van Aal"],
            "element": "p.maker",
            "position": 0.5909,
            "position_sd": 0.2227,
            "before": [
              {"text": "Marlin Courier", "at": 1, "count": 1},
              {"text": "Hallam Tourer", "at": 1, "count": 1},
              {"text": "Help", "at": 2, "count": 1},
              {"text": "€ 420", "at": 2, "count": 1},
              {"text": "Home", "at": 3, "count": 1}
            ],
            "after": [
              {"text": "€ 690", "at": 1, "count": 1},
              {"text": "€ 180", "at": 1, "count": 1},
              {"text": "Oostkaai City", "at": 2, "count": 1},
              {"text": "Van Aal", "at": 3, "count": 1}
            ]
          },
          {
            "field": "price",
            "chances": 3,
            "values": 3,
            "pages": 1,
            "sampled": 3,
            "distinct": 3,
            "length": 2.0794,
            "length_sd": 0,
            "start": [{"pattern": "€ _Number_", "count": 3}],
            "end": [{"pattern": "€ _Number_", "count": 3}],
            "start_shapes": [{"pattern": "€ _Number_", "count": 3}],
            "end_shapes": [{"pattern": "€ _Number_", "count": 3}],
            "examples": ["€ 420", "€ 690", "€ 180"],
            "element": "p.price",
            "position": 0.6818,
            "position_sd": 0.2227,
            "before": [
              {"text": "Hallam", "at": 1, "count": 2},
              {"text": "Marlin Courier", "at": 2, "count": 1},
              {"text": "Hallam Tourer", "at": 2, "count": 1},
              {"text": "Help", "at": 3, "count": 1},
              {"text": "€ 420", "at": 3, "count": 1}
            ],
            "after": [
              {"text": "Oostkaai City", "at": 1, "count": 1},
              {"text": "Van Aal", "at": 2, "count": 1},
              {"text": "€ 180", "at": 3, "count": 1}
            ]
          },
          {
            "field": "other[]",
            "chances": 3,
            "values": 0,
            "pages": 0,
            "sampled": 0,
            "distinct": 0,
            "length": 0,
            "length_sd": 0,
            "start": [],
            "end": [],
            "start_shapes": [],
            "end_shapes": [],
            "examples": []
          },
          {
            "field": "title_url",
            "chances": 3,
            "values": 3,
            "pages": 1,
            "sampled": 3,
            "distinct": 3,
            "length": 1.6094,
            "length_sd": 0,
            "start": [{"pattern": "/ b", "count": 3}],
            "end": [{"pattern": "/ _Number_", "count": 3}],
            "start_shapes": [{"pattern": "/ _Lower_", "count": 3}],
            "end_shapes": [{"pattern": "/ _Number_", "count": 3}],
            "examples": ["/b/1", "/b/2", "/b/3"],
            "position": 0.5,
            "position_sd": 0.2227,
            "before": [
              {"text": "Help", "at": 1, "count": 1},
              {"text": "€ 420", "at": 1, "count": 1},
              {"text": "Home", "at": 2, "count": 1},
              {"text": "Hallam", "at": 2, "count": 2},
              {"text": "Marlin Courier", "at": 3, "count": 1}
            ],
            "after": [
              {"text": "Hallam Tourer", "at": 1, "count": 1},
              {"text": "Oostkaai City", "at": 1, "count": 1},
              {"text": "Hallam", "at": 2, "count": 2},
              {"text": "Van Aal", "at": 2, "count": 1},
              {"text": "€ 690", "at": 3, "count": 1}
            ]
          }
        ]
      },
      "version": 1,
      "history": []
    }

Further pages add their variants.

    $ thresh learn --date 2026-01-02 -o more.json 1.html none.html 2.html
    ! thresh: none.html: no matching list on this page
    ! thresh: learnt from 5 records on 2 pages
    $ thresh extract -w more.json 2.html
    {"title":"Pavé Track","maker":"Pavé","price":"€ 740","badge":"reserved","other":null,"title_url":"/b/12"}
    {"title":"Linden Mixte","maker":"Linden","price":"€ 260","badge":null,"other":null,"title_url":"/b/13"}
    $ thresh show more.json 1.html | head -12
    more.json
    wrapper of engine lists
    schema
      {<title,maker,price,(badge)?,({other})?,title_url>}
    records
      html > body.list > ul.cards > li.card
      html > body.search > ul.cards > li.card
    fields
      title_url  target of h3 > a
      title      text of h3 > a
      maker      text of p.maker
      price      text of p.price

Records of several elements, told by the shape that heads each.

    $ page() { echo '<html><body><dl class=people>'; while read -r name year city; do echo "<dt><a href=/p/$name>$name</a><dd>$year<dd>$city"; done; echo '</dl></body></html>'; }
    $ printf '%s\n' 'Ada 1815 London' 'Alan 1912 Wilmslow' 'Grace 1906 Arlington' 'Edsger 1930 Nuenen' | page > a.html
    $ printf '%s\n' 'Barbara 1939 Boston' 'Donald 1938 Milwaukee' | page > b.html
    $ thresh learn -q --date 2026-01-02 -o people.json a.html
    $ thresh extract -w people.json b.html
    {"title":"Barbara","number":"1939","text_1":"Boston","other":null,"title_url":"/p/Barbara"}
    {"title":"Donald","number":"1938","text_1":"Milwaukee","other":null,"title_url":"/p/Donald"}
    $ thresh show people.json
    wrapper of engine lists
    schema
      {<title,number,text_1,({other})?,title_url>}
    records: neighbouring elements in
      html > body > dl.people
        each from dt that begins with a to before the next
    fields
      title_url  target of dt > a
      title      text of dt > a
      number     text of dd, number 1
      text_1     text of dd, number 2
      other      all texts that no other field takes
    learnt on 2026-01-02 from
      a.html, 4 records

Another list than the best.

    $ thresh learn -q --pick 2 1.html | grep -c thresh_wrapper
    1
    $ thresh learn --pick 9 -o nine.json 1.html
    ! thresh: 1.html: has 2 lists of records, so there is no number 9: `thresh regions` shows them
    [1]
    $ ls nine.json
    ! ls: cannot access 'nine.json': No such file or directory
    [2]
    $ thresh learn -o nothing.json none.html
    ! thresh: none.html: no list of records on this page
    ! thresh: no list of records on the pages: there is nothing to learn from
    [1]
    $ ls nothing.json
    ! ls: cannot access 'nothing.json': No such file or directory
    [2]

What is wrong with a wrapper is named with its place.

    $ try() { sed "$1" bikes.json > bad.json; thresh extract -w bad.json 2.html; }
    $ try 's/"thresh_wrapper": 1/"thresh_wrapper": 9/'
    ! thresh: bad.json: thresh_wrapper: the wrapper has format version 9, and this is thresh *, which reads up to 1: use a newer thresh, or learn it again (glob)
    [1]
    $ try 's/"thresh_wrapper": 1/"thresh_wrapper": "one"/'
    ! thresh: bad.json: thresh_wrapper: must be the version of the format, a whole number from 1
    [1]
    $ try 's/"engine": "lists"/"engine": "weaver"/'
    ! thresh: bad.json: engine: unknown engine "weaver" (thresh * has lists, mdr, iepad, template, exalg, paths, softmealy, stalker, seams): use the thresh that made the wrapper, or learn it again (glob)
    [1]
    $ try 's/"path": "html[^"]*"/"path": 7/'
    ! thresh: bad.json: rules.records[0].path: must be a text
    [1]
    $ try 's/"path": "html[^"]*"/"path": "html > > li"/'
    ! thresh: bad.json: rules.records[0].path: is not a path: steps are tags with or without a class, such as "html > body > div.hit"
    [1]
    $ try 's/"path": "p.maker"/"path": "p maker"/'
    ! thresh: bad.json: rules.fields[2].path: is not a path: steps are tags with or without a class, such as "div.price > b"
    [1]
    $ try 's/"kind": "image"/"kind": "sound"/; s/"kind": "link"/"kind": "sound"/'
    ! thresh: bad.json: rules.fields[0].kind: must be one of text, link, image, attribute, rest
    [1]
    $ try 's/"kind": "tuple"/"kind": "pair"/'
    ! thresh: bad.json: schema at schema.item: "kind" must be field, tuple, list, optional or choice
    [1]
    $ try 's/{"name": "price", "kind": "text"/{"name": "cost", "kind": "text"/'
    ! thresh: bad.json: rules.fields[3]: the schema has no member "cost"
    [1]
    $ try 's/"digest": "[^"]*"/"digest": "beef"/'
    ! thresh: bad.json: provenance.pages[0].digest: must be 16 hexadecimal digits, such as "00c0ffee00c0ffee"
    [1]
    $ try 's/"records": \[/"records": [], "old": [/'
    ! thresh: bad.json: rules.records: must be an array of 1 to 1000 items
    [1]
    $ head -c 300 bikes.json > bad.json; thresh extract -w bad.json 2.html
    ! thresh: bad.json: is not valid JSON: line 11, column 44: premature end of input near '"'
    [1]
    $ thresh show bad.json
    ! thresh: bad.json: wrapper: is not valid JSON: line 11, column 44: premature end of input near '"'
    [1]
    $ echo '[]' > bad.json; thresh extract -w bad.json 2.html
    ! thresh: bad.json: is not a wrapper: `thresh learn` makes one
    [1]
    $ echo '{}' > bad.json; thresh extract -w bad.json 2.html
    ! thresh: bad.json: is not a wrapper: it has no "thresh_wrapper"; `thresh learn` makes one
    [1]
    $ thresh extract -w 1.html 2.html
    ! thresh: 1.html: is not a wrapper: `thresh learn` makes one
    [1]
    $ thresh extract -w missing.json 2.html
    ! thresh: missing.json: cannot be read: No such file or directory
    [1]
    $ thresh extract 2.html
    ! thresh: extract needs a wrapper: -w FILE
    ! Try `thresh extract --help` for usage.
    [2]
    $ thresh show --tree bikes.json
    ! thresh: bikes.json: is a wrapper: views and formats are for pages; the wrapper file itself is JSON
    [1]

Keys that are not known are ignored.

    $ try 's/"engine": "lists"/"engine": "auto", "note": "ours"/' | head -1
    {"title":"Pavé Track","maker":"Pavé","price":"€ 740","other":["reserved"],"title_url":"/b/12"}

Wrappers of other engines, with their rules as the papers write them.

    $ thresh learn -q --engine mdr --date 2026-01-02 -o mdr.json examples/pages/concerts.html; thresh show mdr.json
    wrapper of engine mdr
    schema
      {<title,players,date,(price)?,(note)?,({other})?,title_url,datetime>}
    region of 1-node combinations below /html/body/main/section.events
      generalized node: article.event
      tag strings: <article h3 a p time span>
    each generalized node is a record; seen: 6 generalized nodes, 6 records
    fields
      title_url  target of h3 > a
      title      text of h3 > a
      players    text of p.players
      datetime   attribute datetime of time
      date       text of time
      price      text of span.price
      note       text of div.note
      other      all texts that no other field takes
    learnt on 2026-01-02 from
      examples/pages/concerts.html, 6 records
    $ thresh extract -w mdr.json -f table examples/pages/concerts.html
    title                    players                  date          price  note            other  title_url  datetime
    ───────────────────────  ───────────────────────  ────────────  ─────  ──────────────  ─────  ─────────  ──────────
    Sonatas by candlelight   Mira Holt, Jan Vos       Fri 6 March   £ 18                          /c/310     2026-03-06
    Brass on the water       Harbour Brass            Sat 7 March   £ 12   outdoors               /c/311     2026-03-07
    Winter & spring songs    Ana Ferreira, Quay Trio  Fri 13 March  £ 22   few seats left         /c/312     2026-03-13
    Open rehearsal           Tidewater Youth Band     Sun 15 March                                /c/313     2026-03-15
    Eight strings            Duo Lindqvist            Fri 20 March  £ 16                          /c/314     2026-03-20
    Long night of the organ  Six organists            Sat 28 March  £ 9    until 4 am             /c/315     2026-03-28
    $ thresh learn -q --engine iepad --date 2026-01-02 -o iepad.json examples/pages/concerts.html; thresh show iepad.json
    wrapper of engine iepad
    schema
      {<(text_1)?,(text_2)?,(text_3)?,(text_4)?,(text_5)?,(text_6)?,(link_1)?,(link_2)?>}
    records: what matches, with the fields of each pattern
      <article><h3><TEXT></h3><p><TEXT></p><TEXT>[<div>|-][<TEXT>|-][</div>|-]</article>[<div>|-][<TEXT>|-][</div>|-]    text_2, text_5
        <a><TEXT></a>    link_1, text_1
        <time><TEXT></time>[<span>|-][<TEXT>|-][</span>|-]    text_3, text_4
        <a><TEXT></a>    link_2, text_6
    learnt on 2026-01-02 from
      examples/pages/concerts.html, 6 records
    $ thresh extract -w iepad.json examples/pages/concerts.html | head -2
    {"text_1":"Sonatas by candlelight","text_2":"Mira Holt, Jan Vos","text_3":"Fri 6 March","text_4":"£ 18","text_5":null,"text_6":null,"link_1":"/c/310","link_2":null}
    {"text_1":"Brass on the water","text_2":"Harbour Brass","text_3":"Sat 7 March","text_4":"£ 12","text_5":"outdoors","text_6":"Dockside Bakery: open until the last encore","link_1":"/c/311","link_2":"https://bakery.example/"}
    $ echo '<p>Nothing tonight.' > none.html; thresh extract -w iepad.json none.html; thresh extract -w mdr.json none.html
    ! thresh: none.html: no records: this wrapper finds none on this page
    ! thresh: none.html: no records: this wrapper finds none on this page

A second page adds the records that IEPAD's rule of the first one misses; its slots keep their names.

    $ hits() { echo '<html><body><div>'; for n in $1; do echo "<li><a href=/$n>title $n</a><p>by $n</p></li>"; done; for n in $2; do echo "<li><p>new</p><a href=/$n>title $n</a><p>by $n</p></li>"; done; echo '</div></body></html>'; }
    $ hits '1 2 3 4 5' '' > 1.html; hits '1 2 3' '6 7 8' > 2.html; hits '4 5' '9' > 3.html
    $ thresh learn --engine iepad --date 2026-01-02 -o one.json 1.html
    ! thresh: learnt from 5 records on 1 page
    $ thresh extract -w one.json 3.html
    {"text_1":"title 4","text_2":"by 4","link_1":"/4"}
    {"text_1":"title 5","text_2":"by 5","link_1":"/5"}
    $ thresh learn --engine iepad --date 2026-01-02 -o two.json 1.html 2.html
    ! thresh: learnt from 11 records on 2 pages
    $ thresh extract -w two.json 3.html
    {"text_1":"title 4","text_2":"by 4","text_3":null,"link_1":"/4"}
    {"text_1":"title 5","text_2":"by 5","text_3":null,"link_1":"/5"}
    {"text_1":"title 9","text_2":"by 9","text_3":"new","link_1":"/9"}
    $ thresh show two.json
    wrapper of engine iepad
    schema
      {<(text_1)?,(text_2)?,(text_3)?,(link_1)?>}
    records: what matches, with the fields of each pattern
      <li><TEXT><p><TEXT></p></li>    text_2
        <a><TEXT></a>    link_1, text_1
      <li>[<p>|-][<TEXT>|-][</p>|-]<TEXT><p><TEXT></p></li>    text_3, text_2
        <a><TEXT></a>    link_1, text_1
    learnt on 2026-01-02 from
      1.html, 5 records
      2.html, 6 records

As published.

    $ thresh learn -q --engine iepad --paper --date 2026-01-02 -o paper.json 1.html; grep -A4 -e '"options"' -e '"levels"' paper.json
        "levels": ["block-level", "all-tag"],
        "skip_hidden": false,
        "media_as_text": false,
        "last_record": false,
        "fields": [
    --
        "options": {"pick": 1, "paper": true},
        "pages": [{"page": "1.html", "digest": "1aa52c8f1919d0ec", "records": 5}]
      },
      "profile": {
        "pages": 1,
    $ row() { for n in $*; do printf '<tr><td><b>%s</b><i>new</i><p>about %s' $n $n; done; }
    $ { echo '<div><form>1</form><form>2</form></div><table>'; row 1 2 3; echo '</table>'; } > table.html
    $ { echo '<table>'; row 4 5; echo '</table>'; } > more.html
    $ thresh learn -q --engine mdr --paper --threshold 0.25 --date 2026-01-02 -o paper.json table.html; thresh show paper.json
    wrapper of engine mdr
    schema
      {<title,text_1,({other})?>}
    region of 1-node combinations below /table
      generalized node: tr
      tag strings: <tr td b i p>
    only nodes of table and form tags
    each generalized node is a record; seen: 3 generalized nodes, 3 records
    fields
      title   text of td
      text_1  text of td > p
      other   all texts that no other field takes
    learnt on 2026-01-02 from
      table.html, 3 records
    $ grep -e threshold -e table_tags -e '"options"' paper.json
          "threshold": 0.25,
          "class_threshold": 0.25,
          "table_tags": true,
        "options": {"pick": 1, "paper": true, "threshold": 0.25},
    $ thresh extract -w paper.json more.html
    {"title":"4new","text_1":"about 4","other":null}
    {"title":"5new","text_1":"about 5","other":null}
    $ thresh learn -q --engine mdr --paper examples/pages/concerts.html
    ! thresh: no list of records on the pages: there is nothing to learn from
    [1]
    $ thresh learn -q --paper 1.html
    ! thresh: --paper needs --engine mdr, iepad, exalg, softmealy or stalker, not auto
    ! Try `thresh learn --help` for usage.
    [2]
    $ thresh learn -q --engine iepad --combination 3 1.html
    ! thresh: --combination needs --engine mdr, not iepad
    ! Try `thresh learn --help` for usage.
    [2]

What is wrong with their rules is named with its place, and a wrapper of one engine is none of another.

    $ try() { sed "$2" $1.json > bad.json; thresh extract -w bad.json 2.html; }
    $ try mdr 's/"cut": "whole"/"cut": "apart"/'
    ! thresh: bad.json: rules.region.cut: must be one of whole, children, columns, mixed
    [1]
    $ try mdr 's/"threshold": 0.3/"threshold": "low"/'
    ! thresh: bad.json: rules.region.threshold: must be a number from 0 to 2
    [1]
    $ try mdr 's/"prototypes": \["article/"prototypes": ["article  /'
    ! thresh: bad.json: rules.region.parts[0].prototypes[0]: must be names of tags, separated by single blanks
    [1]
    $ try mdr 's/"path": "html/"path": "html  /'
    ! thresh: bad.json: rules.region.parts[0].parent.path: must be names of tags, separated by single blanks
    [1]
    $ try iepad 's/"all-tag"/"some-tag"/'
    ! thresh: bad.json: rules.levels[1]: must be one of all-tag, no-physical, no-special, no-logical, block-level
    [1]
    $ try iepad 's/<article><h3>/article<h3>/'
    ! thresh: bad.json: rules.patterns[0].pattern: character 1: expected <; a pattern is a row of <tag>, </tag> and <TEXT>, and of sets such as [<b>|<i>|-]
    [1]
    $ try iepad 's/"column": 2,/"column": 200,/'
    ! thresh: bad.json: rules.patterns[0].columns[0].column: the pattern has no such column
    [1]
    $ try iepad 's/"kind": "link"/"kind": "sound"/'
    ! thresh: bad.json: rules.fields[0].kind: must be one of text, link, image
    [1]
    $ try iepad 's/"name": "text_2", "kind"/"name": "text_9", "kind"/'
    ! thresh: bad.json: rules.fields: the chosen fields, texts before links and images, must be the members of the schema's records
    [1]
    $ try paper 's/"paper": true/"paper": "yes"/'
    ! thresh: bad.json: provenance.options.paper: must be true or false
    [1]
    $ try mdr 's/"engine": "mdr"/"engine": "iepad"/'
    ! thresh: bad.json: rules.levels: must be an array of 1 to 3 items
    [1]
    $ try iepad 's/"engine": "iepad"/"engine": "auto"/'
    ! thresh: bad.json: rules.records: must be an array of 1 to 1000 items
    [1]
    $ try iepad 's/"engine": "iepad"/"engine": "mdr"/'
    ! thresh: bad.json: rules.region: is missing: an object
    [1]
