Two records of a list are shown, and all twenty are found: the labels pick a list and name its columns.

    $ thresh learn --date 2026-01-02 -o bikes.json --example bike='Marlin Courier 54' --example price='€ 420' --example bike='Hallam Tourer' --example price='€ 690' examples/pages/bikes.html
    ! thresh: learnt from 2 labelled records on 1 page
    $ thresh extract -w bikes.json examples/pages/bikes.html | head -3
    {"bike":"Marlin Courier 54","price":"€ 420","other":["2019","54 cm","Ghent","steel, new chain, mudguards"]}
    {"bike":"Hallam Tourer","price":"€ 690","other":["reserved","2021","58 cm","Bruges","racks front and rear"]}
    {"bike":"Pavé Randonneur","price":"€ 1,150","other":["2022","56 cm","Ghent","hub dynamo & lights"]}
    $ thresh extract -w bikes.json examples/pages/bikes.html | wc -l
    20
    $ thresh show bikes.json
    wrapper of engine auto
    schema
      {<bike,price,(other:{B})?>}
    records
      html > body.list > main > ul.cards > li.card
    fields
      link_url  target of a.card-link
      image     source of a.card-link > img
      title     text of a.card-link > h3
      badge     text of span.badge
      facts     text of span, number 1, in p.facts
      facts_2   text of span, number 2, in p.facts
      facts_3   text of span, number 3, in p.facts
      note      text of p.note
      price     text of div.price
      other     all texts that no other field takes
    given
      bike  title
      price  price
      other  all that no other field takes
    learnt on 2026-01-02 from
      examples/pages/bikes.html, 20 records

Labels of a file do the same, and so does an engine that is named.

    $ thresh learn -q --date 2026-01-02 --labels examples/labels/bikes.jsonl -o labelled.json examples/pages/bikes.html
    $ thresh extract -w labelled.json examples/pages/bikes.html | sed -n '2p;7p;20p'
    {"bike":"Hallam Tourer","price":"€ 690","note":"racks front and rear","badge":"reserved","other":["2021","58 cm","Bruges"]}
    {"bike":"Van Aal Cargo Long","price":"€ 2,300","note":"box for two children, rain cover","badge":"new","other":["2023","one size","Ghent"]}
    {"bike":"Van Aal Cargo Short","price":"€ 1,990","note":"flat bed, 80 kg","badge":null,"other":["2022","one size","Antwerp"]}
    $ thresh learn -q --engine mdr --date 2026-01-02 --labels examples/labels/bikes.jsonl -o mdr.json examples/pages/bikes.html
    $ thresh extract -w mdr.json examples/pages/bikes.html | sed -n '2p;7p;20p'
    {"bike":"Hallam Tourer","price":"€ 690","note":"racks front and rear","badge":"reserved","other":["2021","58 cm","Bruges"]}
    {"bike":"Van Aal Cargo Long","price":"€ 2,300","note":"box for two children, rain cover","badge":"new","other":["2023","one size","Ghent"]}
    {"bike":"Hallam Sport","price":"€ 365","note":"down-tube shifters","badge":null,"other":["1987","60 cm","Ghent"]}

A value that is not of its record, and no list that has the records.

    $ thresh learn -o odd.json --example bike='Marlin Courier 54' --example bike='Hallam Tourer' --example price='€ 420' examples/pages/bikes.html
    ! thresh: examples/pages/bikes.html: records[1].price: "€ 420" does not come out of the list, which gives nothing there: check that it belongs to this record
    ! thresh: engine auto taken; labelled values that come out of it: auto 0.67
    ! thresh: learnt from 2 labelled records on 1 page
    $ thresh learn -o odd.json --example bike='Used bikes' --example bike='Where' --example bike='About us' examples/pages/bikes.html
    ! thresh: engine softmealy taken; labelled values that come out of it: softmealy 1.00
    ! thresh: learnt from 3 labelled records on 1 page

