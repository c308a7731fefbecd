Output that cannot be written: a message, the right exit code, nothing half-written.

    $ thresh show examples/pages/books.html > /dev/full
    ! thresh: standard output: cannot be written: No space left on device
    [1]
    $ thresh show --info -f json examples/pages/books.html > /dev/full
    ! thresh: standard output: cannot be written: No space left on device
    [1]
    $ thresh labels -f csv examples/labels/bikes.jsonl examples/pages > /dev/full
    ! thresh: examples/pages/bikes.html: records[1].badge: "reserved" stands in 2 places: 1500-1508 in span, 4828-4836 in span
    ! thresh: examples/pages/bikes.html: records[6].badge: "new" stands in 3 places: 1238-1241 in p, 3294-3297 in span, 6278-6281 in span
    ! thresh: standard output: cannot be written: No space left on device
    [1]
    $ thresh --help > /dev/full
    ! thresh: standard output: cannot be written: No space left on device
    [1]
    $ thresh show -o /dev/full examples/pages/books.html
    ! thresh: cannot write /dev/full: no space left on device
    [1]

Without a standard output.

    $ thresh show --info examples/pages/books.html >&-
    ! thresh: standard output: cannot be written: Bad file descriptor
    [1]

A reader that has enough ends the run without a word, as it does with other tools.

    $ for i in $(seq 300); do echo examples/pages/bikes.html; done > many
    $ thresh show @many | head -1; echo "${PIPESTATUS[0]}"
    examples/pages/bikes.html
    141
    $ thresh labels -q examples/labels/bikes.jsonl @many | head -1; echo "${PIPESTATUS[0]}"
    {"bike":"Marlin Courier 54","price":"€ 420","note":"steel, new chain, mudguards","badge":null}
    141

A folder, a file in a missing folder, and an empty name.

    $ mkdir out && echo old > out/kept
    $ thresh show -o out examples/pages/books.html
    ! thresh: cannot write out: is a directory
    [1]
    $ thresh show -o nowhere/x examples/pages/books.html
    ! thresh: cannot write nowhere/x: no such file or directory
    [1]
    $ thresh labels -q -o nowhere/x.csv examples/labels/bikes.jsonl examples/pages
    ! thresh: cannot write nowhere/x.csv: no such file or directory
    [1]
    $ thresh labels -q -f sqlite -o nowhere/x.db examples/labels/bikes.jsonl examples/pages
    ! thresh: cannot write nowhere/x.db: no such file or directory
    [1]
    $ thresh show -o '' examples/pages/books.html
    ! thresh: --output has an empty value
    ! Try `thresh show --help` for how it is used.
    [2]

A limit on the size of files stands for a full disk: the old file stays as it was, and no other is left.

    $ (ulimit -f 4; trap '' XFSZ; thresh show --tokens -o out/kept @many)
    ! thresh: cannot write out/kept: file too large; nothing was changed
    [1]
    $ (ulimit -f 4; trap '' XFSZ; thresh labels -q -f csv -o out/kept examples/labels/bikes.jsonl @many)
    ! thresh: cannot write out/kept: file too large; nothing was changed
    [1]
    $ ls -A out; cat out/kept
    kept
    old

Where no page can be read, the old file stays too.

    $ thresh show -o out/kept missing.html
    ! thresh: missing.html: cannot be opened: No such file or directory
    ! thresh: out/kept: left as it was, since no page could be read
    [1]
    $ thresh labels -o out/kept examples/labels/bikes.jsonl missing.html
    ! thresh: missing.html: cannot be opened: No such file or directory
    ! thresh: out/kept: left as it was, since no page could be read
    [1]
    $ cat out/kept
    old

What goes well is there whole; some inputs failing does not take the rest away.

    $ thresh show --text -o out/text examples/pages/books.html missing.html
    ! thresh: missing.html: cannot be opened: No such file or directory
    [1]
    $ head -2 out/text; ls -A out
    examples/pages/books.html
     70-98   Harbour Books: new this week
    kept
    text
    $ thresh labels -q -o out/bikes.csv examples/labels/bikes.jsonl examples/pages
    $ head -2 out/bikes.csv | tr -d '\r'
    bike,price,note,badge
    Marlin Courier 54,€ 420,"steel, new chain, mudguards",
    $ thresh labels -q -o out/bikes.db examples/labels/bikes.jsonl examples/pages && head -c 15 out/bikes.db
    SQLite format 3 (no-eol)
    $ echo text > out/no.db; thresh labels -q -o out/no.db examples/labels/bikes.jsonl examples/pages
    ! thresh: out/no.db exists and is no SQLite file: choose another name, or replace it
    [1]
    $ cat out/no.db
    text
    $ thresh labels -q --replace -o out/no.db examples/labels/bikes.jsonl examples/pages; head -c 15 out/no.db
    SQLite format 3 (no-eol)
