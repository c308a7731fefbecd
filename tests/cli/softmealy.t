SoftMealy on the command line: learnt from labels, shown, drawn, mended, streamed; and what is refused.

    $ printf '<ul>\n<li><b>Courier</b>, <i>Hallam</i> for <em>420</em></li>\n<li><b>Tourer</b>, <i>Aal</i></li>\n<li><b>City</b> for <em>180</em>, <i>Sale</i></li>\n</ul>\n' > bikes.html
    $ echo '{"page":"bikes.html","records":[{"name":"Courier","maker":"Hallam","price":"420"},{"name":"Tourer","maker":"Aal"}]}' > labels.jsonl
    $ thresh learn --date 2026-01-02 --engine softmealy --labels labels.jsonl -o bikes.json bikes.html
    ! thresh: learnt from 2 labelled records on 1 page
    $ thresh extract -w bikes.json bikes.html
    {"name":"Courier","maker":"Hallam","price":"420"}
    {"name":"Tourer","maker":"Aal","price":null}
    {"name":"City","maker":"Sale","price":"180"}
    $ thresh show bikes.json
    wrapper of engine softmealy
    schema
      {<name,maker,(price)?>}
    attributes
      name
      maker
      price
    contextual rules
      s<b,name>^L ::= Html(<ul>) Html(<li>) Html(<b>) |
            Html(<li>) Html(<b>)
      s<b,name>^R ::= C1Alph(_)
      s<name,n̄ām̄ē>^L ::= C1Alph(_)
      s<name,n̄ām̄ē>^R ::= Html(</b>) Punc(,) Html(<i>)
      s<n̄ām̄ē,maker>^L ::= Html(</b>) Punc(,) Html(<i>)
      s<n̄ām̄ē,maker>^R ::= C1Alph(_)
      s<maker,m̄āk̄ēr̄>^L ::= C1Alph(_)
      s<maker,m̄āk̄ēr̄>^R ::= Html(</i>) 0Alph(for)
      s<m̄āk̄ēr̄,price>^L ::= 0Alph(for) Html(<em>)
      s<m̄āk̄ēr̄,price>^R ::= Num(_)
      s<price,e>^L ::= Num(_)
      s<price,e>^R ::= Html(</em>) Html(</li>) Html(<li>) Html(<b>)
      s<maker,e>^L ::= C1Alph(_)
      s<maker,e>^R ::= Html(</i>) Html(</li>) Html(<li>) Html(<b>) C1Alph(_)
      s<*,name>^L ::= Html(<b>)
      s<*,name>^R ::= -
      s<name,*>^L ::= -
      s<name,*>^R ::= Html(</b>)
      s<*,maker>^L ::= Html(<i>)
      s<*,maker>^R ::= -
      s<maker,*>^L ::= -
      s<maker,*>^R ::= Html(</i>)
      s<*,price>^L ::= Html(<em>)
      s<*,price>^R ::= -
      s<price,*>^L ::= -
      s<price,*>^R ::= Html(</em>)
    learnt on 2026-01-02 from
      bikes.html, 2 records
    $ thresh show --dot bikes.json
    digraph softmealy {
      rankdir=LR;
      node [shape=circle];
      "b";
      "e" [shape=doublecircle];
      "name";
      "n̄ām̄ē" [style=dashed];
      "maker";
      "m̄āk̄ēr̄" [style=dashed];
      "price";
      "p̄r̄īc̄ē" [style=dashed];
      "b" -> "name" [label="Html(<ul>) Html(<li>) Html(<b>) | C1Alph(_)\nand 1 more / name = next_token"];
      "name" -> "n̄ām̄ē" [label="C1Alph(_) | Html(</b>) Punc(,) Html(<i>)"];
      "n̄ām̄ē" -> "maker" [label="Html(</b>) Punc(,) Html(<i>) | C1Alph(_) / maker = next_token"];
      "maker" -> "m̄āk̄ēr̄" [label="C1Alph(_) | Html(</i>) 0Alph(for)"];
      "m̄āk̄ēr̄" -> "price" [label="0Alph(for) Html(<em>) | Num(_) / price = next_token"];
      "price" -> "e" [label="Num(_) | Html(</em>) Html(</li>) Html(<li>) Html(<b>)"];
      "maker" -> "e" [label="C1Alph(_) | Html(</i>) Html(</li>) Html(<li>) Html(<b>) C1Alph(_)"];
      "*" -> "name" [label="Html(<b>) | - / name = next_token", style=dashed];
      "name" -> "n̄ām̄ē" [label="- | Html(</b>)", style=dashed];
      "*" -> "maker" [label="Html(<i>) | - / maker = next_token", style=dashed];
      "maker" -> "m̄āk̄ēr̄" [label="- | Html(</i>)", style=dashed];
      "*" -> "price" [label="Html(<em>) | - / price = next_token", style=dashed];
      "price" -> "p̄r̄īc̄ē" [label="- | Html(</em>)", style=dashed];
    }
    $ cat bikes.html bikes.html | thresh extract -w bikes.json --stream -f csv - | tr -d '\r'
    name,maker,price
    Courier,Hallam,420
    Tourer,Aal,
    City,Sale,180
    Courier,Hallam,420
    Tourer,Aal,
    City,Sale,180
    $ thresh extract -w bikes.json --max-bytes 100 bikes.html
    {"name":"Courier","maker":"Hallam","price":"420"}
    {"name":"Tourer","maker":"Aal","price":null}
    {"name":"City","maker":"Sale","price":"180"}

