A wrapper is learnt with a profile, verified on other pages, and repaired when the site has changed.

    $ item() { printf '<li class="%s"><h3><a href="/b/%s">%s</a></h3><p class=%s>%s<p class=price>$ %s.95\n' "$1" "$3" "$4" "$2" "$5" "$6"; }
    $ page() { echo "<html><body><ul class=nav><li><a href=/>Home</a><li><a href=/help>Help</a></ul><ul class=$1>"; i=0; while [ $i -lt 12 ]; do n=$(($4 + $i)); item $2 $3 $n "Book Number $n of Many" "Anna Field and Carl Moor" $(($n * 3)); i=$(($i + 1)); done; echo '</ul></body></html>'; }
    $ page books book author 100 > 1.html; page books book author 200 > 2.html; page books book author 300 > 3.html
    $ page books book author 400 > same.html; page list entry by 500 > moved.html
    $ sed 's/<ul class=list/<div class=list/; s|<li \(class.*\)|<div \1</div>|' moved.html > new.html
    $ thresh learn -q --date 2026-01-02 -o w.json 1.html 2.html 3.html
    $ thresh show --profile w.json
    profile of 3 pages, 36 records (12 to 12 per page)
    97% of the text of the pages is in values
    title
      36 values, never missing, about 23 bytes each (23 to 23), 36 of 36 differ
      begins  Book Number _Number_ (36)
      ends    _Number_ of Many (36)
      most have Book, Number, of, Many
      before  Anna Field and Carl Moor (36)
      such as Book Number 100 of Many | Book Number 104 of Many | Book Number 108 of Many
    author
      36 values, never missing, about 24 bytes each (24 to 24), 1 of 36 differ
      begins  Anna Field and (36)
      ends    and Carl Moor (36)
      most have Anna, Field, and, Carl, Moor
      such as Anna Field and Carl Moor
    price
      36 values, never missing, about 8 bytes each (8 to 8), 36 of 36 differ
      begins  $ _Number_ (36)
      ends    $ _Number_ (36)
      behind  Anna Field and Carl Moor (36)
      such as $ 300.95 | $ 312.95 | $ 324.95
    other[]
      0 values
    title_url
      36 values, never missing, about 6 bytes each (6 to 6), 36 of 36 differ
      begins  / b (36)
      ends    / _Number_ (36)
      such as /b/100 | /b/104 | /b/108
    $ thresh verify -w w.json same.html
    fine: the pages match the profile: 1 page, 12 records
      ok     records: 12 records; pages without records: 0 of 1, before: 0 of 3
      ok     title: values have about 23 bytes, before: 23
      ok     author: values have about 24 bytes, before: 24
      ok     price: values have about 9 bytes, before: 8
      n/a    other[]: had no values before
      ok     title_url: 12 of 12 values are present (100%), before: 100%
    $ thresh verify -w w.json -f json same.html
    {"verdict":"fine","drift":false,"pages":1,"records":12,"explained":0.9711,"explained_before":0.9706,"alpha":0.01,"evidence":[{"field":null,"drift":false,"changed":false,"test":"records","p":1,"words":"12 records; pages without records: 0 of 1, before: 0 of 3","examples":[]},{"field":"title","drift":false,"changed":false,"test":"length","p":1,"words":"values have about 23 bytes, before: 23","examples":["Book Number 400 of Many","Book Number 402 of Many","Book Number 405 of Many"]},{"field":"author","drift":false,"changed":false,"test":"length","p":1,"words":"values have about 24 bytes, before: 24","examples":["Anna Field and Carl Moor","Anna Field and Carl Moor","Anna Field and Carl Moor"]},{"field":"price","drift":false,"changed":false,"test":"length","p":1,"words":"values have about 9 bytes, before: 8","examples":["$ 1200.95","$ 1206.95","$ 1215.95"]},{"field":"other[]","drift":false,"changed":false,"test":"none","p":1,"words":"had no values before","examples":[]},{"field":"title_url","drift":false,"changed":false,"test":"missing","p":1,"words":"12 of 12 values are present (100%), before: 100%","examples":["/b/400","/b/402","/b/405"]}]}
    $ thresh verify -w w.json new.html
    drift: the pages no longer match the profile: 1 page, 0 records
      DRIFT  records: 0 records; pages without records: 1 of 1, before: 0 of 3
      n/a    title: no records to check
      n/a    author: no records to check
      n/a    price: no records to check
      n/a    other[]: had no values before
      n/a    title_url: no records to check
    [3]

