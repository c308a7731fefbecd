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
          end         BackTo(</i> <p>)
    learnt on 2026-01-02 from
      1.html, 1 record
      2.html, 1 record
    $ thresh suggest -w w.json 3.html 4.html
    {"page":"4.html","contention":"0.600","field":"street","doubt":"0.600","structure":null,"forward":"55-9","backward":null}
    ! thresh: label 4.html next; the views agree on 1 of 2 pages
    $ thresh suggest -q -w w.json -f table 1.html 2.html 3.html 4.html
    page    contention  field   doubt  structure  forward  backward
    ──────  ──────────  ──────  ─────  ─────────  ───────  ────────
    4.html  0.600       street  0.600             55-9
    $ thresh suggest -w w.json 1.html 3.html
    ! thresh: the views agree on all of 2 pages

With a third label the views agree, and the rules are right on all four.

    $ printf '{"page": "4.html", "record": {"street": "9 Elm Road"}}\n' >> labels.jsonl
    $ thresh learn -q --engine stalker --paper --labels labels.jsonl -o w.json [124].html
    $ thresh suggest -w w.json [1234].html
    ! thresh: the views agree on all of 4 pages
    $ thresh extract -w w.json [1234].html
    {"street":"1 Oak Lane"}
    {"street":"2 Oak Lane"}
    {"street":"3 Oak Lane"}
    {"street":"9 Elm Road"}

What cannot be asked.

    $ thresh suggest 1.html
    ! thresh: suggest needs a wrapper: -w FILE
    ! Try `thresh suggest --help` for how it is used.
    [2]
    $ thresh suggest -w nowhere.json 1.html
    ! thresh: nowhere.json: cannot be read: No such file or directory
    [1]
    $ thresh learn -q -o bikes.json examples/pages/bikes.html
    $ thresh suggest -w bikes.json 1.html
    ! thresh: 1.html: a wrapper of engine auto has one view of each field and cannot doubt it; one of engine stalker can
    [1]
    $ thresh suggest -w w.json missing.html
    ! thresh: missing.html: cannot be opened: No such file or directory
    [1]
