Three cafés write their street in italics, the fourth in bold. After two labels, forward rules take the fourth's phone
number for its street: that page is worth a label.

    $ for n in 1 2 3; do printf 'Food:<i>Thai</i><p>Street:<i>%s Oak Lane</i><p>Phone:<i>55-%s</i>' $n $n > $n.html; done
    $ printf 'Food:<i>Pizza</i><p>Street:<b>9 Elm Road</b><p>Phone:<i>55-9</i>' > 4.html
    $ printf '{"page": "%s.html", "record": {"street": "%s Oak Lane"}}\n' 1 1 2 2 > labels.jsonl
    $ thresh learn -q --engine stalker --paper --date 2026-01-02 --labels labels.jsonl -o w.json 1.html 2.html
    $ thresh show w.json
    wrapper of engine stalker
    schema
      <street>
    rules
      street
        forward rules
          start       SkipTo(Street) SkipTo(<i>)
          end         SkipUntil(</i>)
        backward rules
          start       BackTo(_Number_ Oak)
          end         SkipUntil(</i>)
    learnt on 2026-01-02 from
      1.html, 1 record
      2.html, 1 record
    $ thresh suggest -w w.json 3.html 4.html
    {"page":"4.html","contention":1,"field":"street","doubt":1,"why":"the views differ","structure":null,"forward":"55-9","backward":null,"other":null}
    ! thresh: label 4.html next; no doubts on 1 of 2 pages
    $ thresh suggest -q -w w.json -f table 1.html 2.html 3.html 4.html
    page    contention  field   doubt  why               structure  forward  backward  other
    ──────  ──────────  ──────  ─────  ────────────────  ─────────  ───────  ────────  ─────
    4.html  1.000       street  1.000  the views differ             55-9
    $ thresh suggest -w w.json 1.html 3.html
    ! thresh: nothing left to check: no doubts on any of 2 pages

With a third label the views agree, and the rules are right on all four.

    $ printf '{"page": "4.html", "record": {"street": "9 Elm Road"}}\n' >> labels.jsonl
    $ thresh learn -q --engine stalker --paper --labels labels.jsonl -o w.json [124].html
    $ thresh suggest -w w.json [1234].html
    ! thresh: nothing left to check: no doubts on any of 4 pages
    $ thresh extract -w w.json [1234].html
    {"street":"1 Oak Lane"}
    {"street":"2 Oak Lane"}
    {"street":"3 Oak Lane"}
    {"street":"9 Elm Road"}

Without an engine named. The first page is labelled; of the others one has two authors, and one has a title that is cut
short at one of its two places.

    $ page() { printf '<title>%s</title><h1>%s</h1><h2 class=again>%s</h2><p class=by>By: <a>%s</a></p>' "$2" "$2" "$3" "$4" > $1; }
    $ page a.html 'Oak Tree' 'Oak Tree' Ann; page b.html 'Elm' 'Elm' Bea; page d.html 'Ash' 'Ash' 'Cy</a> <a>Dan'
    $ page c.html 'A very long title of a book' 'A very long...' Eve; page e.html 'Fir' 'Fir' Flo
    $ printf '{"page": "a.html", "record": {"title": "Oak Tree", "author": "Ann"}}\n' > two.jsonl
    $ thresh learn -q --labels two.jsonl -o p.json [a-e].html
    $ thresh suggest -w p.json [b-e].html
    {"page":"d.html","contention":0.5,"field":"author","doubt":0.5,"why":"several texts where there was one","structure":"Cy","forward":null,"backward":null,"other":"Cy | Dan"}
    {"page":"c.html","contention":0.388,"field":"title","doubt":0.388,"why":"other rules find something else","structure":"A very long title of a book","forward":null,"backward":null,"other":"A very long..."}
    ! thresh: label d.html next; no doubts on 2 of 4 pages
    $ printf '{"page": "d.html", "record": {"title": "Ash", "author": ["Cy", "Dan"]}}\n' >> two.jsonl
    $ printf '{"page": "c.html", "record": {"title": "A very long title of a book", "author": "Eve"}}\n' >> two.jsonl
    $ thresh learn -q --labels two.jsonl -o p.json [a-e].html
    $ thresh suggest -w p.json b.html e.html
    ! thresh: nothing left to check: no doubts on any of 2 pages
    $ thresh extract -w p.json [a-e].html
    {"title":"Oak Tree","author":["Ann"]}
    {"title":"Elm","author":["Bea"]}
    {"title":"A very long title of a book","author":["Eve"]}
    {"title":"Ash","author":["Cy","Dan"]}
    {"title":"Fir","author":["Flo"]}

A wrapper of a transducer has one view: what is missing is in doubt.

    $ thresh learn -q --engine softmealy --labels two.jsonl -o m.json [a-e].html
    $ printf '<h1>Yew</h1>' > f.html
    $ thresh suggest -w m.json b.html f.html
    {"page":"f.html","contention":0.6,"field":"author","doubt":0.6,"why":"nothing where there was always something","structure":null,"forward":null,"backward":null,"other":null}
    ! thresh: label f.html next; no doubts on 1 of 2 pages

Views of a wrapper are checked as rules are.

    $ sed '2,$d' two.jsonl > one.jsonl
    $ thresh learn -q --labels one.jsonl -o p.json [a-e].html
    $ sed 's/"weight": *[0-9]*/"weight":5000/' p.json > bad.json
    $ thresh suggest -w bad.json b.html
    ! thresh: bad.json: rules.fields[0].views[0].weight: must be a whole number from 0 to 1000
    [1]

What cannot be asked.

    $ thresh suggest 1.html
    ! thresh: suggest needs a wrapper: -w FILE
    ! Try `thresh suggest --help` for usage.
    [2]
    $ thresh suggest -w nowhere.json 1.html
    ! thresh: nowhere.json: cannot be read: No such file or directory
    [1]
    $ thresh learn -q -o bikes.json examples/pages/bikes.html
    $ thresh suggest -w bikes.json 1.html
    ! thresh: 1.html: this wrapper of engine lists was learnt without labels, so there is nothing to suggest; learn one from labels: thresh learn --labels or --example
    [1]
    $ thresh suggest -w w.json missing.html
    ! thresh: missing.html: cannot be opened: No such file or directory
    [1]
