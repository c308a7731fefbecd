Title, author and price in one line are columns of their own. Words that are the same in all records go with a value,
signs are left out, and what is now and then there leaves holes.

    $ thresh -f table examples/pages/books.html
    title                   by                  price    text_1  title_url
    ──────────────────────  ──────────────────  ───────  ──────  ─────────
    The Salt Road           by Ines Vale        € 14.50          /b/101
    A Field Guide to Gates  by Tom & Ada Birch  € 22.00  signed  /b/102
    Nine Small Boats        by R. Okoro         € 9.95           /b/103
    Winter Bread            by Lena Hauk        € 18.20          /b/104
    $ cat > dates.html <<'END'
    > <ul><li><b>Date:</b> 3 May | <b>Place:</b> Rome
    > <li><b>Date:</b> 4 June | <b>Place:</b> Paris
    > <li><b>Place:</b> Oslo
    > <li><b>Date:</b> 9 July | <b>Place:</b> Lyon</ul>
    > END
    $ thresh dates.html
    {"date":"3 May","place":"Rome"}
    {"date":"4 June","place":"Paris"}
    {"date":null,"place":"Oslo"}
    {"date":"9 July","place":"Lyon"}
    $ cat > tags.html <<'END'
    > <ul><li><a href=/1>Salt</a> <span class=tag>sea</span> <span class=tag>novel</span> (<b>12</b> reviews)
    > <li><a href=/2>Bread</a> <span class=tag>food</span> (<b>7</b> reviews)
    > <li><a href=/3>Boats</a> <span class=tag>sea</span> <span class=tag>war</span> <span class=tag>old</span> (<b>1</b> review)
    > <li><a href=/4>Gates</a> <span class=tag>garden</span></ul>
    > END
    $ thresh tags.html
    {"title":"Salt","tag":["sea","novel"],"text_1":"12 reviews","title_url":"/1"}
    {"title":"Bread","tag":["food"],"text_1":"7 reviews","title_url":"/2"}
    {"title":"Boats","tag":["sea","war","old"],"text_1":"1 review","title_url":"/3"}
    {"title":"Gates","tag":["garden"],"text_1":null,"title_url":"/4"}
    $ thresh --engine mdr tags.html
    {"title":"Salt","tag":["sea","novel"],"text_1":"12 reviews","title_url":"/1"}
    {"title":"Bread","tag":["food"],"text_1":"7 reviews","title_url":"/2"}
    {"title":"Boats","tag":["sea","war","old"],"text_1":"1 review","title_url":"/3"}
    {"title":"Gates","tag":["garden"],"text_1":null,"title_url":"/4"}

A sentence with a word in bold, or a link, stays one.

    $ cat > prose.html <<'END'
    > <ul><li>A book about <em>the sea</em> and those who sail on it
    > <li>What <em>bread</em> means in the north of Norway
    > <li>Nine boats leave the <em>harbour</em> and one comes back
    > <li>Gates, <em>fences</em> and other ways to keep out of gardens</ul>
    > END
    $ thresh prose.html
    {"text_1":"A book about the sea and those who sail on it"}
    {"text_1":"What bread means in the north of Norway"}
    {"text_1":"Nine boats leave the harbour and one comes back"}
    {"text_1":"Gates, fences and other ways to keep out of gardens"}

