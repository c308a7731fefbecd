How thresh is used, and what it says when it is used wrongly.

    $ thresh
    ! thresh: an input is missing, such as: thresh page.html
    ! Try `thresh --help` for usage.
    [2]
    $ thresh --help
    Usage: thresh [OPTION]... INPUT...
           thresh COMMAND [OPTION]... [INPUT]...

    Thresh separates the data on a web page from the template around it. Without a command it finds the
    main list of each page and prints its records.

    Commands:
      records   print the records of pages: what thresh does without a command
      regions   show every list found on pages, the best first
      clusters  group pages by template
      learn     learn a wrapper from pages of a site
      extract   run a wrapper on pages and print their records
      suggest   suggest which page to label next, and why
      verify    check whether a wrapper still reads its pages correctly
      repair    find a wrapper's fields again on pages that have changed
      monitor   extract, verify and repair: one line of JSON per run
      crawl     follow lists to their detail pages: one record for both
      show      show the structure of pages, or the rules of a wrapper
      labels    check labels against their pages, and write the labelled records
      project   keep pages, labels, wrappers and runs in one file
      serve     start the workbench: view, label and monitor in the browser
      mcp       serve language models: records, learn, extract, verify
      help      show how a command is used

    Options:
      -h, --help               show this help
      -V, --version            show the version

    A PAGE or INPUT is a file, a folder, an http or https URL, a WARC or ARC archive (.gz too), - for
    standard input, or @LIST, a file with one of these per line.

    Exit status: 0 done, 1 some inputs failed (each is reported; the others are processed),
    2 wrong usage, 3 a site has changed and its wrapper no longer reads it.
    See `thresh help COMMAND` and `man thresh` for details.
    $ thresh help
    Usage: thresh [OPTION]... INPUT...
           thresh COMMAND [OPTION]... [INPUT]...

    Thresh separates the data on a web page from the template around it. Without a command it finds the
    main list of each page and prints its records.

    Commands:
      records   print the records of pages: what thresh does without a command
      regions   show every list found on pages, the best first
      clusters  group pages by template
      learn     learn a wrapper from pages of a site
      extract   run a wrapper on pages and print their records
      suggest   suggest which page to label next, and why
      verify    check whether a wrapper still reads its pages correctly
      repair    find a wrapper's fields again on pages that have changed
      monitor   extract, verify and repair: one line of JSON per run
      crawl     follow lists to their detail pages: one record for both
      show      show the structure of pages, or the rules of a wrapper
      labels    check labels against their pages, and write the labelled records
      project   keep pages, labels, wrappers and runs in one file
      serve     start the workbench: view, label and monitor in the browser
      mcp       serve language models: records, learn, extract, verify
      help      show how a command is used

    Options:
      -h, --help               show this help
      -V, --version            show the version

    A PAGE or INPUT is a file, a folder, an http or https URL, a WARC or ARC archive (.gz too), - for
    standard input, or @LIST, a file with one of these per line.

    Exit status: 0 done, 1 some inputs failed (each is reported; the others are processed),
    2 wrong usage, 3 a site has changed and its wrapper no longer reads it.
    See `thresh help COMMAND` and `man thresh` for details.
    $ thresh help show
    Usage: thresh show [OPTION]... PAGE...

    Shows the structure of each page. Without a view: the encoding and its source, size and
    counts, then an outline of the elements. Every line begins with the range of bytes in the
    page's UTF-8 text.
    A wrapper, recognised by its content, is shown as rules: where records and fields are.

    A PAGE or INPUT is a file, a folder, an http or https URL, a WARC or ARC archive (.gz too), - for
    standard input, or @LIST, a file with one of these per line.

    What to show:
          --tree               all elements and texts
          --text               the text as a reader sees it, line by line
          --links              links and images, with absolute URLs
          --next               the URL of the next page of the list, and what says so
          --tokens             tags, texts and comments as in the source
          --fine               words, numbers, signs and blanks, with their class
          --info               only encoding, size and counts
          --dot                a wrapper of softmealy as a graph for Graphviz
          --template           the template of a wrapper of template or exalg, with the
                               values of pages beside it
          --trace              the steps of an engine that learns from the pages, as text
                               or with -f json or ndjson
          --engine ENGINE      with --trace: exalg, softmealy or stalker (default exalg)
          --labels FILE        with --trace: labelled values, as for `thresh learn`
          --profile            the profile of a wrapper: what its values look like
          --as TARGET          a wrapper as selectors or as a program: css, xpath, scrapy,
                               parsel or python; checked on the pages named after it
                               (default: those that it was learnt from)
          --partial            with --as: leave out fields that cannot be exported exactly
      -f, --format FORMAT      text, json or ndjson (without a view, the JSON formats
                               show what --info does)

    Paper settings:
          --paper              use the algorithm as published, without our improvements
          --size-threshold N   exalg: fewest tokens of an equivalence class (default 3)
          --support-threshold S
                               exalg, template: least share of the pages that have a
                               part of the template (default 0.25)

    Output:
      -o, --output FILE        write to FILE instead of standard output; FILE is
                               replaced at the end, and unchanged until then

    Pages:
          --url URL            base URL for links of pages without a URL
          --charset NAME       encoding of the pages, whatever they declare
          --max-bytes SIZE     refuse larger pages; accepts K, M and G (default 256M)
          --max-depth N        turn elements deeper than N into siblings (default 512)

    Fetching URLs:
          --allow-private      fetch from loopback and private addresses too
          --ignore-robots      fetch even what robots.txt disallows
          --user-agent TEXT    user agent sent to servers (default: thresh/VERSION)
          --timeout SECONDS    give up a fetch after so many seconds (default 30)
          --max-redirects N    follow at most N redirects of a page (default 10)
          --delay SECONDS      pause between two fetches from one host (default 0.5, or
                               Crawl-delay of robots.txt if that is longer)
          --retries N          try a fetch again up to N times if the server is busy or
                               cannot be reached (default 3)
          --max-wait SECONDS   longest wait that a server can ask for, with Retry-After
                               or Crawl-delay (default 120)
          --header HEADER      send the header 'Name: value'; may be repeated. ${NAME} is
                               read from the environment and sent to the first URL's
                               site alone: 'Authorization: Bearer ${TOKEN}'
          --cookie-jar FILE    read cookies from FILE (Netscape format), and write them
                               back; made if missing
          --proxy URL          fetch through a proxy: http, https, socks4, socks5;
                               'http://me:${PASSWORD}@proxy.example:3128'
          --site-file FILE     headers, proxy, passwords, delay and login for sites, as
                               JSON: see SESSIONS in the manual
          --cache DIR          keep fetched pages in this folder, and ask servers only
                               for what has changed; made if missing
          --cache-age SECONDS  use pages of the cache that are younger without asking
                               (default: as servers say)
          --warc FILE          also keep what is fetched in a WARC archive, FILE.warc.gz;
                               one that exists is added to
          --render             let Chromium run the scripts of pages, and use what it shows
          --wait-for SELECTOR  render, and wait until an element matches this CSS selector
          --scroll N           render, and scroll down up to N times while the page grows

    Running:
      -j, --jobs N             process N pages at once (default: one per processor)
      -q, --quiet              print only errors: no notes, no progress
      -v, --verbose            print more notes, and a summary at the end
          --color WHEN         when to use colours: auto, always or never
      -h, --help               show this help

    Examples:
        thresh show page.html
        thresh show --text shop/
        thresh show --links --url https://example.org/ page.html
        thresh show --next --url https://example.org/news page.html
        thresh show --tokens -f ndjson crawl.warc.gz
        thresh show books.json
        thresh show --template books.json shop/1.html shop/2.html
        thresh show --profile books.json
        thresh show --as parsel books.json > books.py
        thresh show --trace --engine exalg --paper shop/
    $ thresh labels --help
    Usage: thresh labels [OPTION]... LABELS INPUT...

    Searches each page for the values that the file LABELS gives for it, reports those that appear
    in several places or nowhere, and writes the labelled records. A line of LABELS is
        {"page": "shop/1.html", "records": [{"title": "Nine Small Boats", "price": "9.95"}]}
    where the page is as given on the command line, or its URL. The exit status is 1 if a value is not
    found.

    A PAGE or INPUT is a file, a folder, an http or https URL, a WARC or ARC archive (.gz too), - for
    standard input, or @LIST, a file with one of these per line.

    Output:
      -f, --format FORMAT      table, csv, tsv, ndjson, json, pages, sqlite, xlsx,
                               markdown or html (default: from the extension of FILE:
                               .csv, .json, .db, .xlsx, .md, ...; without FILE, table
                               on a terminal and ndjson elsewhere)
      -o, --output FILE        write to FILE instead of standard output; FILE is
                               replaced at the end, and unchanged until then
          --replace            sqlite: replace FILE instead of adding to it
          --append             csv, tsv, sqlite: add the records to those in FILE (sqlite
                               always does)
          --upsert COLUMN      csv, tsv, sqlite: add the records to those in FILE; one
                               with the same value in COLUMN is replaced
          --excel              csv for Excel: with a byte order mark, and a ' before
                               cells that Excel would run as formulas
          --with-page          add the name of the page to each record
          --types              add what texts mean: NAME_value for numbers and prices,
                               NAME_currency, NAME_iso for dates
          --spans              JSON formats: write values with their byte ranges

    Pages:
          --url URL            base URL for links of pages without a URL
          --charset NAME       encoding of the pages, whatever they declare
          --max-bytes SIZE     refuse larger pages; accepts K, M and G (default 256M)
          --max-depth N        turn elements deeper than N into siblings (default 512)

    Fetching URLs:
          --allow-private      fetch from loopback and private addresses too
          --ignore-robots      fetch even what robots.txt disallows
          --user-agent TEXT    user agent sent to servers (default: thresh/VERSION)
          --timeout SECONDS    give up a fetch after so many seconds (default 30)
          --max-redirects N    follow at most N redirects of a page (default 10)
          --delay SECONDS      pause between two fetches from one host (default 0.5, or
                               Crawl-delay of robots.txt if that is longer)
          --retries N          try a fetch again up to N times if the server is busy or
                               cannot be reached (default 3)
          --max-wait SECONDS   longest wait that a server can ask for, with Retry-After
                               or Crawl-delay (default 120)
          --header HEADER      send the header 'Name: value'; may be repeated. ${NAME} is
                               read from the environment and sent to the first URL's
                               site alone: 'Authorization: Bearer ${TOKEN}'
          --cookie-jar FILE    read cookies from FILE (Netscape format), and write them
                               back; made if missing
          --proxy URL          fetch through a proxy: http, https, socks4, socks5;
                               'http://me:${PASSWORD}@proxy.example:3128'
          --site-file FILE     headers, proxy, passwords, delay and login for sites, as
                               JSON: see SESSIONS in the manual
          --cache DIR          keep fetched pages in this folder, and ask servers only
                               for what has changed; made if missing
          --cache-age SECONDS  use pages of the cache that are younger without asking
                               (default: as servers say)
          --warc FILE          also keep what is fetched in a WARC archive, FILE.warc.gz;
                               one that exists is added to
          --render             let Chromium run the scripts of pages, and use what it shows
          --wait-for SELECTOR  render, and wait until an element matches this CSS selector
          --scroll N           render, and scroll down up to N times while the page grows

    Running:
      -j, --jobs N             process N pages at once (default: one per processor)
      -q, --quiet              print only errors: no notes, no progress
      -v, --verbose            print more notes, and a summary at the end
          --color WHEN         when to use colours: auto, always or never
      -h, --help               show this help

    Examples:
        thresh labels labels.jsonl shop/
        thresh labels -f csv -o books.csv labels.jsonl shop/*.html
        thresh labels -q --spans labels.jsonl crawl.warc.gz
    $ thresh help nonsense
    ! thresh: unknown command 'nonsense'
    ! Try `thresh help --help` for usage.
    [2]

A word that is neither a command nor an option is an input when it looks like one or when such a file is there, and
its records are printed. Otherwise it is taken for a command that was mistyped.

    $ thresh page.html
    ! thresh: page.html: cannot be opened: No such file or directory
    [1]
    $ thresh - < /dev/null
    ! thresh: -: no list of records found on this page
    $ cp examples/pages/bikes.html bikes
    $ thresh bikes | head -1
    {"title":"Marlin Courier 54","badge":null,"facts":"2019","facts_2":"54 cm","facts_3":"Ghent","note":"steel, new chain, mudguards","price":"€ 420","title_url":"/bikes/4101","image":"/img/4101-s.jpg"}
    $ thresh --info bikes
    ! thresh: unknown option --info
    ! Try `thresh records --help` for usage.
    [2]
    $ thresh -Z bikes
    ! thresh: unknown option -Z
    ! Try `thresh records --help` for usage.
    [2]
    $ thresh -f csv
    ! thresh: records needs INPUT...
    ! Try `thresh records --help` for usage.
    [2]
    $ thresh records
    ! thresh: records needs INPUT...
    ! Try `thresh records --help` for usage.
    [2]
    $ thresh regions
    ! thresh: regions needs INPUT...
    ! Try `thresh regions --help` for usage.
    [2]
    $ thresh region bikes
    ! thresh: unknown command 'region'; did you mean regions?
    ! Try `thresh --help` for usage.
    [2]
    $ thresh records --help
    Usage: thresh records [OPTION]... INPUT...

    Finds the main list of each page and prints its records, without any setup. A missing field
    leaves its column empty. Columns get their names from the page: labels, table headers, classes.
    A note reports each page without a list. Three or more pages of one template with one record
    each are printed as one record per page, depending on where they differ; -v explains the choice.
    With --resume each page is looked at by itself.
    Lists in JSON of scripts and in microdata count too: they are taken where they have more
    records than the text, or the page shows next to nothing.
    `thresh regions` shows the other lists. The word records can be left out.

    A PAGE or INPUT is a file, a folder, an http or https URL, a WARC or ARC archive (.gz too), - for
    standard input, or @LIST, a file with one of these per line.

    Finding lists:
          --engine ENGINE      engine: lists, mdr (similar siblings) or iepad (repeats in
                               the string of tags) (default: auto, which is lists)
          --all                show constant columns and duplicates too
          --pick N             print the N-th list that `thresh regions` shows (default 1)

    Paper settings:
          --paper              use the algorithm as published, without our improvements
          --combination K      mdr: most nodes in a generalized node (default 10)
          --threshold T        mdr: share of their length by which similar tag strings
                               may differ (default 0.3)
          --table-tags         mdr: only records of table and form tags, as with --paper
          --encoding SCHEME    iepad: tags to keep: all-tag, no-physical, no-special,
                               no-logical or block-level (default block-level)
          --levels N           iepad: levels of alignment, 1 to 3: each divides the
                               texts of the one before (default 2)
          --lower-encoding SCHEME
                               iepad: --encoding of the second level (default all-tag,
                               as the third's always is)
          --min-length N       iepad: fewest tokens of a repeat (default 3)
          --min-count N        iepad: fewest occurrences of a repeat (default 5)
          --max-variance V     iepad: largest variation of the distances between its
                               occurrences (default 0.36)
          --min-density D      iepad: least share of its range that it covers
                               (default 0.2)
          --cluster-variance V
                               iepad: if distances vary by more, occurrences that vary
                               by at most V form a list (default 0.1)
          --max-mismatch M     iepad: largest share of a pattern's columns that have
                               options or alternatives (default 0.75 with --paper)

    Output:
      -f, --format FORMAT      table, csv, tsv, ndjson, json, pages, sqlite, xlsx,
                               markdown or html (default: from the extension of FILE:
                               .csv, .json, .db, .xlsx, .md, ...; without FILE, table
                               on a terminal and ndjson elsewhere)
      -o, --output FILE        write to FILE instead of standard output; FILE is
                               replaced at the end, and unchanged until then
          --replace            sqlite: replace FILE instead of adding to it
          --append             csv, tsv, sqlite: add the records to those in FILE (sqlite
                               always does)
          --upsert COLUMN      csv, tsv, sqlite: add the records to those in FILE; one
                               with the same value in COLUMN is replaced
          --excel              csv for Excel: with a byte order mark, and a ' before
                               cells that Excel would run as formulas
          --with-page          add the name of the page to each record
          --types              add what texts mean: NAME_value for numbers and prices,
                               NAME_currency, NAME_iso for dates
          --spans              JSON formats: write values with their byte ranges

    Project:
          --project FILE       use the pages of this project if no INPUT is given, else
                               add the pages to it; store the results there
          --site NAME          site within the project (default: "default")

    Long runs:
          --split N/M          process only the N-th of M equal parts of the inputs:
                               archives are split by bytes, folders and lists by files
          --resume JOURNAL     record in JOURNAL what is finished; if the run is stopped,
                               the same command goes on from there. Needs -o FILE, which
                               is added to

    Pages:
          --url URL            base URL for links of pages without a URL
          --charset NAME       encoding of the pages, whatever they declare
          --max-bytes SIZE     refuse larger pages; accepts K, M and G (default 256M)
          --max-depth N        turn elements deeper than N into siblings (default 512)

    Next pages:
          --follow N           fetch the next pages of each URL too, N in all at most, as
                               long as they give new records of the same kind

    Fetching URLs:
          --allow-private      fetch from loopback and private addresses too
          --ignore-robots      fetch even what robots.txt disallows
          --user-agent TEXT    user agent sent to servers (default: thresh/VERSION)
          --timeout SECONDS    give up a fetch after so many seconds (default 30)
          --max-redirects N    follow at most N redirects of a page (default 10)
          --delay SECONDS      pause between two fetches from one host (default 0.5, or
                               Crawl-delay of robots.txt if that is longer)
          --retries N          try a fetch again up to N times if the server is busy or
                               cannot be reached (default 3)
          --max-wait SECONDS   longest wait that a server can ask for, with Retry-After
                               or Crawl-delay (default 120)
          --header HEADER      send the header 'Name: value'; may be repeated. ${NAME} is
                               read from the environment and sent to the first URL's
                               site alone: 'Authorization: Bearer ${TOKEN}'
          --cookie-jar FILE    read cookies from FILE (Netscape format), and write them
                               back; made if missing
          --proxy URL          fetch through a proxy: http, https, socks4, socks5;
                               'http://me:${PASSWORD}@proxy.example:3128'
          --site-file FILE     headers, proxy, passwords, delay and login for sites, as
                               JSON: see SESSIONS in the manual
          --cache DIR          keep fetched pages in this folder, and ask servers only
                               for what has changed; made if missing
          --cache-age SECONDS  use pages of the cache that are younger without asking
                               (default: as servers say)
          --warc FILE          also keep what is fetched in a WARC archive, FILE.warc.gz;
                               one that exists is added to
          --render             let Chromium run the scripts of pages, and use what it shows
          --wait-for SELECTOR  render, and wait until an element matches this CSS selector
          --scroll N           render, and scroll down up to N times while the page grows

    Running:
      -j, --jobs N             process N pages at once (default: one per processor)
      -q, --quiet              print only errors: no notes, no progress
      -v, --verbose            print more notes, and a summary at the end
          --color WHEN         when to use colours: auto, always or never
      -h, --help               show this help

    Examples:
        thresh results.html
        thresh -f csv -o books.csv shop/
        thresh --with-page https://example.org/news
        thresh --follow 20 -o news.csv https://example.org/news
    $ thresh regions --help
    Usage: thresh regions [OPTION]... INPUT...

    Finds the lists of each page and shows them, the best first, each with the engine that found
    it, its score (comparable within a page) and its confidence: how likely it is the main list.
    Of iepad also the record pattern, with the variance and density of the repeat that it was
    made of and the regularity of its records.
    Lists in the page's data are those of JSON in scripts and of microdata.
    -f pages gives one line per page. Formats that contain one list (csv, tsv, sqlite, xlsx,
    markdown, html) cannot be used here.

    A PAGE or INPUT is a file, a folder, an http or https URL, a WARC or ARC archive (.gz too), - for
    standard input, or @LIST, a file with one of these per line.

    Finding lists:
          --engine ENGINE      engine: lists, mdr (similar siblings) or iepad (repeats in
                               the string of tags) (default: auto, which is lists)
          --most N             show at most N lists per page (default 10; of iepad all)
          --trace              show the steps of mdr or iepad on each page rather than
                               the lists: as text, or with -f json or ndjson

    Paper settings:
          --paper              use the algorithm as published, without our improvements
          --combination K      mdr: most nodes in a generalized node (default 10)
          --threshold T        mdr: share of their length by which similar tag strings
                               may differ (default 0.3)
          --table-tags         mdr: only records of table and form tags, as with --paper
          --encoding SCHEME    iepad: tags to keep: all-tag, no-physical, no-special,
                               no-logical or block-level (default block-level)
          --levels N           iepad: levels of alignment, 1 to 3: each divides the
                               texts of the one before (default 2)
          --lower-encoding SCHEME
                               iepad: --encoding of the second level (default all-tag,
                               as the third's always is)
          --min-length N       iepad: fewest tokens of a repeat (default 3)
          --min-count N        iepad: fewest occurrences of a repeat (default 5)
          --max-variance V     iepad: largest variation of the distances between its
                               occurrences (default 0.36)
          --min-density D      iepad: least share of its range that it covers
                               (default 0.2)
          --cluster-variance V
                               iepad: if distances vary by more, occurrences that vary
                               by at most V form a list (default 0.1)
          --max-mismatch M     iepad: largest share of a pattern's columns that have
                               options or alternatives (default 0.75 with --paper)

    Output:
      -f, --format FORMAT      table, csv, tsv, ndjson, json, pages, sqlite, xlsx,
                               markdown or html (default: from the extension of FILE:
                               .csv, .json, .db, .xlsx, .md, ...; without FILE, table
                               on a terminal and ndjson elsewhere)
      -o, --output FILE        write to FILE instead of standard output; FILE is
                               replaced at the end, and unchanged until then
          --replace            sqlite: replace FILE instead of adding to it
          --append             csv, tsv, sqlite: add the records to those in FILE (sqlite
                               always does)
          --upsert COLUMN      csv, tsv, sqlite: add the records to those in FILE; one
                               with the same value in COLUMN is replaced
          --excel              csv for Excel: with a byte order mark, and a ' before
                               cells that Excel would run as formulas
          --with-page          add the name of the page to each record
          --types              add what texts mean: NAME_value for numbers and prices,
                               NAME_currency, NAME_iso for dates
          --spans              JSON formats: write values with their byte ranges

    Project:
          --project FILE       use the pages of this project if no INPUT is given, else
                               add the pages to it; store the results there
          --site NAME          site within the project (default: "default")

    Long runs:
          --split N/M          process only the N-th of M equal parts of the inputs:
                               archives are split by bytes, folders and lists by files
          --resume JOURNAL     record in JOURNAL what is finished; if the run is stopped,
                               the same command goes on from there. Needs -o FILE, which
                               is added to

    Pages:
          --url URL            base URL for links of pages without a URL
          --charset NAME       encoding of the pages, whatever they declare
          --max-bytes SIZE     refuse larger pages; accepts K, M and G (default 256M)
          --max-depth N        turn elements deeper than N into siblings (default 512)

    Fetching URLs:
          --allow-private      fetch from loopback and private addresses too
          --ignore-robots      fetch even what robots.txt disallows
          --user-agent TEXT    user agent sent to servers (default: thresh/VERSION)
          --timeout SECONDS    give up a fetch after so many seconds (default 30)
          --max-redirects N    follow at most N redirects of a page (default 10)
          --delay SECONDS      pause between two fetches from one host (default 0.5, or
                               Crawl-delay of robots.txt if that is longer)
          --retries N          try a fetch again up to N times if the server is busy or
                               cannot be reached (default 3)
          --max-wait SECONDS   longest wait that a server can ask for, with Retry-After
                               or Crawl-delay (default 120)
          --header HEADER      send the header 'Name: value'; may be repeated. ${NAME} is
                               read from the environment and sent to the first URL's
                               site alone: 'Authorization: Bearer ${TOKEN}'
          --cookie-jar FILE    read cookies from FILE (Netscape format), and write them
                               back; made if missing
          --proxy URL          fetch through a proxy: http, https, socks4, socks5;
                               'http://me:${PASSWORD}@proxy.example:3128'
          --site-file FILE     headers, proxy, passwords, delay and login for sites, as
                               JSON: see SESSIONS in the manual
          --cache DIR          keep fetched pages in this folder, and ask servers only
                               for what has changed; made if missing
          --cache-age SECONDS  use pages of the cache that are younger without asking
                               (default: as servers say)
          --warc FILE          also keep what is fetched in a WARC archive, FILE.warc.gz;
                               one that exists is added to
          --render             let Chromium run the scripts of pages, and use what it shows
          --wait-for SELECTOR  render, and wait until an element matches this CSS selector
          --scroll N           render, and scroll down up to N times while the page grows

    Running:
      -j, --jobs N             process N pages at once (default: one per processor)
      -q, --quiet              print only errors: no notes, no progress
      -v, --verbose            print more notes, and a summary at the end
          --color WHEN         when to use colours: auto, always or never
      -h, --help               show this help

    Examples:
        thresh regions results.html
        thresh regions -f pages shop/
    $ thresh shwo x
    ! thresh: unknown command 'shwo'; did you mean show?
    ! Try `thresh --help` for usage.
    [2]
    $ thresh labl
    ! thresh: unknown command 'labl'; did you mean labels?
    ! Try `thresh --help` for usage.
    [2]
    $ thresh xyzzy
    ! thresh: 'xyzzy' is neither a command nor a file
    ! Try `thresh --help` for usage.
    [2]
    $ thresh --verson
    ! thresh: unknown option --verson; did you mean --version?
    ! Try `thresh --help` for usage.
    [2]
    $ thresh show --tokns x
    ! thresh: unknown option --tokns; did you mean --tokens?
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show --max-byte=3 x
    ! thresh: unknown option --max-byte; did you mean --max-bytes?
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show -Z x
    ! thresh: unknown option -Z
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show -f yaml x
    ! thresh: --format cannot be 'yaml'; it is one of text, json, ndjson
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh labels -f jsn x y
    ! thresh: --format cannot be 'jsn'; it is one of table, csv, ndjson, json, pages, sqlite, tsv, markdown, html, xlsx. Did you mean json?
    ! Try `thresh labels --help` for usage.
    [2]
    $ thresh show --text=yes x
    ! thresh: --text takes no value
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show x --url
    ! thresh: --url needs a value: --url URL
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show x -j
    ! thresh: -j needs a value: -j N
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show -j 0 x
    ! thresh: --jobs cannot be '0'; it is a number from 1 to 1024
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show -j many x
    ! thresh: --jobs cannot be 'many'; it is a number from 1 to 1024
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show --timeout -1 x
    ! thresh: --timeout cannot be '-1'; it is a number of seconds, such as 30 or 2.5, up to a day
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show --timeout 1h x
    ! thresh: --timeout cannot be '1h'; it is a number of seconds, such as 30 or 2.5, up to a day
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show --max-depth 99999999999999999999 x
    ! thresh: --max-depth cannot be '99999999999999999999'; it is a number from 1 to 65535
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show
    ! thresh: show needs PAGE...
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh labels labels.jsonl
    ! thresh: labels needs LABELS INPUT...
    ! Try `thresh labels --help` for usage.
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

An option that means nothing without another one is refused, and so is a value that would be noticed only later.

    $ for o in '--anyway' '--alpha 0.1' '--join x' '--site s'; do thresh extract -w w.json $o page.html; done
    ! thresh: --anyway needs --verify
    ! Try `thresh extract --help` for usage.
    ! thresh: --alpha needs --verify
    ! Try `thresh extract --help` for usage.
    ! thresh: --join needs --columns
    ! Try `thresh extract --help` for usage.
    ! thresh: --site needs --project
    ! Try `thresh extract --help` for usage.
    [2]
    $ for o in '--new-fields' '--allow-lost' '--webhook hooks.example/1' '--date yesterday' '--date 2026-13-01'; do thresh monitor -w w.json $o page.html; done
    ! thresh: --new-fields needs --repair
    ! Try `thresh monitor --help` for usage.
    ! thresh: --allow-lost needs --repair
    ! Try `thresh monitor --help` for usage.
    ! thresh: --webhook must begin with http:// or https://
    ! Try `thresh monitor --help` for usage.
    ! thresh: --date cannot be 'yesterday'; it is a date, such as 2026-01-31 or 2026-01-31T06:30:00Z
    ! Try `thresh monitor --help` for usage.
    ! thresh: --date cannot be '2026-13-01'; it is a date, such as 2026-01-31 or 2026-01-31T06:30:00Z
    ! Try `thresh monitor --help` for usage.
    [2]
    $ thresh learn --save books page.html
    ! thresh: --save needs --project
    ! Try `thresh learn --help` for usage.
    [2]
    $ thresh show --partial w.json
    ! thresh: --partial needs --as
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh --spans -f csv page.html
    ! thresh: --spans needs -f json, ndjson or pages
    ! Try `thresh records --help` for usage.
    [2]
    $ thresh suggest page.html
    ! thresh: suggest needs a wrapper: -w FILE
    ! Try `thresh suggest --help` for usage.
    [2]