Where records are still found, a field whose place changed is found by what its values look like. Nothing is held back, and
the verdict says so.

    $ thresh verify -w w.json moved.html
    changed: the pages have changed, but the records look correct: 1 page, 12 records
      ok     records: 12 records; pages without records: 0 of 1, before: 0 of 3
      ok     title: values have about 23 bytes, before: 23
      note   author: 12 of 12 values have moved and were found by their appearance; `thresh repair` makes rules for them
               now: Anna Field and Carl Moor
               now: Anna Field and Carl Moor
               now: Anna Field and Carl Moor
      ok     price: values have about 9 bytes, before: 8
      n/a    other[]: had no values before
      ok     title_url: 12 of 12 values are present (100%), before: 100%
    $ thresh extract --verify -w w.json moved.html | head -1
    {"title":"Book Number 500 of Many","author":"Anna Field and Carl Moor","price":"$ 1500.95","other":null,"title_url":"/b/500"}
    ! thresh: changed: author: 12 of 12 values have moved and were found by their appearance; `thresh repair` makes rules for them
    $ thresh monitor --date 2026-01-04 -w w.json moved.html
    {"date":"2026-01-04","wrapper":"w.json","version":1,"pages":1,"failed":0,"records":12,"verdict":"changed","drifting":[],"changed":[{"field":"author","test":"moved","words":"12 of 12 values have moved and were found by their appearance; `thresh repair` makes rules for them"}]}
    $ sed 's/<p class=price>.*//' same.html > less.html; thresh verify -w w.json less.html
    changed: the pages have changed, but the records look correct: 1 page, 12 records
      ok     records: 12 records; pages without records: 0 of 1, before: 0 of 3
      ok     title: values have about 23 bytes, before: 23
      ok     author: values have about 24 bytes, before: 24
      note   price: 0 of 12 values are present (0%), before: 100%; no text near the records looks like them (p = 2.4e-15)
      n/a    other[]: had no values before
      ok     title_url: 12 of 12 values are present (100%), before: 100%
    $ thresh verify -w w.json --alpha 0.0000000001 same.html new.html | head -2
    fine: the pages match the profile: 2 pages, 12 records
      ok     records: 12 records; pages without records: 1 of 2, before: 0 of 3

Output of a site that has changed is held back, on standard output and in files.

    $ sed 's/Anna Field and Carl Moor/99 4.5 x 12/' same.html > odd.html
    $ thresh extract -q --verify -w w.json -f csv same.html | tr -d '\r' | head -2
    title,author,price,other,title_url
    Book Number 400 of Many,Anna Field and Carl Moor,$ 1200.95,,/b/400
    $ thresh extract --verify -w w.json odd.html
    ! thresh: drift: author: values have about 11 bytes, before: 24
    ! thresh: the site has changed: no records were written; --anyway writes them
    [3]
    $ echo old > out.csv; thresh extract -q --verify -w w.json -o out.csv odd.html; echo $?; cat out.csv
    3
    old
    $ thresh extract -q --verify --anyway -w w.json -f csv odd.html | tr -d '\r' | head -3
    title,author,price,other,title_url
    Book Number 400 of Many,99 4.5 x 12,$ 1200.95,,/b/400
    Book Number 401 of Many,99 4.5 x 12,$ 1203.95,,/b/401

One field only: authors stand elsewhere, all else is as it was. Rules of what did not break are kept.

    $ page books book writer 600 > part.html; page books book writer 700 > part2.html
    $ thresh verify -w w.json part.html part2.html
    changed: the pages have changed, but the records look correct: 2 pages, 24 records
      ok     records: 24 records; pages without records: 0 of 2, before: 0 of 3
      ok     title: values have about 23 bytes, before: 23
      note   author: 24 of 24 values have moved and were found by their appearance; `thresh repair` makes rules for them
               now: Anna Field and Carl Moor
               now: Anna Field and Carl Moor
               now: Anna Field and Carl Moor
      ok     price: values have about 9 bytes, before: 8
      n/a    other[]: had no values before
      ok     title_url: 24 of 24 values are present (100%), before: 100%
    $ thresh repair --date 2026-01-03 -w w.json -o part.json part.html part2.html
    repaired: the new wrapper reads the pages as the old one did
      kept      title: Book Number 600 of Many
      repaired  author: Anna Field and Carl Moor
      kept      price: $ 1800.95
      kept      title_url: /b/600
    $ thresh show part.json | sed -n '/^fields/,$p'
    fields
      author     text of p.writer
      other      all texts that no other field takes
      title_url  target of h3 > a
      title      text of h3 > a
      price      text of p.price
    learnt on 2026-01-03 from
      part.html, 12 records
      part2.html, 12 records
    version 2 of 2026-01-03
      author: repaired, now such as "Anna Field and Carl Moor"
    $ thresh extract -w part.json -f ndjson part.html | head -1
    {"title":"Book Number 600 of Many","author":"Anna Field and Carl Moor","price":"$ 1800.95","other":null,"title_url":"/b/600"}

