How thresh is used, and what it says when it is used wrongly.

    $ thresh
    ! thresh: an input is missing, such as: thresh page.html
    ! Try `thresh --help` for how it is used.
    [2]
    $ thresh --help
    Usage: thresh [OPTION]... INPUT...
           thresh COMMAND [OPTION]... [INPUT]...

    Thresh parts the data on web pages from the template around it. Without a command it finds the
    main list of each page and prints its records.

    Commands:
      records   print the records of pages: what thresh does without a command
      regions   show every list found on pages, the best first
      clusters  tell pages of different templates apart
      learn     learn a wrapper from pages of a site
      extract   run a wrapper on pages and print their records
      suggest   say which page to label next, and why
      verify    tell whether a wrapper still reads pages as it did
      repair    find a wrapper's fields again on pages that have changed
      monitor   extract, verify and repair: one line of JSON a run
      show      show what pages are made of, or what a wrapper does
      labels    check labels against their pages, and write the labelled records
      project   keep pages, labels, wrappers and runs in one file
      serve     the workbench: see, label and watch in the browser
      help      show how a command is used

    Options:
      -h, --help               show this help
      -V, --version            show the version

    A PAGE or INPUT is a file, a folder, a http or https URL, a WARC or ARC archive (.gz too), - for
    standard input, or @LIST, a file with one of these a line.

    Exit status: 0 done, 1 some inputs failed (each is named, the rest is done), 2 wrong usage,
    3 a site has changed so that its wrapper does not read it any more.
    `thresh help COMMAND` tells more, and so does `man thresh`.
    $ thresh help
    Usage: thresh [OPTION]... INPUT...
           thresh COMMAND [OPTION]... [INPUT]...

    Thresh parts the data on web pages from the template around it. Without a command it finds the
    main list of each page and prints its records.

    Commands:
      records   print the records of pages: what thresh does without a command
      regions   show every list found on pages, the best first
      clusters  tell pages of different templates apart
      learn     learn a wrapper from pages of a site
      extract   run a wrapper on pages and print their records
      suggest   say which page to label next, and why
      verify    tell whether a wrapper still reads pages as it did
      repair    find a wrapper's fields again on pages that have changed
      monitor   extract, verify and repair: one line of JSON a run
      show      show what pages are made of, or what a wrapper does
      labels    check labels against their pages, and write the labelled records
      project   keep pages, labels, wrappers and runs in one file
      serve     the workbench: see, label and watch in the browser
      help      show how a command is used

    Options:
      -h, --help               show this help
      -V, --version            show the version

    A PAGE or INPUT is a file, a folder, a http or https URL, a WARC or ARC archive (.gz too), - for
    standard input, or @LIST, a file with one of these a line.

    Exit status: 0 done, 1 some inputs failed (each is named, the rest is done), 2 wrong usage,
    3 a site has changed so that its wrapper does not read it any more.
    `thresh help COMMAND` tells more, and so does `man thresh`.
    $ thresh help show
    Usage: thresh show [OPTION]... PAGE...

    Shows what each page is made of. Without a view: the encoding and what told it, size and
    counts, then an outline of the elements. Every line begins with the bytes of the page's
    UTF-8 text where it stands.
    A wrapper, told by what is in it, is shown as rules: where records and fields stand.

    A PAGE or INPUT is a file, a folder, a http or https URL, a WARC or ARC archive (.gz too), - for
    standard input, or @LIST, a file with one of these a line.

    What to show:
          --tree               the elements and texts, whole
          --text               the text as a reader sees it, line by line
          --links              links and images, with absolute URLs
          --tokens             tags, texts, comments as they stand in the source
          --fine               words, numbers, signs and blanks, with their class
          --info               encoding, size and counts alone
          --dot                a wrapper of softmealy as a graph for Graphviz
          --template           the template of a wrapper of template or exalg, with the
                               values of pages beside it
          --profile            of a wrapper: what its values look like
      -f, --format FORMAT      text, json or ndjson; without a view the JSON forms
                               give what --info does

    Output:
      -o, --output FILE        write to FILE instead of standard output; FILE is
                               replaced when all is done, and untouched until then

    Pages:
          --url URL            the URL of pages that bring none: links refer to it
          --charset NAME       read pages as NAME, whatever they declare
          --max-bytes SIZE     refuse larger pages (256M); K, M and G are understood
          --max-depth N        elements deeper than N become siblings (512)

    Fetching URLs:
          --allow-private      fetch from loopback and private addresses too
          --ignore-robots      fetch what robots.txt asks not to
          --user-agent TEXT    what servers are told (thresh/VERSION)
          --timeout SECONDS    give up a fetch after so long (30)
          --max-redirects N    follow at most N redirects of a page (10)

    Running:
      -j, --jobs N             work on N pages at once (one for each processor)
      -q, --quiet              errors only: no notes, no progress
      -v, --verbose            say more, and what was done at the end
          --color WHEN         auto, always or never
      -h, --help               show this help

    Examples:
        thresh show page.html
        thresh show --text shop/
        thresh show --links --url https://example.org/ page.html
        thresh show --tokens -f ndjson crawl.warc.gz
        thresh show books.json
        thresh show --template books.json shop/1.html shop/2.html
        thresh show --profile books.json
    $ thresh labels --help
    Usage: thresh labels [OPTION]... LABELS INPUT...

    Looks on each page for the values that the file LABELS gives for it, says which stand in
    several places or nowhere, and writes the labelled records. A line of LABELS is
        {"page": "shop/1.html", "records": [{"title": "Nine Small Boats", "price": "9.95"}]}
    with the page as it is given here, or its URL. Exit status 1 when a value stands nowhere.

    A PAGE or INPUT is a file, a folder, a http or https URL, a WARC or ARC archive (.gz too), - for
    standard input, or @LIST, a file with one of these a line.

    Output:
      -f, --format FORMAT      table, csv, tsv, ndjson, json, pages or sqlite (default:
                               by the ending of FILE: .csv, .tsv, .json, .db, ...;
                               without FILE, table on a terminal and ndjson elsewhere)
      -o, --output FILE        write to FILE instead of standard output; FILE is
                               replaced when all is done, and untouched until then
          --replace            sqlite: replace FILE instead of adding to it
          --excel              csv for Excel: with a byte order mark, and with a ' in
                               front of cells that it would run as formulas
          --with-page          add the name of the page to each record
          --spans              json forms: write values with the bytes where they stand

    Pages:
          --url URL            the URL of pages that bring none: links refer to it
          --charset NAME       read pages as NAME, whatever they declare
          --max-bytes SIZE     refuse larger pages (256M); K, M and G are understood
          --max-depth N        elements deeper than N become siblings (512)

    Fetching URLs:
          --allow-private      fetch from loopback and private addresses too
          --ignore-robots      fetch what robots.txt asks not to
          --user-agent TEXT    what servers are told (thresh/VERSION)
          --timeout SECONDS    give up a fetch after so long (30)
          --max-redirects N    follow at most N redirects of a page (10)

    Running:
      -j, --jobs N             work on N pages at once (one for each processor)
      -q, --quiet              errors only: no notes, no progress
      -v, --verbose            say more, and what was done at the end
          --color WHEN         auto, always or never
      -h, --help               show this help

    Examples:
        thresh labels labels.jsonl shop/
        thresh labels -f csv -o books.csv labels.jsonl shop/*.html
        thresh labels -q --spans labels.jsonl crawl.warc.gz
    $ thresh help nonsense
    ! thresh: there is no command 'nonsense'
    ! Try `thresh help --help` for how it is used.
    [2]

A word that is neither a command nor an option is an input when it looks like one or when such a file is there, and
its records are printed. Otherwise it is taken for a command that was mistyped.

    $ thresh page.html
    ! thresh: page.html: cannot be opened: No such file or directory
    [1]
    $ thresh - < /dev/null
    ! thresh: -: no list of records was found on this page
    $ cp examples/pages/bikes.html bikes
    $ thresh bikes | head -1
    {"title":"Marlin Courier 54","badge":null,"facts":"2019","facts_2":"54 cm","facts_3":"Ghent","note":"steel, new chain, mudguards","price":"€ 420","link_url":"/bikes/4101","image":"/img/4101-s.jpg"}
    $ thresh --info bikes
    ! thresh: there is no option --info
    ! Try `thresh records --help` for how it is used.
    [2]
    $ thresh -Z bikes
    ! thresh: there is no option -Z
    ! Try `thresh records --help` for how it is used.
    [2]
    $ thresh -f csv
    ! thresh: records needs INPUT...
    ! Try `thresh records --help` for how it is used.
    [2]
    $ thresh records
    ! thresh: records needs INPUT...
    ! Try `thresh records --help` for how it is used.
    [2]
    $ thresh regions
    ! thresh: regions needs INPUT...
    ! Try `thresh regions --help` for how it is used.
    [2]
    $ thresh region bikes
    ! thresh: there is no command 'region'; did you mean regions?
    ! Try `thresh --help` for how it is used.
    [2]
    $ thresh records --help
    Usage: thresh records [OPTION]... INPUT...

    Finds the main list of each page and prints its records; nothing has to be told beforehand.
    A field that is missing leaves its column empty. Columns are named by what stands on the page:
    labels, table headers, classes. A page without a list gives no records, and a note says so.
    Three or more pages of one template that hold one record each are printed so, one record a
    page: what they differ in decides, and -v says why.
    `thresh regions` shows the other lists. The word records can be left out.

    A PAGE or INPUT is a file, a folder, a http or https URL, a WARC or ARC archive (.gz too), - for
    standard input, or @LIST, a file with one of these a line.

    Finding lists:
          --engine ENGINE      who looks for lists: lists, mdr (alike siblings) or iepad
                               (repeats in the string of tags); auto, or nothing: lists
          --pick N             print the N-th list that `thresh regions` shows (1)

    As the papers have it:
          --paper              as published, without our improvements
          --combination K      mdr: a generalized node has at most K nodes (10)
          --threshold T        mdr: tag strings that differ by up to T of their length
                               are similar (0.3)
          --table-tags         mdr: records of table and form tags alone, as --paper has
          --encoding SCHEME    iepad: which tags are kept: all-tag, no-physical,
                               no-special, no-logical or block-level (block-level)
          --min-length N       iepad: a repeat has at least N tokens (3)
          --min-count N        iepad: and occurs at least N times (5)
          --max-variance V     iepad: the distances of its occurrences vary by at most
                               V (0.36)
          --min-density D      iepad: it covers at least D of where it occurs (0.2)
          --cluster-variance V
                               iepad: where they vary by more, those that vary by at
                               most V are a list of their own (0.1)
          --max-mismatch M     iepad: at most M of a pattern's columns have options or
                               alternatives (0.5)

    Output:
      -f, --format FORMAT      table, csv, tsv, ndjson, json, pages or sqlite (default:
                               by the ending of FILE: .csv, .tsv, .json, .db, ...;
                               without FILE, table on a terminal and ndjson elsewhere)
      -o, --output FILE        write to FILE instead of standard output; FILE is
                               replaced when all is done, and untouched until then
          --replace            sqlite: replace FILE instead of adding to it
          --excel              csv for Excel: with a byte order mark, and with a ' in
                               front of cells that it would run as formulas
          --with-page          add the name of the page to each record
          --spans              json forms: write values with the bytes where they stand

    Project:
          --project FILE       work on the pages of this project when no INPUT is given,
                               add the pages to it otherwise; keep there what comes out
          --site NAME          the site within the project (default)

    Pages:
          --url URL            the URL of pages that bring none: links refer to it
          --charset NAME       read pages as NAME, whatever they declare
          --max-bytes SIZE     refuse larger pages (256M); K, M and G are understood
          --max-depth N        elements deeper than N become siblings (512)

    Fetching URLs:
          --allow-private      fetch from loopback and private addresses too
          --ignore-robots      fetch what robots.txt asks not to
          --user-agent TEXT    what servers are told (thresh/VERSION)
          --timeout SECONDS    give up a fetch after so long (30)
          --max-redirects N    follow at most N redirects of a page (10)

    Running:
      -j, --jobs N             work on N pages at once (one for each processor)
      -q, --quiet              errors only: no notes, no progress
      -v, --verbose            say more, and what was done at the end
          --color WHEN         auto, always or never
      -h, --help               show this help

    Examples:
        thresh results.html
        thresh -f csv -o books.csv shop/
        thresh --with-page https://example.org/news
    $ thresh regions --help
    Usage: thresh regions [OPTION]... INPUT...

    Finds the lists of each page and shows them, the best first, each with the engine that found
    it, its score (comparable within a page) and its confidence: how likely it is the main list.
    -f pages gives one line per page. csv, tsv and sqlite hold one list and are not possible here.

    A PAGE or INPUT is a file, a folder, a http or https URL, a WARC or ARC archive (.gz too), - for
    standard input, or @LIST, a file with one of these a line.

    Finding lists:
          --engine ENGINE      who looks for lists: lists, mdr (alike siblings) or iepad
                               (repeats in the string of tags); auto, or nothing: lists

    As the papers have it:
          --paper              as published, without our improvements
          --combination K      mdr: a generalized node has at most K nodes (10)
          --threshold T        mdr: tag strings that differ by up to T of their length
                               are similar (0.3)
          --table-tags         mdr: records of table and form tags alone, as --paper has
          --encoding SCHEME    iepad: which tags are kept: all-tag, no-physical,
                               no-special, no-logical or block-level (block-level)
          --min-length N       iepad: a repeat has at least N tokens (3)
          --min-count N        iepad: and occurs at least N times (5)
          --max-variance V     iepad: the distances of its occurrences vary by at most
                               V (0.36)
          --min-density D      iepad: it covers at least D of where it occurs (0.2)
          --cluster-variance V
                               iepad: where they vary by more, those that vary by at
                               most V are a list of their own (0.1)
          --max-mismatch M     iepad: at most M of a pattern's columns have options or
                               alternatives (0.5)

    Output:
      -f, --format FORMAT      table, csv, tsv, ndjson, json, pages or sqlite (default:
                               by the ending of FILE: .csv, .tsv, .json, .db, ...;
                               without FILE, table on a terminal and ndjson elsewhere)
      -o, --output FILE        write to FILE instead of standard output; FILE is
                               replaced when all is done, and untouched until then
          --replace            sqlite: replace FILE instead of adding to it
          --excel              csv for Excel: with a byte order mark, and with a ' in
                               front of cells that it would run as formulas
          --with-page          add the name of the page to each record
          --spans              json forms: write values with the bytes where they stand

    Project:
          --project FILE       work on the pages of this project when no INPUT is given,
                               add the pages to it otherwise; keep there what comes out
          --site NAME          the site within the project (default)

    Pages:
          --url URL            the URL of pages that bring none: links refer to it
          --charset NAME       read pages as NAME, whatever they declare
          --max-bytes SIZE     refuse larger pages (256M); K, M and G are understood
          --max-depth N        elements deeper than N become siblings (512)

    Fetching URLs:
          --allow-private      fetch from loopback and private addresses too
          --ignore-robots      fetch what robots.txt asks not to
          --user-agent TEXT    what servers are told (thresh/VERSION)
          --timeout SECONDS    give up a fetch after so long (30)
          --max-redirects N    follow at most N redirects of a page (10)

    Running:
      -j, --jobs N             work on N pages at once (one for each processor)
      -q, --quiet              errors only: no notes, no progress
      -v, --verbose            say more, and what was done at the end
          --color WHEN         auto, always or never
      -h, --help               show this help

    Examples:
        thresh regions results.html
        thresh regions -f pages shop/
    $ thresh shwo x
    ! thresh: there is no command 'shwo'; did you mean show?
    ! Try `thresh --help` for how it is used.
    [2]
    $ thresh labl
    ! thresh: there is no command 'labl'; did you mean labels?
    ! Try `thresh --help` for how it is used.
    [2]
    $ thresh xyzzy
    ! thresh: 'xyzzy' is neither a command nor a file
    ! Try `thresh --help` for how it is used.
    [2]
    $ thresh --verson
    ! thresh: there is no option --verson; did you mean --version?
    ! Try `thresh --help` for how it is used.
    [2]
    $ thresh show --tokns x
    ! thresh: there is no option --tokns; did you mean --tokens?
    ! Try `thresh show --help` for how it is used.
    [2]
    $ thresh show --max-byte=3 x
    ! thresh: there is no option --max-byte; did you mean --max-bytes?
    ! Try `thresh show --help` for how it is used.
    [2]
    $ thresh show -Z x
    ! thresh: there is no option -Z
    ! Try `thresh show --help` for how it is used.
    [2]
    $ thresh show -f yaml x
    ! thresh: --format cannot be 'yaml'; it is one of text, json, ndjson
    ! Try `thresh show --help` for how it is used.
    [2]
    $ thresh labels -f jsn x y
    ! thresh: --format cannot be 'jsn'; it is one of table, csv, ndjson, json, pages, sqlite, tsv. Did you mean json?
    ! Try `thresh labels --help` for how it is used.
    [2]
    $ thresh show --text=yes x
    ! thresh: --text takes no value
    ! Try `thresh show --help` for how it is used.
    [2]
    $ thresh show x --url
    ! thresh: --url needs a value: --url URL
    ! Try `thresh show --help` for how it is used.
    [2]
    $ thresh show x -j
    ! thresh: -j needs a value: -j N
    ! Try `thresh show --help` for how it is used.
    [2]
    $ thresh show -j 0 x
    ! thresh: --jobs cannot be '0'; it is a number from 1 to 1024
    ! Try `thresh show --help` for how it is used.
    [2]
    $ thresh show -j many x
    ! thresh: --jobs cannot be 'many'; it is a number from 1 to 1024
    ! Try `thresh show --help` for how it is used.
    [2]
    $ thresh show --timeout -1 x
    ! thresh: --timeout cannot be '-1'; it is a number of seconds, such as 30 or 2.5, up to a day
    ! Try `thresh show --help` for how it is used.
    [2]
    $ thresh show --timeout 1h x
    ! thresh: --timeout cannot be '1h'; it is a number of seconds, such as 30 or 2.5, up to a day
    ! Try `thresh show --help` for how it is used.
    [2]
    $ thresh show --max-depth 99999999999999999999 x
    ! thresh: --max-depth cannot be '99999999999999999999'; it is a number from 1 to 65535
    ! Try `thresh show --help` for how it is used.
    [2]
    $ thresh show
    ! thresh: show needs PAGE...
    ! Try `thresh show --help` for how it is used.
    [2]
    $ thresh labels labels.jsonl
    ! thresh: labels needs LABELS INPUT...
    ! Try `thresh labels --help` for how it is used.
    [2]

Options in every way they can be written, before and after inputs; -- ends them.

    $ cp examples/pages/books.html ./-odd.html
    $ thresh show --info -qj2 -fndjson -- -odd.html
    {"page":"-odd.html","title":"Harbour Books: new this week","url":null,"encoding":"utf-8","encoding_told_by":"meta","bytes":825,"tokens":104,"elements":30,"depth":5,"tag_paths":16,"links":7,"flattened":0}
    $ thresh show ./-odd.html -f ndjson -vq --jobs=3 --max-bytes 1M --timeout=.5 --info
    {"page":"./-odd.html","title":"Harbour Books: new this week","url":null,"encoding":"utf-8","encoding_told_by":"meta","bytes":825,"tokens":104,"elements":30,"depth":5,"tag_paths":16,"links":7,"flattened":0}
    $ thresh show --max-bytes 825 --text ./-odd.html | head -1
     70-98   Harbour Books: new this week
    $ thresh show --max-bytes 824 ./-odd.html
    ! thresh: ./-odd.html: the page is larger than max_bytes allows (824); raise it with --max-bytes
    [1]