Pages of one record: a title that stands in three places on each page, a price behind a caption, one that is missing.

    $ book() { printf '<html><head><title>%s | Shop</title></head><body><p class=path>Home / %s</p><div id=main><h1>%s</h1><dl><dt>Author:<dd>%s%s<dt>Pages:<dd>%s</dl><p>See also <a href=/b/9>Winter Bread</a> and <a href=/b/8>Slow Rivers</a>.</div></body></html>\n' "$1" "$1" "$1" "$2" "$3" "$4"; }
    $ book 'Nine Small Boats' 'Ada Quill' '<dt>Price:<dd>€ 9.95' 120 > 1.html
    $ book 'Winter Bread' 'Jon Marsh' '' 88 > 2.html
    $ book 'Slow Rivers' 'Ida Holm' '<dt>Price:<dd>€ 14' 301 > 3.html
    $ book 'Copper Roofs' 'Per Lund' '<dt>Price:<dd>€ 7.50' 64 > 4.html
    $ thresh learn --date 2026-01-02 -o book.json --example title='Nine Small Boats' --example price='€ 9.95' --example author='Ada Quill' 1.html 2.html 3.html
    ! thresh: 1.html: record.title: "Nine Small Boats" stands in 3 places; taken: bytes 121-137 in h1
    ! thresh: learnt from 1 labelled record on 1 page, and 2 pages without labels
    $ thresh extract -w book.json 1.html 2.html 3.html 4.html
    {"title":"Nine Small Boats","price":"€ 9.95","author":"Ada Quill"}
    {"title":"Winter Bread","price":null,"author":"Jon Marsh"}
    {"title":"Slow Rivers","price":"€ 14","author":"Ida Holm"}
    {"title":"Copper Roofs","price":"€ 7.50","author":"Per Lund"}
    $ thresh show book.json
    wrapper of engine paths
    schema
      <title,price,author>
    fields:
      title: html > body > div > h1
      price: html > body > div > dl > dd after "Price:"
      author: html > body > div > dl > dd after "Author:"
    learnt on 2026-01-02 from
      1.html, 1 record
      2.html, 0 records
      3.html, 0 records

The place can be said by hand, and is not learnt elsewhere.

    $ thresh learn -q --date 2026-01-02 -o path.json --example title='Nine Small Boats' --at title=2 1.html 2.html 3.html
    $ thresh show path.json | sed -n '4,5p'
    fields:
      title: html > body > p.path, from behind "Home / "
    $ thresh learn --example title='Nine Small Boats' --at title=9 1.html 2.html
    ! thresh: record.title: "Nine Small Boats" stands in 3 places, and number 9 was asked for: `thresh labels` shows them
    [1]
    $ thresh learn --example title='Nine Small Boats' --at title 1.html 2.html
    ! thresh: "title" picks no place: write FIELD=N, the N-th place that `thresh labels` shows, or START-END, its bytes
    ! Try `thresh learn --help` for how it is used.
    [2]
    $ thresh learn --example title='Nine Small Boats' --at title=3-5 1.html 2.html
    ! thresh: record.title: "Nine Small Boats" does not stand in bytes 3-5
    [1]

A value that is on none of the pages, an empty one, and one for a list and for one value.

    $ thresh learn --example title='Nine Small Boots' --example author='Ada Quill' 1.html 2.html
    ! thresh: 1.html: the value "Nine Small Boots" of record.title is not on the page; the nearest text is "Nine Small Boats"
    [1]
    $ thresh learn --example title= 1.html
    ! thresh: example "title=" has no value
    ! Try `thresh learn --help` for how it is used.
    [2]
    $ thresh learn --example title 1.html
    ! thresh: example "title" has no "=": write FIELD=VALUE, FIELD[]=VALUE or LIST.FIELD=VALUE
    ! Try `thresh learn --help` for how it is used.
    [2]
    $ thresh learn --example t[]=a --example t=b 1.html
    ! thresh: the examples give "t" both as a list and as something else
    ! Try `thresh learn --help` for how it is used.
    [2]

Labels of other pages, labels outside the page, overlapping ones, and two that cannot both be.

    $ echo '{"page": "5.html", "record": {"title": "Copper Roofs"}}' > other.jsonl
    $ thresh learn --labels other.jsonl 1.html 2.html
    ! thresh: the labels are of none of these pages; they name 5.html, which must be as the page is given, or its URL
    [1]
    $ echo '{"page": "1.html", "record": {"title": {"start": 5, "end": 99999}}}' > outside.jsonl
    $ thresh learn --labels outside.jsonl 1.html 2.html
    ! thresh: outside.jsonl:1: at $.record.title: span 5 to 99999 ends past the page
    [1]
    $ echo '{"page": "1.html", "record": {"title": "Nine Small Boats", "noun": "Boats"}}' > over.jsonl
    $ thresh learn -q --labels over.jsonl -o over.json 1.html 2.html 3.html
    $ thresh extract -w over.json 1.html 4.html
    {"title":"Nine Small Boats","noun":"Boats"}
    {"title":"Copper Roofs","noun":"Roofs"}
    $ printf '%s\n' '{"page": "1.html", "record": {"x": "Ada Quill"}}' '{"page": "3.html", "record": {"x": "301"}}' > both.jsonl
    $ thresh learn -o both.json --labels both.jsonl 1.html 2.html 3.html
    ! thresh: x: right on 1 of 2 labelled pages. On 3.html the label is "301" (bytes 188-191) and the rules give "Ida Holm" (bytes 146-154). Check that label, or label one more page like this one
    ! thresh: engine paths taken; right on labelled pages, each kept back once: paths 0.00, softmealy 0.00, stalker 0.00, seams 0.00
    ! thresh: learnt from 2 labelled records on 2 pages, and 1 page without labels
    $ for n in 1 2 3 4 5 6; do printf '<h1>Thing %s</h1><table><tr><td>Colour<td>red%s<tr><td>Shade<td>dark%s</table>' $n $n $n > t$n.html; done
    $ printf '{"page": "t%s.html", "record": {"name": "Thing %s", "look": "%s%s"}}\n' 1 1 red 1 2 2 dark 2 3 3 red 3 4 4 dark 4 > looks.jsonl
    $ thresh learn -o looks.json --labels looks.jsonl t[1-6].html
    ! thresh: look: one rule is right on 2 of 4 labelled pages, and not on t2.html. Engine softmealy has more rules, which may be wrong on other pages. Check that label, or label one more page like this one
    ! thresh: t1.html: when its label is kept back, engine softmealy finds 50% of it, and not look "red1" (bytes 41-45). Check that label, or label one more page like this one
    ! thresh: engine softmealy taken; right on labelled pages, each kept back once: paths 0.50, softmealy 0.75, stalker 0.75, seams 0.50, exalg 0.50
    ! thresh: learnt from 4 labelled records on 4 pages, and 2 pages without labels
    $ thresh learn --labels none.jsonl 1.html
    ! thresh: none.jsonl: cannot be read: No such file or directory
    [1]
    $ thresh learn --engine stalkr --labels both.jsonl 1.html
    ! thresh: --engine cannot be 'stalkr'; it is one of auto, mdr, iepad, exalg, softmealy, stalker, seams, paths. Did you mean stalker?
    ! Try `thresh learn --help` for how it is used.
    [2]

