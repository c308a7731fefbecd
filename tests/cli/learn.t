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
    wrapper of engine lists
    schema
      {<bike,price,(other:{B})?>}
    records
      html > body.list > main > ul.cards > li.card
    fields
      title_url  target of a.card-link
      image      source of a.card-link > img
      title      text of a.card-link > h3
      badge      text of span.badge
      facts      text of span, number 1, in p.facts
      facts_2    text of span, number 2, in p.facts
      facts_3    text of span, number 3, in p.facts
      note       text of p.note
      price      text of div.price
      other      all texts that no other field takes
    given
      bike  title
      price  price
      other  all that no other field takes
    next page
      number after the current one at main > nav.pages > a with rel=next, on 1 of 1 page
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
    ! thresh: 1 labelled value does not come out of the wrapper as labelled; the wrapper is written anyway
    ! thresh: price: correct in 0 of 1 labelled records. On examples/pages/bikes.html the label is "€ 420" (bytes 1284-1291) and the rules find nothing. Check that the value belongs to this record
    ! thresh: using engine lists; labelled values that it finds: lists 0.67
    ! thresh: learnt from 2 labelled records on 1 page
    [1]
    $ thresh learn -o odd.json --example bike='Used bikes' --example bike='Where' --example bike='About us' examples/pages/bikes.html
    ! thresh: using engine softmealy; labelled values that it finds, some records held out: softmealy 0.00
    ! thresh: learnt from 3 labelled records on 1 page

Pages of one record: a title that stands in three places on each page, a price behind a caption, one that is missing.

    $ book() { printf '<html><head><title>%s | Shop</title></head><body><p class=path>Home / %s</p><div id=main><h1>%s</h1><dl><dt>Author:<dd>%s%s<dt>Pages:<dd>%s</dl><p>See also <a href=/b/9>Winter Bread</a> and <a href=/b/8>Slow Rivers</a>.</div></body></html>\n' "$1" "$1" "$1" "$2" "$3" "$4"; }
    $ book 'Nine Small Boats' 'Ada Quill' '<dt>Price:<dd>€ 9.95' 120 > 1.html
    $ book 'Winter Bread' 'Jon Marsh' '' 88 > 2.html
    $ book 'Slow Rivers' 'Ida Holm' '<dt>Price:<dd>€ 14' 301 > 3.html
    $ book 'Copper Roofs' 'Per Lund' '<dt>Price:<dd>€ 7.50' 64 > 4.html
    $ thresh learn --date 2026-01-02 -o book.json --example title='Nine Small Boats' --example price='€ 9.95' --example author='Ada Quill' 1.html 2.html 3.html
    ! thresh: 1.html: record.title: "Nine Small Boats" appears in 3 places; using bytes 121-137 in <h1>
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
      title: text 1 of html > body > p.path, after "Home / "
    $ thresh learn --example title='Nine Small Boats' --at title=9 1.html 2.html
    ! thresh: record.title: "Nine Small Boats" appears in 3 places, so there is no number 9: `thresh labels` shows them
    [1]
    $ thresh learn --example title='Nine Small Boats' --at title 1.html 2.html
    ! thresh: "title" does not name a place: write FIELD=N, the N-th place that `thresh labels` shows, or FIELD=START-END, its bytes
    ! Try `thresh learn --help` for usage.
    [2]
    $ thresh learn --example title='Nine Small Boats' --at title=3-5 1.html 2.html
    ! thresh: record.title: "Nine Small Boats" is not at bytes 3-5
    [1]

A value that is on none of the pages, an empty one, and one for a list and for one value.

    $ thresh learn --example title='Nine Small Boots' --example author='Ada Quill' 1.html 2.html
    ! thresh: 1.html: the value "Nine Small Boots" of record.title is not on the page; the most similar text is "Nine Small Boats"
    [1]
    $ thresh learn --example title= 1.html
    ! thresh: example "title=" has no value; behind the values of a record, FIELD= says that it has no such field
    ! Try `thresh learn --help` for usage.
    [2]
    $ thresh learn --example title 1.html
    ! thresh: example "title" has no "=": write FIELD=VALUE, FIELD[]=VALUE or LIST.FIELD=VALUE
    ! Try `thresh learn --help` for usage.
    [2]
    $ thresh learn --example t[]=a --example t=b 1.html
    ! thresh: the examples give "t" both as a list and as something else
    ! Try `thresh learn --help` for usage.
    [2]