A repair of all, and nothing to repair.

    $ thresh repair --date 2026-01-03 -w w.json -o w2.json new.html
    repaired: the new wrapper reads the pages as the old one did
      repaired  title: Book Number 500 of Many
      repaired  author: Anna Field and Carl Moor
      repaired  price: $ 1500.95
      repaired  title_url: /b/500
    $ thresh verify -w w2.json new.html | head -1
    fine: the pages match the profile: 1 page, 12 records
    $ thresh extract -w w2.json new.html | head -1
    {"title":"Book Number 500 of Many","author":"Anna Field and Carl Moor","price":"$ 1500.95","other":null,"title_url":"/b/500"}
    $ thresh show w2.json | tail -7
    learnt on 2026-01-03 from
      new.html, 12 records
    version 2 of 2026-01-03
      title: repaired, now such as "Book Number 500 of Many"
      author: repaired, now such as "Anna Field and Carl Moor"
      price: repaired, now such as "$ 1500.95"
      title_url: repaired, now such as "/b/500"
    $ thresh repair -w w2.json -o w3.json new.html; ls w3.json 2>/dev/null
    fine: nothing to repair
    [2]
    $ thresh repair -f json --date 2026-01-03 -w w.json -o w2.json new.html
    {"outcome":"repaired","version":2,"fields":[{"field":"title","outcome":"repaired","likeness":1,"example":"Book Number 500 of Many"},{"field":"author","outcome":"repaired","likeness":1,"example":"Anna Field and Carl Moor"},{"field":"price","outcome":"repaired","likeness":0.99,"example":"$ 1500.95"},{"field":"title_url","outcome":"repaired","likeness":1,"example":"/b/500"}]}

Where nothing is found, nothing is written.

    $ echo '<html><body><p>Closed for good.</p></body></html>' > closed.html
    $ thresh repair -w w.json -o never.json closed.html
    broken: no wrapper reads the pages as the old one did; the best attempt:
      no records like the old ones
    [3]
    $ test -e never.json || echo nothing written
    nothing written

Another list is no repair, though it has names and links too.

    $ thresh learn -q -o concerts.json examples/pages/concerts.html
    $ thresh repair -w concerts.json -o never.json examples/pages/bikes.html
    broken: no wrapper reads the pages as the old one did; the best attempt:
      lost      title
      repaired  players: Marlin Courier 54
      lost      date
      lost      price
      repaired  note: steel, new chain, mudguards
      repaired  title_url: /bikes/4101
      lost      datetime
    [3]
    $ test -e never.json || echo nothing written
    nothing written

Monitoring: one line a run. A wrapper that was repaired takes the place of the old one.

    $ thresh monitor --date 2026-01-04 --records r.csv -w w.json same.html; tail -1 r.csv | tr -d '\r'
    {"date":"2026-01-04","wrapper":"w.json","version":1,"pages":1,"failed":0,"records":12,"verdict":"fine","drifting":[],"changed":[]}
    Book Number 411 of Many,Anna Field and Carl Moor,$ 1233.95,,/b/411
    $ thresh monitor --date 2026-01-05 --records r.csv -w w.json new.html
    {"date":"2026-01-05","wrapper":"w.json","version":1,"pages":1,"failed":0,"records":0,"verdict":"drift","drifting":[{"field":"records","test":"records","words":"0 records; pages without records: 1 of 1, before: 0 of 3"}],"changed":[]}
    ! thresh: the site has changed: no records were written
    [3]
    $ tail -1 r.csv | tr -d '\r'
    Book Number 411 of Many,Anna Field and Carl Moor,$ 1233.95,,/b/411
    $ thresh monitor --date 2026-01-05 --repair --records r.csv -w w.json new.html; tail -1 r.csv | tr -d '\r'
    {"date":"2026-01-05","wrapper":"w.json","version":2,"pages":1,"failed":0,"records":12,"verdict":"repaired","drifting":[{"field":"records","test":"records","words":"0 records; pages without records: 1 of 1, before: 0 of 3"}],"changed":[],"repair":{"outcome":"repaired","version":2,"fields":[{"field":"title","outcome":"repaired","likeness":1,"example":"Book Number 500 of Many"},{"field":"author","outcome":"repaired","likeness":1,"example":"Anna Field and Carl Moor"},{"field":"price","outcome":"repaired","likeness":0.99,"example":"$ 1500.95"},{"field":"title_url","outcome":"repaired","likeness":1,"example":"/b/500"}]}}
    Book Number 511 of Many,Anna Field and Carl Moor,$ 1533.95,,/b/511
    $ thresh monitor --date 2026-01-06 -w w.json new.html
    {"date":"2026-01-06","wrapper":"w.json","version":2,"pages":1,"failed":0,"records":12,"verdict":"fine","drifting":[],"changed":[]}

