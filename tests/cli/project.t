A project: pages, labels, wrappers and runs in one file. Dates are cut off.

    $ thresh project new p.thresh
    $ thresh project new p.thresh
    ! thresh: p.thresh already exists: choose another name
    [1]
    $ thresh project add p.thresh --site shop examples/pages
    ! thresh: 4 pages added, 0 already stored
    $ thresh project add p.thresh --site shop examples/pages/books.html
    ! thresh: 0 pages added, 1 already stored
    $ thresh project label p.thresh --site shop examples/labels/bikes.jsonl
    ! thresh: labels of 1 page stored
    $ thresh project labels p.thresh | head -c 60
    {"page": "examples/pages/bikes.html", "records": [{"bike": " (no-eol)
    $ thresh learn --project p.thresh --site other --save books examples/pages/books.html
    ! thresh: saved as books, version 1
    ! thresh: learnt from 4 records on 1 page
    $ thresh project list p.thresh
    {"site":"shop","pages":4,"labels":1,"wrappers":0,"runs":0}
    {"site":"other","pages":1,"labels":0,"wrappers":1,"runs":0}
    $ thresh project list p.thresh pages --site shop | sed 's/"added":"[^"]*"/-/'
    {"site":"shop","page":"examples/pages/bike-4107.html","url":null,"bytes":1574,-,"labelled":"no"}
    {"site":"shop","page":"examples/pages/bikes.html","url":null,"bytes":8439,-,"labelled":"yes"}
    {"site":"shop","page":"examples/pages/books.html","url":null,"bytes":825,-,"labelled":"no"}
    {"site":"shop","page":"examples/pages/concerts.html","url":null,"bytes":2548,-,"labelled":"no"}
    $ thresh extract --project p.thresh --site other -w books | head -2
    {"title":"The Salt Road","by":"by Ines Vale","price":"€ 14.50","text_1":null,"other":null,"title_url":"/b/101"}
    {"title":"A Field Guide to Gates","by":"by Tom & Ada Birch","price":"€ 22.00","text_1":"signed","other":null,"title_url":"/b/102"}
    $ thresh extract -q --project p.thresh --site other -w books@1 examples/pages/books.html | wc -l
    4
    $ thresh extract --project p.thresh --site other -w books@2
    ! thresh: books@2: is neither a file nor a wrapper of site other: `thresh project list p.thresh wrappers` shows them
    [1]
    $ thresh extract --project p.thresh --site other -w films
    ! thresh: films: is neither a file nor a wrapper of site other: `thresh project list p.thresh wrappers` shows them
    [1]
    $ thresh -q --project p.thresh --site other | wc -l
    4
    $ thresh project list p.thresh runs | sed 's/"started".*"pages"/-/'
    {"run":3,"site":"other","command":"records","wrapper":null,-:1,"records":4,"verdict":null}
    {"run":2,"site":"other","command":"extract","wrapper":"books",-:1,"records":4,"verdict":null}
    {"run":1,"site":"other","command":"extract","wrapper":"books",-:1,"records":4,"verdict":null}
    $ thresh project records p.thresh 1 | head -1
    {"title":"The Salt Road","by":"by Ines Vale","price":"€ 14.50","text_1":null,"other":null,"title_url":"/b/101"}
    $ thresh project records p.thresh x
    ! thresh: 'x' is not the number of a run: `thresh project list p.thresh runs` shows them
    [1]
    $ thresh project wrapper p.thresh --site other books > w.json
    $ thresh project save p.thresh --site shop w.json
    ! thresh: saved as w, version 1
    $ thresh project save p.thresh --site shop --name w w.json
    ! thresh: saved as w, version 2
    $ thresh project list p.thresh wrappers | sed 's/"added":"[^"]*"/-/'
    {"site":"shop","wrapper":"w","version":1,"engine":"lists",-}
    {"site":"shop","wrapper":"w","version":2,"engine":"lists",-}
    {"site":"other","wrapper":"books","version":1,"engine":"lists",-}
    $ thresh project page p.thresh --site shop examples/pages/books.html | cmp - examples/pages/books.html
    $ thresh project export p.thresh out
    $ thresh project export p.thresh out
    ! thresh: out exists and is not empty: export into a new folder
    [1]
    $ thresh project import q.thresh out
    $ thresh project list q.thresh | cmp - <(thresh project list p.thresh)
    $ thresh project remove p.thresh shop
    $ thresh project remove p.thresh shop
    ! thresh: shop: is not a site of p.thresh: `thresh project list p.thresh` shows them
    [1]
    $ thresh project tidy p.thresh
    $ thresh project check p.thresh
    ! thresh: p.thresh: is sound

What is none, and what is asked wrongly:

    $ thresh project list nothing.thresh
    ! thresh: no project nothing.thresh: `thresh project new nothing.thresh` creates it
    [1]
    $ thresh project list examples/pages/books.html
    ! thresh: examples/pages/books.html is not a thresh project; it was left unchanged
    [1]
    $ thresh project lsit p.thresh
    ! thresh: unknown verb 'lsit'; did you mean list?
    ! Try `thresh project --help` for usage.
    [2]
    $ thresh project list p.thresh tables
    ! thresh: cannot list 'tables' (available: sites, pages, assets, wrappers, runs)
    ! Try `thresh project --help` for usage.
    [2]
    $ thresh project add p.thresh
    ! thresh: project add needs PROJECT INPUT...
    ! Try `thresh project --help` for usage.
    [2]
    $ thresh --site shop examples/pages/books.html
    ! thresh: --site needs --project
    ! Try `thresh records --help` for usage.
    [2]
    $ thresh learn --save x examples/pages/books.html
    ! thresh: --save needs --project
    ! Try `thresh learn --help` for usage.
    [2]
    $ printf 'SQLite format 3\0 and no more of it' > broken.thresh; thresh --project broken.thresh
    ! thresh: broken.thresh is not a thresh project; it was left unchanged
    [1]
    $ thresh --project p.thresh --site empty
    ! thresh: site empty of p.thresh has no pages: `thresh project add` adds some
    [1]

A verb is checked before its words, and a site that is not there is named.

    $ thresh project lst
    ! thresh: unknown verb 'lst'; did you mean list?
    ! Try `thresh project --help` for usage.
    [2]
    $ thresh project new
    ! thresh: project new needs PROJECT
    ! Try `thresh project --help` for usage.
    [2]
    $ thresh project compare p.thresh 1
    ! thresh: project compare needs PROJECT RUN RUN
    ! Try `thresh project --help` for usage.
    [2]
    $ thresh project list p.thresh --site nowhere pages
    ! thresh: nowhere: is not a site of p.thresh: `thresh project list p.thresh` shows them
    [1]
    $ thresh project page p.thresh nowhere.html
    ! thresh: nowhere.html: is not a page of site default: `thresh project list p.thresh pages` shows them
    [1]