Labels of other pages, labels outside the page, overlapping ones, and two that cannot both be.

    $ echo '{"page": "5.html", "record": {"title": "Copper Roofs"}}' > other.jsonl
    $ thresh learn --labels other.jsonl 1.html 2.html
    ! thresh: no labels for any of these pages; they name 5.html, which must be a page as given, or its URL
    [1]
    $ echo '{"page": "1.html", "record": {"title": {"start": 5, "end": 99999}}}' > outside.jsonl
    $ thresh learn --labels outside.jsonl 1.html 2.html
    ! thresh: outside.jsonl:1: at $.record.title: span 5 to 99999 ends after the end of the page
    [1]
    $ echo '{"page": "1.html", "record": {"title": "Nine Small Boats", "noun": "Boats"}}' > over.jsonl
    $ thresh learn -q --labels over.jsonl -o over.json 1.html 2.html 3.html
    $ thresh extract -w over.json 1.html 4.html
    {"title":"Nine Small Boats","noun":"Boats"}
    {"title":"Copper Roofs","noun":"Roofs"}
    $ printf '%s\n' '{"page": "1.html", "record": {"x": "Ada Quill"}}' '{"page": "3.html", "record": {"x": "301"}}' > both.jsonl
    $ thresh learn -o both.json --labels both.jsonl 1.html 2.html 3.html
    ! thresh: 1 labelled value does not come out of the wrapper as labelled; the wrapper is written anyway
    ! thresh: x: correct on 1 of 2 labelled pages. On 3.html the label is "301" (bytes 188-191) and the rules find "Ida Holm" (bytes 146-154). Check that label, or label one more page like this one
    ! thresh: using engine paths; correct on labelled pages, each held out once: paths 0.00
    ! thresh: learnt from 2 labelled records on 2 pages, and 1 page without labels
    [1]
    $ for n in 1 2 3 4 5 6; do printf '<h1>Thing %s</h1><table><tr><td>Colour<td>red%s<tr><td>Shade<td>dark%s</table>' $n $n $n > t$n.html; done
    $ printf '{"page": "t%s.html", "record": {"name": "Thing %s", "look": "%s%s"}}\n' 1 1 red 1 2 2 dark 2 3 3 red 3 4 4 dark 4 > looks.jsonl
    $ thresh learn -o looks.json --labels looks.jsonl t[1-6].html
    ! thresh: look: one rule is correct on 2 of 4 labelled pages, but not on t2.html. Engine softmealy has more rules, which may be wrong on other pages. Check that label, or label one more page like this one
    ! thresh: t1.html: when its label is held out, engine softmealy finds 50% of it, but not look "red1" (bytes 41-45). Check that label, or label one more page like this one
    ! thresh: using engine softmealy; correct on labelled pages, each held out once: paths 0.50, softmealy 0.75, stalker at most 0.75, seams at most 0.75
    ! thresh: learnt from 4 labelled records on 4 pages, and 2 pages without labels
    $ thresh learn --labels none.jsonl 1.html
    ! thresh: none.jsonl: cannot be read: No such file or directory
    [1]
    $ thresh learn --engine stalkr --labels both.jsonl 1.html
    ! thresh: --engine cannot be 'stalkr'; it is one of auto, lists, mdr, iepad, template, exalg, softmealy, stalker, seams, paths. Did you mean stalker?
    ! Try `thresh learn --help` for usage.
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
    42:      each line that is indented further