A field on one page only, and a page that says that it has none.

    $ printf '%s\n' '{"page": "1.html", "record": {"title": "Nine Small Boats", "price": "€ 9.95"}}' '{"page": "2.html", "record": {"title": "Winter Bread", "price": null}}' > some.jsonl
    $ thresh learn -q -o some.json --labels some.jsonl 1.html 2.html
    $ thresh extract -w some.json 1.html 2.html 3.html 4.html
    {"title":"Nine Small Boats","price":"€ 9.95"}
    {"title":"Winter Bread","price":null}
    {"title":"Slow Rivers","price":"€ 14"}
    {"title":"Copper Roofs","price":"€ 7.50"}

A thousand labels of one list.

    $ { echo '<ul>'; for i in $(seq 1000); do echo "<li><b>n$i</b> <i>v$i</i>"; done; echo '</ul>'; } > many.html
    $ { printf '{"page": "many.html", "record": {"n": ['; for i in $(seq 999); do printf '"n%s", ' $i; done; echo '"n1000"]}}'; } > many.jsonl
    $ thresh learn -q -o many.json --labels many.jsonl many.html
    $ thresh extract -w many.json -f pages many.html | tr , '\n' | wc -l
    1001

Texts with a sign between them, and lines with those below them: `stalker` tells how it reads them.

    $ printf '<p>Tags</p><p>red and blue / 1/2 green</p>' > tags1.html; printf '<p>Tags</p><p>pink</p>' > tags2.html
    $ printf '%s\n' '{"page": "tags1.html", "record": {"tags": ["red and blue", "1/2 green"]}}' '{"page": "tags2.html", "record": {"tags": ["pink"]}}' > tags.jsonl
    $ thresh learn -q --engine stalker --date 2026-01-02 --labels tags.jsonl -o tags.json tags1.html tags2.html
    $ thresh show tags.json
    wrapper of engine stalker
    schema
      <tags:{B}>
    rules
      tags
        structure
          after "Tags", element 1 at p, at most 1 on
          element 1 at p, which begins with class lower
          element 2 at p
          last element at p
        forward rules
          start       SkipTo(</p>)
          end         SkipUntil(</p>)
        backward rules
          start       BackTo(<p>)
          end         SkipUntil(</p>)
        texts with " / " between them
        all of it
    learnt on 2026-01-02 from
      tags1.html, 1 record
      tags2.html, 1 record
    $ shops() { printf '<table><tr><td>Shops<td>%s</table>' "$1"; }
    $ shops '<b>Old Mill</b> | Bern<br>&nbsp;&nbsp;<b>Paul</b> | 4<br>&nbsp;&nbsp;<b>Anna</b> | 5<br><b>Hut</b>' > shops1.html
    $ shops '<b>Inn</b><br>&nbsp;&nbsp;<b>Rosa</b><br><b>Oak</b> | Rome' > shops2.html
    $ printf '%s\n' '{"page": "shops1.html", "record": {"shops": [{"name": "Old Mill", "town": "Bern", "by": [{"who": "Paul"}, {"who": "Anna"}]}, {"name": "Hut"}]}}' '{"page": "shops2.html", "record": {"shops": [{"name": "Inn", "by": [{"who": "Rosa"}]}, {"name": "Oak", "town": "Rome"}]}}' > shops.jsonl
    $ thresh learn -q --engine stalker --date 2026-01-02 --labels shops.jsonl -o shops.json shops1.html shops2.html
    $ thresh show shops.json | grep -n 'line'
    15:    each line
    42:      each line that begins further in