A correction: what is on sale has no maker.

    $ echo '{"page":"bikes.html","records":[{"name":"City","price":"180"}],"nothing":[{"start":133,"end":137}]}' > correction.jsonl
    $ thresh learn -q --date 2026-01-02 --correct bikes.json --labels correction.jsonl -o mended.json bikes.html
    $ thresh extract -w mended.json bikes.html
    {"name":"Courier","maker":"Hallam","price":"420"}
    {"name":"Tourer","maker":"Aal","price":null}
    {"name":"City","maker":null,"price":"180"}

The same in a few words: FIELD= says that the record has no such field; --nothing names a place without a record.

    $ thresh learn -q --date 2026-01-02 --correct bikes.json --example name=City --example price=180 --example maker= -o mended.json bikes.html
    $ thresh extract -w mended.json bikes.html | tail -1
    {"name":"City","maker":null,"price":"180"}
    $ thresh learn -q --date 2026-01-02 --correct bikes.json --example name=City --nothing 133-137 -o mended.json bikes.html
    $ thresh extract -w mended.json bikes.html | tail -1
    {"name":"City","maker":null,"price":"180"}

The body is the part of the page that has the records; a correction can tell it too.

    $ printf '<h2>Old</h2><ul><li><b>Aal</b> 1</ul><h2>New</h2><ul><li><b>Berg</b> 2<li><b>City</b> 3<li><b>Dale</b> 4</ul><h3>End</h3>' > stock.html
    $ echo '{"page":"stock.html","records":[{"name":"Berg","no":"2"},{"name":"City","no":"3"}]}' > stock.jsonl
    $ thresh learn -q --date 2026-01-02 --engine softmealy --labels stock.jsonl -o stock.json stock.html
    $ thresh extract -w stock.json stock.html
    {"name":"Aal","no":"1 New"}
    {"name":"Berg","no":"2"}
    {"name":"City","no":"3"}
    {"name":"Dale","no":"4"}
    $ thresh learn -q --date 2026-01-02 --engine softmealy --labels stock.jsonl --body 53-104 -o body.json stock.html
    $ thresh extract -w body.json stock.html
    {"name":"Berg","no":"2"}
    {"name":"City","no":"3"}
    {"name":"Dale","no":"4"}
    $ thresh show body.json | grep '[ht]^[LR]'
      h^L ::= C1Alph(New) Html(</h2>) Html(<ul>)
      t^R ::= Html(</ul>) Html(<h3>) C1Alph(End)
    $ thresh learn -q --date 2026-01-02 --correct stock.json --labels stock.jsonl --body 53-104 -o body.json stock.html
    $ thresh extract -w body.json stock.html
    {"name":"Berg","no":"2"}
    {"name":"City","no":"3"}
    {"name":"Dale","no":"4"}