Labels of a list page are a sample for every engine: two rows of six give six.

    $ printf '<h1>Staff</h1><table>' > t.html; for row in 'Ann Cook 11' 'Bob Maid 12' 'Cy Smith 13' 'Di Baker 14' 'Ed Clerk 15' 'Flo Nurse 16'; do printf '<tr><td>%s</td><td><i>%s</i></td><td>%s</td></tr>' $row; done >> t.html; printf '</table><p>end</p>' >> t.html
    $ echo '{"page":"t.html","records":[{"n":"Ann","j":"Cook","r":"11"},{"n":"Cy","j":"Smith","r":"13"}]}' > t.jsonl
    $ for engine in auto mdr iepad softmealy stalker; do thresh learn -q --engine $engine --labels t.jsonl -o t.json t.html && thresh extract -w t.json -f csv t.html | tr -d '\r' | cut -d, -f1-3 | paste -sd ' '; done
    n,j,r Ann,Cook,11 Bob,Maid,12 Cy,Smith,13 Di,Baker,14 Ed,Clerk,15 Flo,Nurse,16
    n,j,r Ann,Cook,11 Bob,Maid,12 Cy,Smith,13 Di,Baker,14 Ed,Clerk,15 Flo,Nurse,16
    n,j,r Ann,Cook,11 Bob,Maid,12 Cy,Smith,13 Di,Baker,14 Ed,Clerk,15 Flo,Nurse,16
    n,j,r Ann,Cook,11 Bob,Maid,12 Cy,Smith,13 Di,Baker,14 Ed,Clerk,15 Flo,Nurse,16
    n,j,r Ann,Cook,11 Bob,Maid,12 Cy,Smith,13 Di,Baker,14 Ed,Clerk,15 Flo,Nurse,16
    $ thresh learn -q --labels t.jsonl -o t.json t.html && thresh extract -w t.json t.html | wc -l
    6
    $ printf '<h1>Staff</h1><p>' > br.html; for row in 'Ann Cook 11' 'Bob Maid 12' 'Cy Smith 13' 'Di Baker 14'; do printf '<b>%s</b>: %s, %s<br>' $row; done >> br.html; printf '</p><p>end</p>' >> br.html
    $ sed 's/t.html/br.html/' t.jsonl > br.jsonl; thresh learn -q --engine stalker --labels br.jsonl -o br.json br.html; thresh extract -w br.json br.html
    {"n":"Ann","j":"Cook","r":"11"}
    {"n":"Bob","j":"Maid","r":"12"}
    {"n":"Cy","j":"Smith","r":"13"}
    {"n":"Di","j":"Baker","r":"14"}

All values of a labelled record are placed within one record, also where most values of the field are marked up otherwise.

    $ printf '<ul><li><b>Ann</b>, <i>Cook</i><li><b>Bob</b>, <i>Maid</i><li><b>Cy</b>, <i>Cook</i><li> Di, Cook</ul>' > place.html
    $ echo '{"page":"place.html","records":[{"n":"Ann","j":"Cook"},{"n":"Bob","j":"Maid"},{"n":"Di","j":"Cook"}]}' > place.jsonl
    $ for engine in softmealy stalker; do thresh learn -q --engine $engine --labels place.jsonl -o place.json place.html && thresh extract -w place.json place.html | tail -1; done
    {"n":"Di","j":"Cook"}
    {"n":"Di","j":"Cook"}

Parts of a text of a script without blanks between words are found and cut out like other parts.

    $ printf '<h2>東京都</h2><ul>' > east.html; for row in '田中太郎 渋谷区 1200' '鈴木花子 新宿区 980' '佐藤次郎 北区 15400' '山本久美 中央区 730'; do printf '<li><b>%s様</b><i>東京都%sの店</i><span>価格%s円</span></li>' $row; done >> east.html; printf '</ul>' >> east.html
    $ thresh learn -q --example name=田中太郎 --example ward=渋谷区 --example price=1200 --example name=鈴木花子 --example ward=新宿区 --example price=980 -o east.json east.html && thresh extract -w east.json east.html | tail -2
    {"name":"佐藤次郎","ward":"北区","price":"15400","other":["佐藤次郎様東京都北区の店","価格15400円"]}
    {"name":"山本久美","ward":"中央区","price":"730","other":["山本久美様東京都中央区の店","価格730円"]}
    $ echo '{"page":"east.html","record":{"place":"東京都"}}' > east.jsonl; thresh labels east.jsonl east.html
    {"place":"東京都"}
    ! thresh: east.html: record.place: "東京都" appears in 5 places: 4-13 in <h2>, 51-60 in <i>, 139-148 in <i>, 226-235 in <i>, 312-321 in <i>
    ! thresh: 1 record; values in one place: 0, in several: 1, not found: 0

A list whose columns hold the labelled values among others does not win over an engine that reads them.

    $ printf '<ul><li><b>Ann</b><li><b>Bob</b>, <i>Cook</i><li><b>Cy</b>, <i>Maid</i></ul>' > staff.html
    $ echo '{"page":"staff.html","records":[{"N":"Ann"},{"N":"Bob","A":"Cook"}]}' > staff.jsonl
    $ thresh learn --labels staff.jsonl -o staff.json staff.html
    ! thresh: using engine softmealy; finds all that is labelled; share of the list that it reads: lists 0.33, softmealy 0.84, stalker 0.84
    ! thresh: learnt from 2 labelled records on 1 page
    $ thresh extract -w staff.json staff.html
    {"N":"Ann","A":null}
    {"N":"Bob","A":"Cook"}
    {"N":"Cy","A":"Maid"}

