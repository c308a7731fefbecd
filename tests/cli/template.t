Pages of one template: what differs is data. Rows in another order and with others missing keep their columns; a page of
another kind is recognized.

    $ page() { echo "<html><head><title>$1 - Mill Lane Books</title></head><body><p class=nav><a href=/>Home</a> <a href=/about>About us</a></p><h1>$1</h1><dl>$2</dl><p class=blurb>$3</p><p class=foot>Mill Lane Books, since 1974</p></body></html>"; }
    $ row() { printf '<dt>%s</dt><dd>%s</dd>' "$1" "$2"; }
    $ page 'The Salt Path' "$(row Author 'Ida Brandt'; row Pages 214; row Binding cloth)" 'A walk along the coast.' > 1.html
    $ page 'Night Ferry' "$(row Author 'Tom Ellery'; row Pages 96)" 'Six short <i>crossings</i>.' > 2.html
    $ page 'Low Water' "$(row Author 'Ida Brandt'; row Binding paper; row Pages 310)" 'A novel of the fens.' > 3.html
    $ page 'Inland' "$(row Binding paper; row Author 'Nour Haddad'; row Signed yes)" 'Poems.' > 4.html
    $ echo '<html><body><h1>404</h1><p>This page has moved.</p></body></html>' > error.html

    $ thresh learn --engine template --date 2026-01-02 -o books.json 1.html 2.html 3.html
    ! thresh: learnt from 3 records on 3 pages
    $ thresh extract -w books.json 1.html 4.html
    {"page_title":"The Salt Path - Mill Lane Books","title":"The Salt Path","author":"Ida Brandt","pages":"214","binding":"cloth","blurb":"A walk along the coast.","other":null}
    {"page_title":"Inland - Mill Lane Books","title":"Inland","author":"Nour Haddad","pages":null,"binding":"paper","blurb":"Poems.","other":["Signed","yes"]}
    $ thresh extract -v -w books.json 4.html error.html
    {"page_title":"Inland - Mill Lane Books","title":"Inland","author":"Nour Haddad","pages":null,"binding":"paper","blurb":"Poems.","other":["Signed","yes"]}
    ! thresh: 4.html: 74% explained
    ! thresh: error.html: no records: the page does not match this wrapper
    ! thresh: 2 pages done, 0 errors, 0 archive records skipped
    ! thresh: no records on 1 of 2 pages
    $ thresh extract -w books.json -f pages 4.html
    {"page":"4.html","record":{"page_title":"Inland - Mill Lane Books","title":"Inland","author":"Nour Haddad","pages":null,"binding":"paper","blurb":"Poems.","other":["Signed","yes"]}}
    $ thresh show books.json
    wrapper of engine template
    schema
      <page_title,title,author,pages,(binding)?,blurb,other:{B}>
    template
      <html>
        <head>
          <title> *page_title
        <body>
          <p .nav>
            {<a> Home}
          <h1> *title
          <dl>
            <dt> Author
            <dd> Author *author
            <dt> Pages
            <dd> Pages *pages
            <dt> Binding?
            <dd> Binding? *binding
          <p .blurb> *blurb
          <p .foot> Mill Lane Books, since 1974
      *other
    learnt on 2026-01-02 from
      1.html, 1 record
      2.html, 1 record
      3.html, 1 record
    $ thresh show --template books.json 2.html 4.html
    <B,B,B,B,(B)?,B,{B}>
      <html>
        <head>
          <title> *page_title = Night Ferry - Mill Lane Books | Inland - Mill Lane Books
        <body>
          <p .nav>
            {<a> Home}
          <h1> *title = Night Ferry | Inland
          <dl>
            <dt> Author
            <dd> Author *author = Tom Ellery | Nour Haddad
            <dt> Pages
            <dd> Pages *pages = 96 | -
            <dt> Binding?
            <dd> Binding? *binding = - | paper
          <p .blurb> *blurb = Six short crossings. | Poems.
          <p .foot> Mill Lane Books, since 1974
      *other = - | Signed, yes

An error page among the sample is left out and named.

    $ thresh learn --engine template --date 2026-01-02 -o again.json 1.html 2.html error.html 3.html
    ! thresh: error.html: left out: its structure differs from the others
    ! thresh: learnt from 3 records on 3 pages
    $ thresh extract -w again.json 4.html
    {"page_title":"Inland - Mill Lane Books","title":"Inland","author":"Nour Haddad","pages":null,"binding":"paper","blurb":"Poems.","other":["Signed","yes"]}

