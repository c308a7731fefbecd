What is wrong is named, the right exit code is given, and the other inputs are done.

An empty file is a page without anything.

    $ : > empty.html
    $ thresh show empty.html
    empty.html
      encoding  utf-8 (from: valid utf-8)
      size      0 bytes of UTF-8
      tokens    0
      elements  0 (depth 0, tag paths 0, with a link 0)

A folder without pages, a missing file, and a good one between them.

    $ mkdir folder && echo words > folder/notes.xyz
    $ thresh show --info -f ndjson folder examples/pages/books.html missing.html
    {"page":"examples/pages/books.html","title":"Harbour Books: new this week","url":null,"encoding":"utf-8","encoding_told_by":"meta","bytes":825,"tokens":104,"elements":30,"depth":5,"tag_paths":16,"links":7,"flattened":0}
    ! thresh: folder: the folder has no pages: no file is named like one (.html, .htm, .warc, ...) or begins with HTML
    ! thresh: missing.html: cannot be opened: No such file or directory
    [1]
    $ thresh show missing-folder/
    ! thresh: missing-folder/: cannot be opened: No such file or directory
    [1]
    $ thresh show ''
    ! thresh: an input is empty: give a file, a folder or a URL
    [1]

Binary files, and a page with NUL bytes.

    $ printf '\211PNG\r\n\032\n\0\0\0\rIHDR' > photo.png
    $ head -c 3000 /dev/zero > zeros.html
    $ { printf '\177ELF\002\001\001'; head -c 100 /dev/zero; } > program.html
    $ printf 'PK\003\004\024\0\0\0' > book.zip
    $ printf '<p>one\0two</p>\0<p>three' > nul.html
    $ thresh show --text photo.png book.zip program.html zeros.html nul.html
    nul.html
     3-10  onetwo
    18-23  three
    ! thresh: photo.png: looks like a PNG image, not a web page
    ! thresh: book.zip: looks like a ZIP file, not a web page
    ! thresh: program.html: looks like an ELF program, not a web page
    ! thresh: zeros.html: looks like a binary file, not a web page
    [1]
    $ thresh show --tokens nul.html
     0-3   start    <p>
     3-10  text     one\x00two
    10-14  end      </p>
    14-15  text     \x00
    15-18  start    <p>
    18-23  text     three

UTF-8 that is cut inside a character, and bytes that are no UTF-8 at all.

    $ printf '<meta charset=utf-8><p>caf\303' > cut.html
    $ thresh show --text cut.html
    23-29  caf�
    $ printf '<p>caf\351' > latin.html
    $ thresh show cut.html latin.html
    cut.html
      encoding  utf-8 (from: meta)
      size      29 bytes of UTF-8
      tokens    3: 1 text, 2 start
      elements  2 (depth 1, tag paths 2, with a link 0)

     0-20  meta
    20-29  p
    23-29    "caf�"

    latin.html
      encoding  windows-1252 (from: default)
      size      8 bytes of UTF-8
      tokens    2: 1 text, 1 start
      elements  1 (depth 1, tag paths 1, with a link 0)

    0-8  p
    3-8    "café"

A wrong declared charset: a page that says what it is not, and a charset nobody knows.

    $ printf '<meta charset=shift_jis><p>caf\303\251' > wrong.html
    $ thresh show wrong.html
    wrong.html
      encoding  shift_jis (from: meta)
      size      36 bytes of UTF-8
      tokens    3: 1 text, 2 start
      elements  2 (depth 1, tag paths 2, with a link 0)

     0-24  meta
    24-36  p
    27-36    "cafﾃｩ"
    $ printf '<meta charset=klingon><p>caf\303\251' > unknown.html
    $ thresh show --info unknown.html
    unknown.html
      encoding  utf-8 (from: valid utf-8)
      size      30 bytes of UTF-8
      tokens    3: 1 text, 2 start
      elements  2 (depth 1, tag paths 2, with a link 0)
    $ thresh show --info --charset klingon unknown.html
    ! thresh: --charset: unknown encoding 'klingon'; try utf-8, windows-1252, shift_jis, ...
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show --info --charset windows-1252 wrong.html
    wrong.html
      encoding  windows-1252 (from: --charset)
      size      34 bytes of UTF-8
      tokens    3: 1 text, 2 start
      elements  2 (depth 1, tag paths 2, with a link 0)

A list with missing entries.

    $ printf 'examples/pages/books.html\nnone.html\n\nempty.html\n' > list
    $ thresh show --info -f ndjson @list
    {"page":"examples/pages/books.html","title":"Harbour Books: new this week","url":null,"encoding":"utf-8","encoding_told_by":"meta","bytes":825,"tokens":104,"elements":30,"depth":5,"tag_paths":16,"links":7,"flattened":0}
    {"page":"empty.html","title":null,"url":null,"encoding":"utf-8","encoding_told_by":"valid utf-8","bytes":0,"tokens":0,"elements":0,"depth":0,"tag_paths":0,"links":0,"flattened":0}
    ! thresh: none.html: cannot be opened: No such file or directory
    [1]
    $ thresh show @nolist
    ! thresh: nolist: cannot be opened: No such file or directory
    [1]
    $ : > emptylist
    $ thresh show @emptylist
    ! thresh: no pages in the input
    [1]

A list that is no plain text, and labels with a NUL.

    $ printf 'm\0i\0s\0s\0i\0n\0g\0\n\0' > wide
    $ thresh show @wide
    ! thresh: wide: the list has a NUL byte at 1; it must be plain text in UTF-8
    [1]
    $ printf '{"page": "nul.html", "record": {"a": "one\\u0000two"}}' > nul.jsonl
    $ thresh labels nul.jsonl nul.html
    ! thresh: nul.jsonl:1: not a JSON object, at byte 51: \u0000 is not allowed: no page shows it
    [1]