Two labelled records of a list whose fields change places or are missing: half of what the list gives is right, and no more.

    $ printf '<ul>' > jobs.html; for row in 'ann Job: Cook, Room: 11' 'bob Room: 12, Job: Maid' 'cy Job: Smith' 'di Room: 14' 'ed Room: 15, Job: Clerk'; do printf '<li><a href=/%s>%s</a> %s</li>' "${row%% *}" "${row%% *}" "${row#* }"; done >> jobs.html; printf '</ul>' >> jobs.html
    $ echo '{"page":"jobs.html","records":[{"url":"/ann","name":"ann","job":"Cook","room":"11"},{"url":"/bob","name":"bob","job":"Maid","room":"12"}]}' > jobs.jsonl
    $ thresh learn -q --labels jobs.jsonl -o jobs.json jobs.html
    $ thresh extract -q -w jobs.json jobs.html
    {"url":"/ann","name":"ann","job":"Cook","room":"11"}
    {"url":"/bob","name":"bob","job":"Maid","room":"12"}
    {"url":"/cy","name":"cy","job":"Smith","room":null}
    {"url":"/di","name":"di","job":null,"room":"14"}
    {"url":"/ed","name":"ed","job":"Clerk","room":"15"}

Where a wrapper does not give what is labelled, that is told first, also with -q, and the exit status is 1.

    $ thresh learn --engine lists --labels staff.jsonl -o staff.json staff.html
    ! thresh: 2 labelled values do not come out of the wrapper as labelled; the wrapper is written anyway
    ! thresh: N: correct in 1 of 2 labelled records. On staff.html the label is "Bob" (bytes 25-28) and the rules find "Bob, Cook" (bytes 25-41). Label all of that text, or one more record
    ! thresh: A: correct in 0 of 1 labelled records. On staff.html the label is "Cook" (bytes 37-41) and the rules find "Bob, Cook" (bytes 25-41). Label all of that text, or one more record
    ! thresh: using engine lists; labelled values that it finds: lists 0.33
    ! thresh: learnt from 2 labelled records on 1 page
    [1]
    $ thresh learn -q --engine lists --labels staff.jsonl -o staff.json staff.html
    ! thresh: 2 labelled values do not come out of the wrapper as labelled; the wrapper is written anyway
    [1]
    $ thresh extract -w staff.json staff.html | tail -1
    {"N":"Cy, Maid","A":"Cy, Maid","other":null}

One example of the main list gives the whole list, and a note says how to learn the one record.

    $ thresh learn -o one.json --example bike='Hallam Tourer' examples/pages/bikes.html
    ! thresh: the example is one of 20 records of a list, and all of them are learnt. To learn a single record per page, use --engine paths
    ! thresh: learnt from 1 labelled record on 1 page
    $ thresh extract -w one.json examples/pages/bikes.html | wc -l
    20
    $ thresh learn --engine paths -o one.json --example bike='Hallam Tourer' examples/pages/bikes.html
    ! thresh: learnt from 1 labelled record on 1 page
    $ thresh extract -w one.json examples/pages/bikes.html
    {"bike":"Hallam Tourer"}
    $ echo '{"page":"t.html","record":{"n":"Cy"}}' > cy.jsonl; thresh learn -q --labels cy.jsonl -o one.json t.html && thresh extract -w one.json t.html
    {"n":"Cy"}
    $ printf '<h1>A book</h1><dl><dt>Publisher<dd>Knopf<dt>Pages<dd>448<dt>Language<dd>English<dt>Year<dd>2010</dl>' > book.html
    $ thresh learn -o one.json --example pages=448 book.html
    ! thresh: the example is one of 4 records of a list, and only it is learnt. To learn the whole list, give a second record of it, or use --list
    ! thresh: learnt from 1 labelled record on 1 page
    $ thresh extract -w one.json book.html
    {"pages":"448"}