Older files call this engine exalg; what rules they have tells.

    $ sed 's/"engine": "template"/"engine": "exalg"/' books.json > old.json; grep '"engine"' books.json old.json
    books.json:  "engine": "template",
    old.json:  "engine": "exalg",
    $ thresh extract -w old.json 4.html && thresh show old.json | head -1
    {"page_title":"Inland - Mill Lane Books","title":"Inland","author":"Nour Haddad","pages":null,"binding":"paper","blurb":"Poems.","other":["Signed","yes"]}
    wrapper of engine template

As published.

    $ thresh learn -q --engine exalg --date 2026-01-02 -o paper.json 1.html 2.html 3.html
    $ thresh extract -w paper.json 4.html
    {"field_1":"Inland","field_2":"Inland","field_3":[{"field_1":"Nour Haddad"},{"field_1":"yes"}],"field_4":[],"field_5":"Poems."}
    $ thresh show --template paper.json
    <B,B,{<B>},{<B>},B>
      < <html> <head> <title>
        * - Mill Lane Books </title> </head> <body> <p> <a> Home </a> <a> About us </a> </p> <h1>
        * </h1> <dl> <dt> Author
        {< </dt> <dd>
          * </dd> <dt> >}_( Binding ) Pages
        {< </dt> <dd>
          * </dd> >}_( <dt> Binding ) </dl> <p>
        * </p> <p> Mill Lane Books, since 1974 </p> </body> </html> >

What the paper leaves to its users: with classes of ten tokens and more there is less template, with classes of any size
there is more, and of these those that all pages have.

    $ thresh learn -q --engine exalg --size-threshold 10 --date 2026-01-02 -o large.json 1.html 2.html 3.html
    $ grep '"options"' large.json; thresh show --template large.json
        "options": {"pick": 1, "size_threshold": 10},
    <B,B,B,B,B>
      < <html> <head> <title>
        * - Mill Lane Books </title> </head> <body> <p> <a> Home </a> <a> About us </a> </p> <h1>
        * </h1> <dl> <dt> Author
        * Pages
        * </dl> <p>
        * </p> <p> Mill Lane Books, since 1974 </p> </body> </html> >
    $ thresh learn -q --engine exalg --size-threshold 1 --date 2026-01-02 -o some.json 1.html 2.html 3.html
    $ grep '"options"' some.json; thresh show --template some.json
        "options": {"pick": 1, "size_threshold": 1},
    <B,B,{<B>},{<B>},B,(<B>)?,B>
      < <html> <head> <title>
        * - Mill Lane Books </title> </head> <body> <p> <a> Home </a> <a> About us </a> </p> <h1>
        * </h1> <dl> <dt> Author
        {< </dt> <dd>
          * </dd> <dt> >}_( Binding ) Pages
        {< </dt> <dd>
          * </dd> >}_( <dt> Binding ) </dl> <p>
        *
        (< A
          * the >)?
        * </p> <p> Mill Lane Books, since 1974 </p> </body> </html> >
    $ thresh learn -q --engine exalg --size-threshold 1 --support-threshold 1 --date 2026-01-02 -o all.json 1.html 2.html 3.html
    $ grep '"options"' all.json; thresh show --template all.json
        "options": {"pick": 1, "size_threshold": 1, "support_threshold": 1},
    <B,B,{<B>},{<B>},B>
      < <html> <head> <title>
        * - Mill Lane Books </title> </head> <body> <p> <a> Home </a> <a> About us </a> </p> <h1>
        * </h1> <dl> <dt> Author
        {< </dt> <dd>
          * </dd> <dt> >}_( Binding ) Pages
        {< </dt> <dd>
          * </dd> >}_( <dt> Binding ) </dl> <p>
        * </p> <p> Mill Lane Books, since 1974 </p> </body> </html> >
    $ thresh learn --engine template --size-threshold 10 1.html 2.html
    ! thresh: --size-threshold needs --engine exalg, not template
    ! Try `thresh learn --help` for usage.
    [2]
    $ thresh learn --engine template --paper 1.html 2.html
    ! thresh: --paper needs --engine mdr, iepad, exalg, softmealy or stalker, not template
    ! Try `thresh learn --help` for usage.
    [2]
    $ thresh learn -q --engine exalg --paper --date 2026-01-02 -o same.json 1.html 2.html 3.html; diff paper.json same.json
    188c188
    <     "options": {"pick": 1},
    ---
    >     "options": {"pick": 1, "paper": true},
    [1]
    $ thresh learn --engine exalg --support-threshold 1.5 1.html 2.html
    ! thresh: --support-threshold cannot be '1.5'; it is a number from 0 to 1, such as 0.25
    ! Try `thresh learn --help` for usage.
    [2]
    $ thresh learn --engine mdr --size-threshold 10 1.html 2.html
    ! thresh: --size-threshold needs --engine exalg, not mdr
    ! Try `thresh learn --help` for usage.
    [2]
    $ sed 's/"support_threshold": 1/"support_threshold": 2/' all.json > bad.json; thresh extract -w bad.json 4.html
    ! thresh: bad.json: provenance.options.support_threshold: must be a number from 0 to 1
    [1]

