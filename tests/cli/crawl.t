Crawls: from lists to detail pages. Records and failures are tested in tests/site/test_crawl.py.

    $ thresh crawl
    ! thresh: crawl needs URL...
    ! Try `thresh crawl --help` for usage.
    [2]
    $ thresh crawl examples/shop/index.html
    ! thresh: examples/shop/index.html: a crawl begins at an http or https URL
    [1]
    $ thresh crawl --again http://127.0.0.1:9/
    ! thresh: --again needs --project
    ! Try `thresh crawl --help` for usage.
    [2]
    $ thresh crawl --max-pages 0 http://127.0.0.1:9/
    ! thresh: --max-pages cannot be '0'; it is a number from 1 to 4294967294
    ! Try `thresh crawl --help` for usage.
    [2]
    $ thresh crawl --warc pages.warc http://127.0.0.1:9/
    ! thresh: --warc: the name of the archive must end in .warc.gz
    ! Try `thresh crawl --help` for usage.
    [2]
    $ thresh crawl http://127.0.0.1:9/
    ! thresh: http://127.0.0.1:9/: not fetched, since its address 127.0.0.1 is loopback; --allow-private fetches it anyway
    ! thresh: no list page could be fetched
    [1]
    $ thresh crawl --list examples/pages/books.html http://127.0.0.1:9/
    ! thresh: examples/pages/books.html: is not a wrapper: `thresh learn` makes one
    [1]

A crawl, one that goes on with its project, and one with the wrappers that it has saved.

    $ python3 examples/serve.py examples/shop sh -c 'for i in 1 2; do thresh crawl --allow-private --delay 0 --project p.thresh --save w -o $i.csv $0; done' SITE/
    ! thresh: list pages: learnt from 6 records on 2 pages
    ! thresh: detail pages: following the links of column title_url
    ! thresh: detail pages: learnt from 6 records on 6 pages
    ! thresh: 2 list pages, 6 detail pages, 6 records
    ! thresh: detail pages: following the links of column title_url
    ! thresh: 2 list pages, 6 detail pages, 6 records; 0 fetched now
    $ cmp 1.csv 2.csv
    $ python3 examples/serve.py examples/shop thresh crawl -q --allow-private --delay 0 --list w/list.json --detail w/detail.json -f csv SITE/index.html | cut -d, -f 1,2,5- | tr -d '\r'
    title,price,page_title,detail_title,author,year,pages,about,detail_other
    The Salt Road,€18.50,The Salt Road - Corner Books,The Salt Road,Ines Marin,2019,312,A walk along the old road that carried salt from the coast to the mountain towns.,
    Winter Bread,€24.00,Winter Bread - Corner Books,Winter Bread,Jonas Holm,2021,188,"Sixty loaves for cold months, from rye to sweet buns.",
    Harbour Lights,€15.90,Harbour Lights - Corner Books,Harbour Lights,Clara Dahl,2017,274,A keeper of three lighthouses tells what he saw.,
    Moss and Stone,€29.00,Moss and Stone - Corner Books,Moss and Stone,Rosa Petit,2022,240,How to lay out a garden that needs no watering.,
    Small Boats,€21.40,Small Boats - Corner Books,Small Boats,Nils Eriksen,2020,206,Plans for seven boats that two people can carry.,
    The Quiet Mill,€12.75,The Quiet Mill - Corner Books,The Quiet Mill,Olga Novak,2016,158,Poems from a valley that was flooded.,
    $ python3 examples/serve.py examples/shop thresh crawl --allow-private --delay 0 --list w/list.json --link none SITE/
    ! thresh: the list has no column "none" (columns with links: title_url)
    [1]
    $ thresh project list p.thresh wrappers | sed 's/"added":"[^"]*"/-/'
    {"site":"default","wrapper":"crawl-detail","version":1,"engine":"template",-}
    {"site":"default","wrapper":"crawl-list","version":1,"engine":"lists",-}