Labels without a value.

    $ echo '{"page":"t.html","records":[]}' > none.jsonl; thresh learn --labels none.jsonl -o none.json t.html
    ! thresh: t.html: the labels have no value, so there is nothing to learn: give at least one, as in "records": [{"title": "a text of the page"}]
    [1]
    $ echo '{"page":"t.html","records":[{}]}' > none.jsonl; thresh learn --engine stalker --labels none.jsonl -o none.json t.html
    ! thresh: t.html: the labels have no value, so there is nothing to learn: give at least one, as in "records": [{"title": "a text of the page"}]
    [1]
    $ echo '{"page":"t.html","records":[{"n":null}]}' > none.jsonl; thresh learn --labels none.jsonl -o none.json t.html
    ! thresh: t.html: the labels have no value, so there is nothing to learn: give at least one, as in "records": [{"title": "a text of the page"}]
    [1]
    $ true > none.jsonl; thresh learn --labels none.jsonl -o none.json t.html
    ! thresh: none.jsonl has no labels: write one line per labelled page, {"page": NAME, "records": [{FIELD: VALUE}]}, or learn without labels
    [1]
    $ test -e none.json
    [1]

A place without a record: the list with advertisements between its records is not the one that is labelled.

    $ for i in 1 2 3 4 5 6; do printf '<li class=item><b>Lamp %s</b> <i>%s.50</i></li>' $i $i; [ $((i % 3)) -gt 0 ] || printf '<li class=ad><b>Rug %s</b> <i>9%s.00</i></li>' $i $i; done > lamps.html; sed -i 's/^/<ul>/; s/$/<\/ul>/' lamps.html
    $ echo '{"page":"lamps.html","records":[{"name":"Lamp 1","price":"1.50"},{"name":"Lamp 2","price":"2.50"}]}' > lamps.jsonl
    $ thresh learn -q --date 2026-01-02 --labels lamps.jsonl -o lamps.json lamps.html
    $ thresh extract -w lamps.json lamps.html | grep -c Rug
    2
    $ at=$(grep -ob 'Rug 3' lamps.html | cut -d: -f1); sed "s/}$/,\"nothing\":[{\"start\":$at,\"end\":$((at + 5))}]}/" lamps.jsonl > nothing.jsonl
    $ thresh learn -q --date 2026-01-02 --labels nothing.jsonl -o lamps.json lamps.html
    $ thresh extract -w lamps.json lamps.html
    {"name":"Lamp 1","price":"1.50","other":null}
    {"name":"Lamp 2","price":"2.50","other":null}
    {"name":"Lamp 3","price":"3.50","other":null}
    {"name":"Lamp 4","price":"4.50","other":null}
    {"name":"Lamp 5","price":"5.50","other":null}
    {"name":"Lamp 6","price":"6.50","other":null}

Where a value is, is part of labels: those of the command line or of the project.

    $ thresh learn --at title=1 examples/pages/books.html
    ! thresh: --at is part of labels: give --labels or --example
    ! Try `thresh learn --help` for usage.
    [2]
    $ thresh project new labelled.thresh; thresh project add -q labelled.thresh --no-looks examples/pages; thresh project label -q labelled.thresh examples/labels/bikes.jsonl
    $ thresh learn --project labelled.thresh --at badge
    ! thresh: "badge" does not name a place: write FIELD=N, the N-th place that `thresh labels` shows, or FIELD=START-END, its bytes
    ! Try `thresh learn --help` for usage.
    [2]

A wrapper says how many records of each page it was learnt from: eight of the list, whatever was read by engines that were tried and not taken.

    $ row() { printf '<li><a href=/%s>%s</a> <span>%s</span> <i>%s</i></li>\n' "$1" "$2" "$3" "$1"; }
    $ (echo '<ul>'; row 10 'Amber Kettle' 'fine good red blue'; row 11 'Birch Stool' 'blue small green new'; row 12 'Copper Lamp' 'worn old white good'; row 13 'Dover Chair' 'long black good red') > stock.html
    $ (row 14 'Elm Table' 'long old green wide'; row 15 'Flint Mug' 'old wide worn new'; row 16 'Grey Rug' 'fine odd small good'; row 17 'Hazel Bowl' 'good tall odd white'; echo '</ul>') >> stock.html
    $ label() { printf '{"name": "%s", "note": "%s", "n": "%s"}' "$@"; }
    $ echo "{\"page\": \"stock.html\", \"records\": [$(label 'Amber Kettle' fine 10), $(label 'Birch Stool' green 11), $(label 'Copper Lamp' good 12)]}" > stock.jsonl
    $ thresh learn -q --date 2026-01-01 --labels stock.jsonl -o stock.json stock.html
    ! thresh: 3 labelled values do not come out of the wrapper as labelled; the wrapper is written anyway
    [1]
    $ grep -e '"engine"' -e '"records": [0-9]' stock.json
      "engine": "lists",
        "pages": [{"page": "stock.html", "digest": "4413ab7ea79d6368", "records": 8}]
        "records": 8,
