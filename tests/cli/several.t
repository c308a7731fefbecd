Several pages: what belongs together, and whether it is a list or one record a page.

    $ top='<html><body class=shop><div class=nav><a class=home href=/>Home</a> <a class=help href=/help>Help</a></div>'
    $ book() { echo "$top<div class=book><h1>$1</h1><dl class=facts><dt>Author<dd class=by>$2<dt>Year<dd class=year>$3<dt>Price<dd class=price>$4</dl></div></body></html>"; }
    $ list() { echo "$top<h2 class=query>$1</h2><ul class=hits>"; while read -r name by price; do echo "<li class=hit><h3><a href=/b/$name>$name</a></h3><p class=by>$by</p><b class=price>$price</b></li>"; done; echo '</ul></body></html>'; }
    $ mkdir books
    $ book Emma 'Jane Austen' 1815 '€ 6.00' > books/1.html
    $ book Walden 'Henry Thoreau' 1854 '€ 7.50' > books/2.html
    $ book Germinal 'Émile Zola' 1885 '€ 5.20' > books/3.html
    $ book Hunger 'Knut Hamsun' 1890 '€ 4.80' > books/4.html
    $ book Middlemarch 'George Eliot' 1871 '€ 8.10' > books/5.html
    $ mkdir lists
    $ printf '%s\n' 'Emma Austen 6' 'Persuasion Austen 7' 'Sanditon Austen 3' | list Austen > lists/1.html
    $ printf '%s\n' 'Germinal Zola 5' 'Nana Zola 4' 'Money Zola 6' 'Earth Zola 5' | list Zola > lists/2.html
    $ printf '%s\n' 'Hunger Hamsun 5' 'Pan Hamsun 4' 'Victoria Hamsun 6' | list Hamsun > lists/3.html
    $ echo '<html><head><title>404</title></head><body><h1>Not Found</h1><p>There is no such page.</p></body></html>' > gone.html

Details give one record a page, lists their rows; -v says why.

    $ thresh -v books
    {"title":"Emma","author":"Jane Austen","year":"1815","price":"€ 6.00","other":null}
    {"title":"Walden","author":"Henry Thoreau","year":"1854","price":"€ 7.50","other":null}
    {"title":"Germinal","author":"Émile Zola","year":"1885","price":"€ 5.20","other":null}
    {"title":"Hunger","author":"Knut Hamsun","year":"1890","price":"€ 4.80","other":null}
    {"title":"Middlemarch","author":"George Eliot","year":"1871","price":"€ 8.10","other":null}
    ! thresh: 5 pages done, 0 errors, 0 archive records skipped
    ! thresh: 5 pages like books/1.html: one record per page: of 59 bits that differ, 44 are in 15 rows of lists (0% of which have links) and 15 in single places
    $ thresh -v lists
    {"title":"Emma","number":"6","title_url":"/b/Emma"}
    {"title":"Persuasion","number":"7","title_url":"/b/Persuasion"}
    {"title":"Sanditon","number":"3","title_url":"/b/Sanditon"}
    {"title":"Germinal","number":"5","title_url":"/b/Germinal"}
    {"title":"Nana","number":"4","title_url":"/b/Nana"}
    {"title":"Money","number":"6","title_url":"/b/Money"}
    {"title":"Earth","number":"5","title_url":"/b/Earth"}
    {"title":"Hunger","number":"5","title_url":"/b/Hunger"}
    {"title":"Pan","number":"4","title_url":"/b/Pan"}
    {"title":"Victoria","number":"6","title_url":"/b/Victoria"}
    ! thresh: 3 pages done, 0 errors, 0 archive records skipped
    ! thresh: 3 pages like lists/1.html: lists of records: of 64 bits that differ, 56 are in 10 rows of lists (100% of which have links) and 8 in single places
    $ thresh --engine lists books/1.html books/2.html books/3.html | head -2
    {"heading":"Author","text_1":"Jane Austen"}
    {"heading":"Year","text_1":"1815"}

Two pages are too few to tell, and pages of different sites are searched each for itself.

    $ thresh books/1.html books/2.html | head -2
    {"heading":"Author","text_1":"Jane Austen"}
    {"heading":"Year","text_1":"1815"}
    $ thresh lists/1.html examples/pages/books.html | head -4
    {"title":"Emma","number":"6","title_url":"/b/Emma"}
    {"title":"Persuasion","number":"7","title_url":"/b/Persuasion"}
    {"title":"Sanditon","number":"3","title_url":"/b/Sanditon"}
    {"title":"The Salt Road","by":"by Ines Vale","price":"€ 14.50","text_1":null,"title_url":"/b/101"}