A repair that loses a field is drift: wrapper and records stay as they were. `--allow-lost` accepts it. Columns that the old
wrapper does not have are given when they are asked for.

    $ thresh learn -q --date 2026-01-02 -o lost.json 1.html 2.html 3.html; cp lost.json before.json; echo old > lost.csv
    $ sed 's|<p class=price>.*</div>|<p class=isbn>ISBN 978-3</p></div>|' new.html > lost.html
    $ thresh monitor --date 2026-01-05 --repair --records lost.csv -w lost.json lost.html
    {"date":"2026-01-05","wrapper":"lost.json","version":1,"pages":1,"failed":0,"records":0,"verdict":"drift","drifting":[{"field":"records","test":"records","words":"0 records; pages without records: 1 of 1, before: 0 of 3"}],"changed":[],"repair":{"outcome":"broken","version":1,"fields":[{"field":"title","outcome":"repaired","likeness":1,"example":"Book Number 500 of Many"},{"field":"author","outcome":"repaired","likeness":1,"example":"Anna Field and Carl Moor"},{"field":"price","outcome":"lost","likeness":0,"example":null},{"field":"title_url","outcome":"repaired","likeness":1,"example":"/b/500"}]}}
    ! thresh: the site has changed: no records were written
    [3]
    $ cmp lost.json before.json; cat lost.csv
    old
    $ thresh repair -w lost.json -o never.json lost.html; test -e never.json || echo nothing written
    broken: the best new wrapper loses 1 of 4 fields and is not used; --allow-lost accepts it
      repaired  title: Book Number 500 of Many
      repaired  author: Anna Field and Carl Moor
      lost      price
      repaired  title_url: /b/500
    nothing written
    $ thresh repair --allow-lost -w lost.json -o lost2.json lost.html; thresh extract -w lost2.json lost.html | head -1
    repaired: the new wrapper reads the pages as the old one did, except 1 of 4 fields
      repaired  title: Book Number 500 of Many
      repaired  author: Anna Field and Carl Moor
      lost      price
      repaired  title_url: /b/500
    {"title":"Book Number 500 of Many","author":"Anna Field and Carl Moor","price":null,"other":["ISBN 978-3"],"title_url":"/b/500"}
    $ thresh repair -q --allow-lost --new-fields -w lost.json -o lost3.json lost.html > found.txt; thresh extract -w lost3.json lost.html | head -1
    {"title":"Book Number 500 of Many","author":"Anna Field and Carl Moor","price":null,"other":null,"title_url":"/b/500","isbn":"ISBN 978-3"}

Odd input: a wrapper without a profile, no pages, empty pages, one value.

    $ sed '/^  "profile"/,/^  },/d' w2.json > bare.json; thresh verify -w bare.json new.html
    ! thresh: bare.json: has no profile: learn it again, or add one from pages that it reads correctly with `thresh verify --profile FILE -w bare.json PAGES`
    [1]
    $ thresh repair -w bare.json -o x.json new.html
    ! thresh: bare.json: has no profile: learn it again, or add one from pages that it reads correctly with `thresh verify --profile FILE -w bare.json PAGES`
    [1]
    $ thresh show --profile bare.json
    has no profile: learn it again, or add one from pages that it reads correctly with `thresh verify --profile W.json -w W.json PAGES`
    $ thresh verify --profile bare.json -w bare.json new.html; thresh verify -w bare.json new.html | head -1
    fine: the pages match the profile: 1 page, 12 records
    $ : > empty.html; thresh verify -w w.json empty.html | head -2
    drift: the pages no longer match the profile: 1 page, 0 records
      DRIFT  records: 0 records; pages without records: 1 of 1, before: 0 of 3
    $ thresh verify -w w.json missing.html
    ! thresh: missing.html: cannot be opened: No such file or directory
    [1]
    $ thresh verify --profile no.json -w w.json empty.html
    ! thresh: the wrapper finds no values on the pages, so there is no profile
    [1]
    $ thresh verify new.html
    ! thresh: verify needs a wrapper: -w FILE
    ! Try `thresh verify --help` for usage.
    [2]
    $ thresh verify -w w.json --alpha 2 new.html
    ! thresh: --alpha cannot be '2'; it is a probability between 0 and 1
    ! Try `thresh verify --help` for usage.
    [2]
    $ thresh repair -w w.json new.html
    ! thresh: repair needs a file for the new wrapper: -o FILE
    ! Try `thresh repair --help` for usage.
    [2]
    $ thresh show --profile new.html
    ! thresh: new.html: is not a wrapper: --dot and --profile need a wrapper, which `thresh learn` makes
    [1]
    $ sed 's/"sampled": 36/"sampled": -1/' w.json > bad.json; thresh verify -w bad.json new.html
    ! thresh: bad.json: profile.fields[0].sampled: must be a whole number from 0 to 281474976710656
    [1]

