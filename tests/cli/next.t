The next page of a list: its URL, and what says so.

    $ cat > 1.html <<'END'
    > <title>Books</title><ul><li><a href=/b/1>One</a> $1<li><a href=/b/2>Two</a> $2<li><a href=/b/3>Three</a> $3</ul>
    > <div class=pages><span class=current>1</span> <a href="?page=2">2</a> <a href="?page=3">3</a>
    > <a href="?page=2" class=next>Next &rsaquo;</a></div>
    > END
    $ cat > 3.html <<'END'
    > <title>Books</title><ul><li><a href=/b/7>Seven</a> $7<li><a href=/b/8>Eight</a> $8</ul>
    > <div class=pages><a href="?page=2">&lsaquo; Previous</a> <a href="?page=1">1</a> <a href="?page=2">2</a> <b>3</b></div>
    > END
    $ thresh show --next --url https://example.org/books 1.html
    https://example.org/books?page=2
      "Next ›": its text says next, an arrow to the right, its class says next, the number after the current one, the next number in the URL, part of a pager
    $ thresh show --next --url https://example.org/books?page=3 3.html
    no next page
      no link looks like one to the next page
    $ thresh show --next -f ndjson --url https://example.org/books 1.html
    {"page":"1.html","next":"https://example.org/books?page=2","why":"\"Next ›\": its text says next, an arrow to the right, its class says next, the number after the current one, the next number in the URL, part of a pager"}
    $ thresh show --next -f ndjson --url https://example.org/books?page=3 3.html
    {"page":"3.html","next":null,"why":"no link looks like one to the next page"}

Without the URL of the page it is as written.

    $ thresh show --next -f json 1.html 3.html
    [
    {"page":"1.html","next":"?page=2","why":"\"Next ›\": its text says next, an arrow to the right, its class says next, the number after the current one, part of a pager"},
    {"page":"3.html","next":null,"why":"no link looks like one to the next page"}
    ]
    $ thresh show --next 1.html 3.html
    1.html
    ?page=2
      "Next ›": its text says next, an arrow to the right, its class says next, the number after the current one, part of a pager

    3.html
    no next page
      no link looks like one to the next page

A number alone is not sure.

    $ echo '<div class=pages><b>1</b> <a href="?page=2">2</a> <a href="?page=3">3</a></div>' |
    > thresh show --next --url https://example.org/books -
    not sure
      perhaps https://example.org/books?page=2, which --follow tries: "2": the number after the current one, the next number in the URL, part of a pager
    $ echo '<div class=pages><b>1</b> <a href="?page=2">2</a></div>' | thresh show --next -f ndjson --url http://a.example/ -
    {"page":"-","next":null,"why":"perhaps http://a.example/?page=2, which --follow tries: \"2\": the number after the current one, the next number in the URL, part of a pager"}

Links that lead nowhere, and text that would harm a terminal.

    $ echo '<a class=next href="#">Next</a> <a class=next href="javascript:next()">Next</a> <button>Load more</button>' |
    > thresh show --next -
    no next page
      no link looks like one to the next page
    $ printf '<a rel=next href="/\033[31mx">Next</a>' | thresh show --next -
    /\x1b[31mx
      "Next": rel=next, its text says next
    $ printf '' | thresh show --next -
    no next page
      no link looks like one to the next page

A wrapper is not a page.

    $ thresh learn -q -o w.json 1.html
    $ thresh show --next w.json || echo "exit $?"
    exit 1
    ! thresh: w.json: is a wrapper: views and formats are for pages; the wrapper file itself is JSON

The wrapper keeps where the link is.

    $ thresh show w.json | grep -A1 '^next'
    next page
      link at div.pages > a.next with the text "Next ›", on 1 of 1 page

A file is read, and not followed.

    $ thresh --follow 3 -f ndjson 1.html | wc -l
    3
    ! thresh: 1 page is not followed: only URLs are followed
    $ thresh extract --follow 3 -w w.json -f ndjson 1.html | wc -l
    3
    ! thresh: 1 page is not followed: only URLs are followed
    $ thresh --follow 0 1.html || echo "exit $?"
    exit 2
    ! thresh: --follow cannot be '0'; it is a number from 1 to 100000
    ! Try `thresh records --help` for usage.
    $ thresh regions --follow 2 1.html || echo "exit $?"
    exit 2
    ! thresh: unknown option --follow; did you mean --color?
    ! Try `thresh regions --help` for usage.
    $ thresh --follow 2 --resume j -o out.ndjson 1.html || echo "exit $?"
    exit 2
    ! thresh: --resume cannot be used with --follow: give the URLs of all pages, or use `thresh crawl`
    ! Try `thresh records --help` for usage.