A folder of two templates and an error page.

    $ mkdir mixed; for n in 1 2 3 4 5; do cp books/$n.html mixed/b$n.html; done; for n in 1 2 3; do cp lists/$n.html mixed/l$n.html; done; cp gone.html mixed
    $ thresh clusters mixed
    {"cluster":1,"count":5,"pages":["mixed/b1.html","mixed/b2.html","mixed/b3.html","mixed/b4.html","mixed/b5.html"]}
    {"cluster":2,"count":3,"pages":["mixed/l1.html","mixed/l2.html","mixed/l3.html"]}
    {"cluster":null,"count":1,"pages":["mixed/gone.html"]}
    ! thresh: 9 pages: 2 clusters, 1 outlier
    $ thresh learn --date 2026-01-02 -o w.json mixed
    ! thresh: mixed/gone.html: left out: its structure differs from the others
    ! thresh: the pages have 2 templates, and a wrapper is for one
    ! thresh: cluster 1, 5 pages like mixed/b1.html: learnt from
    ! thresh: cluster 2, 3 pages like mixed/l1.html: left out
    ! thresh: --cluster N learns from another cluster; `thresh clusters` shows them
    ! thresh: learnt from 5 records on 5 pages
    $ thresh extract -w w.json books/5.html
    {"title":"Middlemarch","author":"George Eliot","year":"1871","price":"€ 8.10","other":null}
    $ thresh learn --date 2026-01-02 --cluster 2 -o w2.json mixed
    ! thresh: mixed/gone.html: left out: its structure differs from the others
    ! thresh: the pages have 2 templates, and a wrapper is for one
    ! thresh: cluster 1, 5 pages like mixed/b1.html: left out
    ! thresh: cluster 2, 3 pages like mixed/l1.html: learnt from
    ! thresh: learnt from 10 records on 3 pages
    $ thresh extract -w w2.json lists/3.html | head -1
    {"title":"Hunger","text_1":"Hamsun","number":"5","other":null,"title_url":"/b/Hunger"}
    $ thresh learn -q --date 2026-01-02 --all-clusters -o each.json mixed && ls each*.json
    each-2.json
    each.json
    $ cmp w.json each.json && cmp w2.json each-2.json
    $ thresh learn --cluster 3 -o none.json mixed
    ! thresh: the pages have 2 templates, so there is no cluster 3
    [1]
    $ thresh learn --all-clusters mixed
    ! thresh: --all-clusters writes several files: name the first with -o
    ! Try `thresh learn --help` for usage.
    [2]
    $ thresh learn --cluster 2 --engine mdr mixed
    ! thresh: --cluster, --all-clusters: clusters cannot be used with labels, with a picked list or with a list engine
    ! Try `thresh learn --help` for usage.
    [2]

One page has no template to compare: lists of one page are another engine's.

    $ thresh learn --engine template -o one.json books/1.html
    ! thresh: engine template compares pages and needs two or more of one template; for a single page use engine auto, mdr or iepad
    [1]
    $ ls one.json
    ! ls: cannot access 'one.json': No such file or directory
    [2]

Two pages will do, but pages that are the same have nothing to tell.

    $ thresh learn -q --engine template -o two.json books/1.html books/2.html && thresh extract -w two.json books/3.html
    {"title":"Germinal","author":"Émile Zola","year":"1885","price":"€ 5.20","other":null}
    $ cp books/1.html same.html; thresh learn --engine template -o same.json books/1.html same.html
    ! thresh: the 2 pages have the same text: there is no data to separate from the template
    [1]

An error page among the sample is left out and named.

    $ thresh learn --engine template --date 2026-01-02 -o left.json books gone.html && thresh show left.json | tail -6
    learnt on 2026-01-02 from
      books/1.html, 1 record
      books/2.html, 1 record
      books/3.html, 1 record
      books/4.html, 1 record
      books/5.html, 1 record
    ! thresh: gone.html: left out: its structure differs from the others
    ! thresh: learnt from 5 records on 5 pages

Pages with nothing in common.

    $ thresh learn --engine template -o none.json books/1.html examples/pages/concerts.html
    ! thresh: no two pages have the same structure: a template needs two or more pages of one kind
    [1]
    $ ls none.json
    ! ls: cannot access 'none.json': No such file or directory
    [2]

One page is a hundred times larger than the others.

    $ { book Large 'Nobody' 1900 '€ 1.00' | sed 's,</body></html>,,'; for n in $(seq 1000); do echo "<div class=said><b class=who>Reader $n</b><p>It is good, says number $n.</p></div>"; done; echo '</body></html>'; } > books/6.html
    $ thresh clusters books
    {"cluster":1,"count":6,"pages":["books/1.html","books/2.html","books/3.html","books/4.html","books/5.html","books/6.html"]}
    ! thresh: 6 pages: 1 cluster, 0 outliers
    $ thresh learn --engine template -q -o large.json books && thresh extract -w large.json books/1.html
    {"title":"Emma","author":"Jane Austen","year":"1815","price":"€ 6.00","other":null}