What cannot be learnt from.

    $ thresh learn --engine template 1.html
    ! thresh: engine template compares pages and needs two or more of one template; for a single page use engine auto, mdr or iepad
    [1]
    $ cp 1.html same.html; thresh learn --engine template 1.html same.html
    ! thresh: the 2 pages have the same text: there is no data to separate from the template
    [1]
    $ echo '<html><body><div><em>Nothing</em> of it</div></body></html>' > a.html; echo '<ul><li>here' > b.html
    $ thresh learn --engine template a.html b.html
    ! thresh: no two pages have the same structure: a template needs two or more pages of one kind
    [1]
    $ thresh regions --engine exalg 1.html
    ! thresh: --engine cannot be 'exalg'; it is one of auto, lists, mdr, iepad
    ! Try `thresh regions --help` for usage.
    [2]
    $ thresh learn --paper 1.html 2.html
    ! thresh: --paper needs --engine mdr, iepad, exalg, softmealy or stalker, not auto
    ! Try `thresh learn --help` for usage.
    [2]
    $ thresh show --template --text books.json
    ! thresh: --template cannot be combined with another view or a format
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh learn -q --date 2026-01-02 -o list.json examples/pages/bikes.html; thresh show --template list.json
    ! thresh: list.json: is a wrapper of engine lists, which has no template: `thresh show` without --template shows its rules
    [1]

A wrapper that was tampered with is refused, and the place is named.

    $ sed 's/"by": "inside"/"by": "outside"/; s/"by": "section"/"by": "outside"/' books.json > bad.json; thresh extract -w bad.json 4.html
    ! thresh: bad.json: rules.page.roles[11].by: must be one of place, itself, section, inside, shape, prefix, after
    [1]
    $ sed 's/"field": "author"/"field": "writer"/' books.json > bad.json; thresh extract -w bad.json 4.html
    ! thresh: bad.json: rules.page.roles[11]: field: the schema has no "writer" there
    [1]
    $ sed 's/"floor": [0-9.]*/"floor": 7/' books.json > bad.json; thresh extract -w bad.json 4.html
    ! thresh: bad.json: rules.floor: must be a number from 0 to 1
    [1]
    $ sed 's/"tuple"/"tumble"/' paper.json > bad.json; thresh extract -w bad.json 4.html
    ! thresh: bad.json: schema at schema: "kind" must be field, tuple, list, optional or choice
    [1]

Values of a list that only later items have: what is shown are values, and `-` if there are none.

    $ list() { printf '<html><body><h1>%s</h1><ul class=l>' "$1"; shift; for i in "$@"; do printf '<li><b>%s</b>' "${i%/*}"; case $i in */*) printf '<i>by %s</i>' "${i#*/}"; esac; printf '</li>'; done; echo '</ul><p>Our shop, since 1974</p></body></html>'; }
    $ list One A/x B/y > l1.html; list Two C D/z E > l2.html; list Three F/q G/r H/s > l3.html; list Four I J K L/t M/u N/v O/w > l4.html; list Five P Q R S > l5.html
    $ thresh learn -q --engine template --date 2026-01-02 -o list.json l1.html l2.html l3.html
    $ thresh show --template list.json l4.html l5.html | grep ' = '
          <h1> *title = Four | Five
              <b> *text_1 = I, J, K, 4 more | P, Q, R, 1 more
              <i> *by_text = by t, by u, by v, 1 more | -
                 by *by = t, u, v, 1 more | -
      *other = - | -