As published nothing is mended, and labels that are misread are reported.

    $ printf '<ul><li><b>Ann</b> <i>Cook</i> <em>11</em></li>\n<li><b>Bob</b> <i>Smith</i> <em>12</em></li>\n<li><b>Cy</b> <i>Sale</i> <em>13</em></li></ul>' > staff.html
    $ echo '{"page":"staff.html","records":[{"name":"Ann","trade":"Cook","room":"11"},{"name":"Bob","trade":"Smith","room":"12"},{"name":"Cy","trade":null,"room":"13"}]}' > staff.jsonl
    $ thresh learn --date 2026-01-02 --paper --engine softmealy --labels staff.jsonl -o staff.json staff.html
    ! thresh: staff.html: the rules misread 1 of 3 labelled records: at byte 110 they read trade, and the label says no field. Label more records, or correct the wrapper (--correct)
    ! thresh: learnt from 3 labelled records on 1 page
    $ thresh extract -w staff.json staff.html | tail -1
    {"name":"Cy","trade":"Sale","room":"13"}
    $ thresh learn --date 2026-01-02 --engine softmealy --labels staff.jsonl -o staff.json staff.html
    ! thresh: learnt from 3 labelled records on 1 page
    $ thresh extract -w staff.json staff.html | tail -1
    {"name":"Cy","trade":null,"room":"13"}

What does not work:

    $ thresh learn --engine softmealy --body 1-2 bikes.html
    ! thresh: --body is part of labels: give --labels or --example
    ! Try `thresh learn --help` for usage.
    [2]
    $ thresh learn --engine softmealy --example name=City --body name=1 bikes.html
    ! thresh: "name=1" must be bytes of the page: START-END
    ! Try `thresh learn --help` for usage.
    [2]
    $ thresh learn --engine softmealy --example name= bikes.html
    ! thresh: example "name=" has no value; behind the values of a record, FIELD= says that it has no such field
    ! Try `thresh learn --help` for usage.
    [2]

    $ thresh learn --engine softmealy bikes.html
    ! thresh: engine softmealy learns from labels, and none of the pages has any: give --labels or --example
    [1]
    $ thresh learn --engine mdr --correct bikes.json --example name=City bikes.html
    ! thresh: the wrapper to correct uses engine softmealy: leave the engine out
    [1]
    $ thresh learn --correct bikes.html --example name=City bikes.html
    ! thresh: bikes.html: is not a wrapper: `thresh learn` makes one
    [1]
    $ thresh learn --engine softmealy --example name=Courier --example maker='Courier, Hallam' bikes.html
    ! thresh: bikes.html: labels overlap: name at bytes 12 to 19 ("Courier") and maker at bytes 12 to 34 ("Courier, Hallam"); remove one of them, or give its place
    [1]
    $ thresh extract -w bikes.json --stream -f pages bikes.html
    ! thresh: -f pages cannot be used with --stream, which writes records as they come: choose another format
    ! Try `thresh extract --help` for usage.
    [2]
    $ thresh extract -w bikes.json --stream none.html
    ! thresh: none.html: cannot be read: No such file or directory
    [1]
    $ thresh show --dot bikes.html
    ! thresh: bikes.html: is not a wrapper: --dot and --profile need a wrapper, which `thresh learn` makes
    [1]
    $ thresh learn -q --date 2026-01-02 -o auto.json bikes.html
    $ thresh show --dot auto.json
    ! thresh: auto.json: a wrapper of engine lists has no graph: only softmealy's have
    [1]
    $ thresh extract -w auto.json --stream bikes.html
    ! thresh: bikes.html: a wrapper of engine lists needs whole pages: only softmealy's can be streamed
    [1]
    $ thresh learn -q --correct auto.json --example name=City bikes.html
    ! thresh: a wrapper of engine lists cannot be corrected, only learnt again; only softmealy's can be corrected
    [1]