Random bytes have no beginning that tells what they are.

    $ python3 -c "import random, sys; sys.stdout.buffer.write(random.Random(7).randbytes(3000))" > random.html
    $ thresh show random.html
    ! thresh: random.html: looks like a binary file, not a web page
    [1]

An archive that is cut in the middle: what stands before is given.

    $ record() { printf 'WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.example/%s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' "$1" "${#2}" "$2"; }
    $ (record 1 '<p>first'; record 2 '<p>second'; record 3 '<p>third and last') > whole.warc
    $ thresh show --text whole.warc
    http://a.example/1
    3-8  first

    http://a.example/2
    3-9  second

    http://a.example/3
     3-17  third and last
    $ head -c 330 whole.warc > cut.warc
    $ thresh show --text cut.warc
    http://a.example/1
    3-8  first

    http://a.example/2
    3-9  second
    ! thresh: cut.warc: damaged at byte 253: the archive ends in the middle of a record header; no readable record follows
    [1]
    $ gzip -c whole.warc | head -c 100 > cut.warc.gz
    $ thresh show --text cut.warc.gz examples/pages/books.html | tail -1
    778-799  Harbour Books, Quay 3
    ! thresh: cut.warc.gz: damaged at byte 100: the file ends in the middle of compressed data; no readable record follows
    $ : > empty.warc
    $ thresh show empty.warc
    ! thresh: empty.warc: the archive is empty: it has no records
    [1]

Standard input, once.

    $ echo '<p>piped' | thresh show --text -
    3-9  piped
    $ echo '<p>piped' | thresh show --text - -
    -
    3-9  piped
    ! thresh: -: standard input can be read only once
    [1]

A page that is larger than allowed.

    $ thresh show --info --max-bytes 500 examples/pages/books.html
    ! thresh: examples/pages/books.html: the page is larger than max_bytes allows (500); raise it with --max-bytes
    [1]
    $ thresh show --info --max-bytes 1x examples/pages/books.html
    ! thresh: --max-bytes cannot be '1x'; it is a number from 1 to 4294967280, or such as 500K, 64M or 2G
    ! Try `thresh show --help` for usage.
    [2]

URLs that are not fetched, that cannot be, and that are none.

    $ thresh show --text http://127.0.0.1:9/ http://192.168.1.1/x examples/pages/books.html | head -2
    examples/pages/books.html
     70-98   Harbour Books: new this week
    ! thresh: http://127.0.0.1:9/: not fetched, since its address 127.0.0.1 is loopback; --allow-private fetches it anyway
    ! thresh: http://192.168.1.1/x: not fetched, since its address 192.168.1.1 is private; --allow-private fetches it anyway
    $ thresh show --allow-private --ignore-robots --timeout 5 http://127.0.0.1:9/
    ! thresh: http://127.0.0.1:9/: cannot be fetched: Failed to connect to 127.0.0.1 * (glob)
    [1]
    $ thresh show http://a.example:99999/
    ! thresh: http://a.example:99999/: is not a valid URL
    [1]
    $ thresh show ftp://a.example/
    ! thresh: ftp://a.example/: cannot be opened: No such file or directory; of URLs only http and https are fetched
    [1]

Names and texts that would steer a terminal.

    $ printf '<title>\033[31mred</title><p>a\xe2\x80\xaeb' > "$(printf 'odd\033[2J.html')"
    $ thresh show --text odd*.html odd*.htmlx
    odd\x1b[2J.html
     7-15  \x1b[31mred
    26-31  a\u202eb
    ! thresh: odd*.htmlx: cannot be opened: No such file or directory
    [1]
    $ thresh show --tokens odd*
     0-7   start    <title>
     7-15  rcdata   \x1b[31mred
    15-23  end      </title>
    23-26  start    <p>
    26-31  text     a\u202eb

Labels.

    $ thresh labels none.jsonl examples/pages
    ! thresh: none.jsonl: cannot be read: No such file or directory
    [1]
    $ echo '{"page": "x", "records": [{"a": }]}' > bad.jsonl
    $ thresh labels bad.jsonl examples/pages
    ! thresh: bad.jsonl:1: not a JSON object, at byte 33: unexpected token near '}'
    [1]
    $ : > empty.jsonl
    $ thresh labels empty.jsonl examples/pages
    ! thresh: empty.jsonl: has no labels: a line is {"page": NAME, "records": [{...}]}
    [1]
    $ echo '{"page": "examples/pages/books.html", "records": [{"title": "The Salt Roads", "price": "9.95"}]}' > labels.jsonl
    $ thresh labels labels.jsonl examples/pages missing.html
    {"title":"The Salt Roads","price":"9.95"}
    ! thresh: examples/pages/books.html: records[0].title: "The Salt Roads" is not on the page; the most similar text is "The Salt Road" at 277-290
    ! thresh: missing.html: cannot be opened: No such file or directory
    ! thresh: 1 record; values in one place: 1, in several: 0, not found: 1
    [1]
    $ thresh labels labels.jsonl examples/pages/bikes.html
    ! thresh: labels.jsonl: has no labels for any of these pages; it names examples/pages/books.html, which must be a page as given on the command line, or its URL
    [1]
    $ thresh labels -f sqlite labels.jsonl examples/pages
    ! thresh: -f sqlite needs a file to write to: -o FILE
    ! Try `thresh labels --help` for usage.
    [2]
    $ thresh labels --replace labels.jsonl examples/pages
    ! thresh: --replace needs -f sqlite
    ! Try `thresh labels --help` for usage.
    [2]
    $ thresh labels labels.jsonl
    ! thresh: labels needs LABELS INPUT...
    ! Try `thresh labels --help` for usage.
    [2]