A wrapper keeps how lines are cut: other pages give the same columns, with fewer parts, with more, in another order, and
where nothing but elements stands in a line.

    $ thresh learn -q --date 2026-01-02 -o books.json examples/pages/books.html
    $ cat > more.html <<'END'
    > <html><body><ul id=results>
    > <li class=book><a href=/5>Tides</a> <span class=price>€ 7.00</span>
    > <li class=book><span class=price>€ 8.00</span> <a href=/6>Sand</a> by <i>Ada Reed</i>
    > <li class=book><a href=/7>Reefs</a> by <i>Bo Lund</i> <u>new</u> <em>signed</em>
    > </ul></body></html>
    > END
    $ thresh extract -w books.json more.html
    {"title":"Tides","by":null,"price":"€ 7.00","text_1":null,"other":null,"title_url":"/5"}
    {"title":"Sand","by":"by Ada Reed","price":"€ 8.00","text_1":null,"other":null,"title_url":"/6"}
    {"title":"Reefs","by":"by Bo Lund","price":null,"text_1":"signed","other":["new"],"title_url":"/7"}
    $ thresh show books.json
    wrapper of engine lists
    schema
      {<title,by,price,(text_1)?,({other})?,title_url>}
    records
      html > body > ul > li.book
    fields
      title_url  target of a
      title      text of a, in the record itself
      -          text of what follows a, in the record itself: part of the next
      by         text of i, in the record itself
      price      text of span.price, in the record itself
      text_1     text of em, in the record itself
      other      all texts that no other field takes
    learnt on 2026-01-02 from
      examples/pages/books.html, 4 records
    $ sed -n '/"fields"/,/"other"/p' books.json | head -8
        "fields": [
          {"name": "title_url", "kind": "link", "path": "a"},
          {"name": "title", "kind": "text", "path": "", "inside": [{"element": "a"}], "core": true},
          {"kind": "text", "path": "", "inside": [{"after": "a"}], "joins": "next", "core": true},
          {"name": "by", "kind": "text", "path": "", "inside": [{"element": "i"}], "core": true},
          {"name": "price", "kind": "text", "path": "", "inside": [{"element": "span.price"}], "core": true},
          {"name": "text_1", "kind": "text", "path": "", "inside": [{"element": "em"}], "core": true},
          {"name": "other", "kind": "rest", "list": true}
    $ thresh learn -q --engine mdr --date 2026-01-02 -o mdr.json examples/pages/books.html
    $ thresh extract -w mdr.json more.html
    {"title":"Tides","by":null,"price":"€ 7.00","text_1":null,"other":null,"title_url":"/5"}
    {"title":"Sand","by":"by Ada Reed","price":"€ 8.00","text_1":null,"other":null,"title_url":"/6"}
    {"title":"Reefs","by":"by Bo Lund","price":null,"text_1":"signed","other":["new"],"title_url":"/7"}
    $ thresh verify -w books.json examples/pages/books.html
    fine: the pages match the profile: 1 page, 4 records
      ok     records: 4 records; pages without records: 0 of 1, before: 0 of 1
      ok     title: values have about 15 bytes, before: 15
      ok     by: values have about 13 bytes, before: 13
      ok     price: values have about 9 bytes, before: 9
      ok     text_1: 1 of 4 values are present (25%), before: 25%
      n/a    other[]: had no values before
      ok     title_url: 4 of 4 values are present (100%), before: 100%

Labels have the last word, about whole lines and about parts of parts.

    $ thresh learn -q --date 2026-01-02 -o whole.json --example line='The Salt Road by Ines Vale € 14.50' --example line='Nine Small Boats by R. Okoro € 9.95' examples/pages/books.html
    $ thresh extract -w whole.json examples/pages/books.html
    {"line":"The Salt Road by Ines Vale € 14.50","other":null}
    {"line":"A Field Guide to Gates by Tom & Ada Birch € 22.00","other":["signed"]}
    {"line":"Nine Small Boats by R. Okoro € 9.95","other":null}
    {"line":"Winter Bread by Lena Hauk € 18.20","other":null}
    $ thresh learn -q --date 2026-01-02 -o parts.json --example title='The Salt Road' --example author='Ines Vale' --example title='Nine Small Boats' --example author='R. Okoro' examples/pages/books.html
    $ thresh extract -w parts.json examples/pages/books.html
    {"title":"The Salt Road","author":"Ines Vale","other":["by Ines Vale","€ 14.50"]}
    {"title":"A Field Guide to Gates","author":"Tom & Ada Birch","other":["by Tom & Ada Birch","€ 22.00","signed"]}
    {"title":"Nine Small Boats","author":"R. Okoro","other":["by R. Okoro","€ 9.95"]}
    {"title":"Winter Bread","author":"Lena Hauk","other":["by Lena Hauk","€ 18.20"]}

What is wrong with a rule for a part is said with its place. Wrappers that know of no parts are read as before.

    $ wrapper() { printf '{"thresh_wrapper":1,"engine":"auto","schema":{"kind":"list","item":{"kind":"tuple","members":[{"kind":"field","name":"x","note":"text"}]}},"rules":{"records":[{"path":"html > body > ul > li.book"}],"fields":[{"name":"x","path":""%s}]}}' "$1"; }
    $ wrapper > w.json; thresh extract -w w.json examples/pages/books.html | head -1
    {"x":"The Salt Road by Ines Vale € 14.50"}
    $ wrapper ',"inside":[{"element":"span.price"}]' > w.json; thresh extract -w w.json examples/pages/books.html | head -1
    {"x":"€ 14.50"}
    $ for part in '[]' '[5]' '[{}]' '[{"element":""}]' '[{"element":"a > b"}]' '[{"after":"a","position":0}]' '[{"element":"a"},{"element":"b"},{"element":"i"},{"element":"u"}]' '[{"element":"a"}],"joins":"all"' '[{"element":"a"}],"kind":"link"'; do wrapper ",\"inside\":$part" > w.json; thresh extract -w w.json examples/pages/books.html; done
    ! thresh: w.json: rules.fields[0].inside: must be an array of 1 to 3 items
    ! thresh: w.json: rules.fields[0].inside[0]: must be an object
    ! thresh: w.json: rules.fields[0].inside[0].element: is missing: a text
    ! thresh: w.json: rules.fields[0].inside[0].element: is not an element: a tag with or without a class, such as "span.price"
    ! thresh: w.json: rules.fields[0].inside[0].element: is not an element: a tag with or without a class, such as "span.price"
    ! thresh: w.json: rules.fields[0].inside[0].position: must be a whole number from 1 to 1048576
    ! thresh: w.json: rules.fields[0].inside: must be an array of 1 to 3 items
    ! thresh: w.json: rules.fields[0].joins: must be one of none, next, last
    ! thresh: w.json: rules.fields[0].inside: only texts have parts
    [1]
