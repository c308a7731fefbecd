Labels against their pages.

    $ thresh labels examples/labels/bikes.jsonl examples/pages/bikes.html
    {"bike":"Marlin Courier 54","price":"€ 420","note":"steel, new chain, mudguards","badge":null}
    {"bike":"Hallam Tourer","price":"€ 690","note":"racks front and rear","badge":"reserved"}
    {"bike":"Pavé Randonneur","price":"€ 1,150","note":"hub dynamo & lights","badge":null}
    {"bike":"Oostkaai City 3-speed","price":"€ 180","note":"fresh brake cables","badge":null}
    {"bike":"Fenwick Folding","price":"€ 340","note":"fits under a train seat","badge":null}
    {"bike":"Marlin Courier 58","price":"€ 395","note":"some scratches on the fork","badge":null}
    {"bike":"Van Aal Cargo Long","price":"€ 2,300","note":"box for two children, rain cover","badge":"new"}
    ! thresh: examples/pages/bikes.html: records[1].badge: "reserved" appears in 2 places: 1500-1508 in <span>, 4828-4836 in <span>
    ! thresh: examples/pages/bikes.html: records[6].badge: "new" appears in 3 places: 1238-1241 in <p>, 3294-3297 in <span>, 6278-6281 in <span>
    ! thresh: 7 records; values in one place: 21, in several: 2, not found: 0
    $ thresh labels -f csv examples/labels/bike.jsonl examples/pages | tr -d '\r'
    bike,price,year,shop,image,extras
    Van Aal Cargo Long,"€ 2,300",2023,"Ghent, Dok Noord",https://tidewater.example/img/4107-l.jpg,rain cover | bench with two belts | ring lock
    ! thresh: examples/pages/bike-4107.html: record.bike: "Van Aal Cargo Long" appears in 2 places: 70-88 in <title>, 535-553 in <h1>
    ! thresh: 1 record; values in one place: 7, in several: 1, not found: 0
    $ thresh labels -q -f json --with-page examples/labels/bike.jsonl examples/pages
    [
    {"page":"examples/pages/bike-4107.html","bike":"Van Aal Cargo Long","price":"€ 2,300","year":"2023","shop":"Ghent, Dok Noord","image":"https://tidewater.example/img/4107-l.jpg","extras":["rain cover","bench with two belts","ring lock"]}
    ]
    $ thresh labels -q -f pages --spans examples/labels/bike.jsonl examples/pages
    {"page":"examples/pages/bike-4107.html","record":{"bike":{"value":"Van Aal Cargo Long"},"price":{"value":"€ 2,300","start":596,"end":613},"year":{"value":"2023","start":758,"end":762},"shop":{"value":"Ghent, Dok Noord","start":920,"end":936},"image":{"value":"https://tidewater.example/img/4107-l.jpg","start":651,"end":668},"extras":[{"value":"rain cover","start":1002,"end":1012},{"value":"bench with two belts","start":1016,"end":1036},{"value":"ring lock","start":1040,"end":1049}]}}
    $ thresh labels -v examples/labels/bike.jsonl examples/pages > /dev/null
    ! thresh: examples/pages/bike-4107.html: record.bike: "Van Aal Cargo Long" appears in 2 places: 70-88 in <title>, 535-553 in <h1>
    ! thresh: examples/pages/bikes.html: has no labels
    ! thresh: examples/pages/books.html: has no labels
    ! thresh: examples/pages/concerts.html: has no labels
    ! thresh: 4 pages done, 0 errors, 0 archive records skipped
    ! thresh: 1 record; values in one place: 7, in several: 1, not found: 0

A page is found by its URL too, and labels without a page are named.

    $ echo '{"page": "http://a.example/", "records": [{"title": "Winter Bread", "link": "http://a.example/b/104"}]}' > labels.jsonl
    $ echo '{"page": "gone.html", "records": [{"title": "x"}]}' >> labels.jsonl
    $ thresh labels --url http://a.example/ labels.jsonl examples/pages/books.html
    {"title":"Winter Bread","link":"http://a.example/b/104"}
    ! thresh: labels.jsonl: 1 labelled page was not among the inputs: gone.html
    ! thresh: 1 record; values in one place: 2, in several: 0, not found: 0

Labels from standard input, and a place given exactly.

    $ echo '{"page": "examples/pages/books.html", "record": {"title": {"start": 646, "end": 658}}}' | thresh labels -f table - examples/pages/books.html
    title
    ────────────
    Winter Bread
    ! thresh: 1 record; values in one place: 1, in several: 0, not found: 0
    $ echo '{"page": "examples/pages/books.html", "record": {"title": {"start": 646, "end": 65800}}}' | thresh labels - examples/pages/books.html
    ! thresh: examples/pages/books.html: -:1: at $.record.title: span 646 to 65800 ends after the end of the page
    [1]