With a project, verdicts are kept there:

    $ thresh project new life.thresh
    $ thresh project save -q life.thresh --name books w.json
    $ thresh verify -q --project life.thresh -w books same.html > verdict.txt
    [3]
    $ thresh extract -q --verify --project life.thresh -w books same.html | wc -l
    0
    $ thresh project list life.thresh runs | sed 's/"started".*"pages"/-/'
    {"run":2,"site":"default","command":"extract","wrapper":"books",-:1,"records":0,"verdict":"drift"}
    {"run":1,"site":"default","command":"verify","wrapper":"books",-:1,"records":0,"verdict":"drift"}

What is repaired is kept there as well, as the next version of the wrapper; monitoring keeps its records.

    $ thresh project save -q life.thresh --name shelf part.json
    $ thresh monitor -q --date 2026-01-07 --project life.thresh -w shelf part.html | cut -c 1-90
    {"date":"2026-01-07","wrapper":"shelf","version":2,"pages":1,"failed":0,"records":12,"verd
    $ thresh monitor -q --date 2026-01-07 --project life.thresh -w shelf new.html | cut -c 1-120
    {"date":"2026-01-07","wrapper":"shelf","version":2,"pages":1,"failed":0,"records":0,"verdict":"drift","drifting":[{"fiel
    $ thresh monitor --date 2026-01-07 --repair --project life.thresh -w shelf new.html | cut -c 1-120
    {"date":"2026-01-07","wrapper":"shelf","version":3,"pages":1,"failed":0,"records":12,"verdict":"repaired","drifting":[{"
    ! thresh: saved as shelf, version 2
    $ thresh repair -q --date 2026-01-08 --project life.thresh -w shelf@1 new.html | head -1
    repaired: the new wrapper reads the pages as the old one did
    $ thresh repair -q --date 2026-01-08 --project life.thresh -w w.json new.html
    ! thresh: repair needs a file for the new wrapper: -o FILE
    ! Try `thresh repair --help` for usage.
    [2]
    $ ls shelf
    ! ls: cannot access 'shelf': No such file or directory
    [2]
    $ thresh project list life.thresh wrappers | sed 's/"added":"[^"]*"/-/'
    {"site":"default","wrapper":"books","version":1,"engine":"lists",-}
    {"site":"default","wrapper":"shelf","version":1,"engine":"lists",-}
    {"site":"default","wrapper":"shelf","version":2,"engine":"lists",-}
    {"site":"default","wrapper":"shelf","version":3,"engine":"lists",-}
    $ thresh project list life.thresh runs | sed 's/"started".*"pages"/-/' | head -3
    {"run":5,"site":"default","command":"monitor","wrapper":"shelf",-:1,"records":12,"verdict":"repaired"}
    {"run":4,"site":"default","command":"monitor","wrapper":"shelf",-:1,"records":0,"verdict":"drift"}
    {"run":3,"site":"default","command":"monitor","wrapper":"shelf",-:1,"records":12,"verdict":"fine"}
    $ thresh project records life.thresh 5 | head -1
    {"title":"Book Number 500 of Many","author":"Anna Field and Carl Moor","price":"$ 1500.95","other":null,"title_url":"/b/500"}
    $ thresh project records life.thresh 77
    ! thresh: life.thresh has no run 77: `thresh project list life.thresh runs` shows them
    [1]
    $ thresh project wrapper life.thresh shelf@9
    ! thresh: shelf@9: is neither a file nor a wrapper of site default: `thresh project list life.thresh wrappers` shows them
    [1]
