Output that cannot be written: a message, the right exit code, nothing half-written.

    $ thresh show examples/pages/books.html > /dev/full
    ! thresh: standard output: cannot be written: No space left on device
    [1]
    $ thresh show --info -f json examples/pages/books.html > /dev/full
    ! thresh: standard output: cannot be written: No space left on device
    [1]
    $ thresh labels -f csv examples/labels/bikes.jsonl examples/pages > /dev/full
    ! thresh: examples/pages/bikes.html: records[1].badge: "reserved" appears in 2 places: 1500-1508 in <span>, 4828-4836 in <span>
    ! thresh: examples/pages/bikes.html: records[6].badge: "new" appears in 3 places: 1238-1241 in <p>, 3294-3297 in <span>, 6278-6281 in <span>
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
    ! Try `thresh show --help` for usage.
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
    ! thresh: out/kept: left unchanged, since no page could be read
    [1]
    $ thresh labels -o out/kept examples/labels/bikes.jsonl missing.html
    ! thresh: missing.html: cannot be opened: No such file or directory
    ! thresh: out/kept: left unchanged, since no page could be read
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
    ! thresh: out/no.db exists and is not an SQLite file: choose another name, or replace it
    [1]
    $ cat out/no.db
    text
    $ thresh labels -q --replace -o out/no.db examples/labels/bikes.jsonl examples/pages; head -c 15 out/no.db
    SQLite format 3 (no-eol)

An ending that no format has is refused before anything is read or written, by every command that writes records. With
-f a file may have any name, and one without an ending is ndjson.

    $ cp examples/pages/books.html page.html; thresh learn -q -o w.json page.html
    $ for c in records regions 'extract -w w.json' 'labels labels.jsonl' clusters 'suggest -w w.json' 'project list p.thresh' 'project records p.thresh 1' 'monitor -w w.json --records new.parquet'; do thresh $c -o new.parquet missing.html 2>&1 | head -1 | cut -c 1-54; echo "${PIPESTATUS[0]}"; done
    thresh: new.parquet: thresh cannot write .parquet file
    2
    thresh: new.parquet: thresh cannot write .parquet file
    2
    thresh: new.parquet: thresh cannot write .parquet file
    2
    thresh: new.parquet: thresh cannot write .parquet file
    2
    thresh: new.parquet: thresh cannot write .parquet file
    2
    thresh: new.parquet: thresh cannot write .parquet file
    2
    thresh: new.parquet: thresh cannot write .parquet file
    2
    thresh: new.parquet: thresh cannot write .parquet file
    2
    thresh: new.parquet: thresh cannot write .parquet file
    2
    $ for e in parquet arrow csv.gz; do thresh -o new.$e missing.html; done
    ! thresh: new.parquet: thresh cannot write .parquet files; the extension selects the format: csv (.csv), tsv (.tsv), ndjson (.ndjson, .jsonl), json (.json), table (.txt), sqlite (.sqlite, .sqlite3, .db), markdown (.md), html (.html, .htm), xlsx (.xlsx); for other names, select it with -f
    ! Try `thresh records --help` for usage.
    ! thresh: new.arrow: thresh cannot write .arrow files; the extension selects the format: csv (.csv), tsv (.tsv), ndjson (.ndjson, .jsonl), json (.json), table (.txt), sqlite (.sqlite, .sqlite3, .db), markdown (.md), html (.html, .htm), xlsx (.xlsx); for other names, select it with -f
    ! Try `thresh records --help` for usage.
    ! thresh: new.csv.gz: thresh cannot write .gz files; the extension selects the format: csv (.csv), tsv (.tsv), ndjson (.ndjson, .jsonl), json (.json), table (.txt), sqlite (.sqlite, .sqlite3, .db), markdown (.md), html (.html, .htm), xlsx (.xlsx); for other names, select it with -f
    ! Try `thresh records --help` for usage.
    [2]
    $ thresh -o new.parquet -f csv page.html && grep -c 'The Salt Road,' new.parquet
    1
    $ thresh -o new page.html && head -c 2 new
    {" (no-eol)
    $ thresh -o new.TSV page.html && grep -c "$(printf 'Winter Bread\t')" new.TSV
    1
    $ thresh regions -o new.tsv page.html
    ! thresh: regions shows several lists, and tsv can contain only one: use -f table, pages, ndjson or json
    ! Try `thresh regions --help` for usage.
    [2]
    $ thresh project new p.thresh; thresh project list p.thresh -o sites.csv; thresh project records p.thresh 1 -o r.csv
    ! thresh: project records writes only ndjson
    ! Try `thresh project --help` for usage.
    [2]
    $ thresh project page p.thresh x -f csv
    ! thresh: project page has no -f: it writes stored files unchanged
    ! Try `thresh project --help` for usage.
    [2]

For Excel.

    $ thresh --excel -f json page.html
    ! thresh: --excel needs -f csv
    ! Try `thresh records --help` for usage.
    [2]
    $ echo '<table><tr><th>a<th>b<tr><td>=1+1<td>x<tr><td>@y<td>-1,5<tr><td>+1<td>é</table>' > sums.html
    $ thresh --excel sums.html | head -c 3 | od -t x1 -A n
     ef bb bf
    $ thresh --excel sums.html | tail -3 | cat -A
    '=1+1,x^M$
    '@y,"'-1,5"^M$
    '+1,M-CM-)^M$
    $ thresh --excel -o sums.csv sums.html; thresh --excel sums.html | cmp - sums.csv

An output without records leaves the old file as it was, whatever the command; `pages` has a line for each page.

    $ echo '<p>One paragraph.</p>' > none.html; echo '{"page":"other.html","record":{"a":"b"}}' > other.jsonl
    $ for f in csv tsv json ndjson txt; do echo old > old.$f; thresh -q -o old.$f none.html; echo $?; cat old.$f; done
    1
    old
    1
    old
    1
    old
    1
    old
    1
    old
    ! thresh: old.csv: left unchanged, since no records were found
    ! thresh: old.tsv: left unchanged, since no records were found
    ! thresh: old.json: left unchanged, since no records were found
    ! thresh: old.ndjson: left unchanged, since no records were found
    ! thresh: old.txt: left unchanged, since no records were found
    $ thresh -q -o old.db page.html; thresh -q -o old.db none.html; sqlite() { python3 -c 'import sqlite3,sys; [print(*r) for r in sqlite3.connect(sys.argv[1]).execute(sys.argv[2])]' "$@"; }; sqlite old.db 'SELECT count(*) FROM records'
    4
    ! thresh: old.db: left unchanged, since no records were found
    $ thresh -q -o fresh.csv none.html; ls fresh.csv
    ! thresh: fresh.csv: not written, since no records were found
    ! ls: cannot access 'fresh.csv': No such file or directory
    [2]
    $ thresh extract -w w.json -o old.csv none.html none.html
    ! thresh: none.html: no records: this wrapper finds none on this page
    ! thresh: none.html: no records: this wrapper finds none on this page
    ! thresh: no records on 2 of 2 pages
    ! thresh: old.csv: left unchanged, since no records were found
    [1]
    $ thresh regions -o old.json none.html
    ! thresh: none.html: no list of records found on this page
    ! thresh: old.json: left unchanged, since no records were found
    [1]
    $ thresh labels -o old.csv other.jsonl none.html
    ! thresh: old.csv: left unchanged, since no records were found
    ! thresh: other.jsonl: has no labels for any of these pages; it names other.html, which must be a page as given on the command line, or its URL
    [1]
    $ cat old.csv old.json
    old
    old
    $ thresh -q -f pages -o old.csv none.html && cat old.csv
    {"page":"none.html","records":[]}
    $ thresh none.html
    ! thresh: none.html: no list of records found on this page

What is read is not written over.

    $ echo page.html > list; mkdir pages; cp page.html pages/a.html; cp page.html pages/b.html; cp w.json before.json
    $ thresh -f csv -o page.html page.html
    ! thresh: page.html is an input and would be overwritten: choose another file for the output
    ! Try `thresh records --help` for usage.
    [2]
    $ thresh -f csv -o list @list
    ! thresh: @list is an input and would be overwritten: choose another file for the output
    ! Try `thresh records --help` for usage.
    [2]
    $ thresh -f csv -o page.html @list
    ! thresh: page.html: is an input and would be overwritten: choose another file for the output
    [1]
    $ thresh -f csv -o pages/b.html pages
    ! thresh: pages/b.html: is an input and would be overwritten: choose another file for the output
    [1]
    $ thresh extract -w w.json -o w.json page.html
    ! thresh: w.json is an input and would be overwritten: choose another file for the output
    ! Try `thresh extract --help` for usage.
    [2]
    $ thresh monitor -w w.json --records w.json page.html
    ! thresh: w.json is an input and would be overwritten: choose another file for the output
    ! Try `thresh monitor --help` for usage.
    [2]
    $ thresh repair -w w.json -o page.html page.html
    ! thresh: page.html is an input and would be overwritten: choose another file for the output
    ! Try `thresh repair --help` for usage.
    [2]
    $ thresh -f sqlite -o p.thresh --project p.thresh page.html
    ! thresh: p.thresh is an input and would be overwritten: choose another file for the output
    ! Try `thresh records --help` for usage.
    [2]
    $ cmp page.html examples/pages/books.html && cmp pages/b.html page.html && cmp w.json before.json && cat list && ls -A pages
    page.html
    a.html
    b.html

Rows of monitor say their run and its date.

    $ thresh monitor -q -w w.json --date 2026-01-02 --records runs.db page.html > line; thresh monitor -q -w w.json --date 2026-01-03 --records runs.db page.html > line
    $ sqlite runs.db 'SELECT run, run_date, count(*) FROM records GROUP BY run'
    1 2026-01-02 4
    2 2026-01-03 4

A temporary file that a killed process left is removed by the next one.

    $ touch .left.csv.0123abcd.tmp .left.csv.tmp; thresh -q -o left.csv page.html; ls -A | grep left
    .left.csv.tmp
    left.csv

Rows for people. Text of a page is never markup or a formula, and an address is a link.

    $ printf '<ul><li><a href="https://x.example/?a=1&b=2"><b>=1+1 | <i>x</i></b></a><li><a href="https://x.example/2"><b>&lt;script>_a_</b></a><li><a href="https://x.example/3"><b>Tea</b></a></ul>' > odd.html
    $ thresh -f markdown odd.html
    | title | title\_url |
    |---|---|
    | =1+1 \| x | <https://x.example/?a=1&b=2> |
    | \<script\>\_a\_ | <https://x.example/2> |
    | Tea | <https://x.example/3> |
    $ thresh -f html odd.html | grep '^<tr>'
    <tr><td>=1+1 | x</td><td><a rel="noopener noreferrer" href="https://x.example/?a=1&amp;b=2">https://x.example/?a=1&amp;b=2</a></td></tr>
    <tr><td>&lt;script&gt;_a_</td><td><a rel="noopener noreferrer" href="https://x.example/2">https://x.example/2</a></td></tr>
    <tr><td>Tea</td><td><a rel="noopener noreferrer" href="https://x.example/3">https://x.example/3</a></td></tr>
    $ thresh -o odd.md odd.html; thresh -o odd.htm odd.html; thresh -f markdown odd.html | cmp - odd.md; thresh -f html odd.html | cmp - odd.htm
    $ thresh -f xlsx odd.html
    ! thresh: -f xlsx needs a file to write to: -o FILE
    ! Try `thresh records --help` for usage.
    [2]
    $ thresh -o odd.xlsx odd.html; python3 -c "import re, zipfile; print(*re.findall('<t[^>]*>(.*?)</t>', zipfile.ZipFile('odd.xlsx').read('xl/worksheets/sheet1.xml').decode()), sep=chr(10))"
    title
    title_url
    =1+1 | x
    https://x.example/?a=1&amp;b=2
    &lt;script&gt;_a_
    https://x.example/2
    Tea
    https://x.example/3
    $ echo old > kept.xlsx; python3 -c "print('<ul><li><b>One</b> <i>a</i><li><b>', 'x' * 40000, '</b> <i>b</i><li><b>Three</b> <i>c</i></ul>')" > long.html
    $ thresh -o kept.xlsx long.html
    ! thresh: record 2 has 40000 characters in "text_1", and a cell of a workbook holds 32767: write csv or another format
    [1]
    $ cat kept.xlsx; ls -A | grep -c 'kept.xlsx.'
    old
    0
    [1]
    $ thresh -o /dev/full -f xlsx odd.html
    ! thresh: xlsx needs a plain file, and /dev/full is not one
    [1]

Adding to a file that exists.

    $ echo '<table><tr><th>Sku<th>Price<tr><td>A1<td>9.50<tr><td>B2<td>4.00<tr><td>C3<td>1.20</table>' > monday.html
    $ echo '<table><tr><th>Sku<th>Note<tr><td>B2<td>x, y<tr><td>D4<td>"z"<tr><td>E5<td>w</table>' > tuesday.html
    $ for f in csv tsv; do for o in --append '--upsert sku'; do rm -f p.$f; for p in monday tuesday; do thresh $o -o p.$f $p.html; done; echo $f $o; tr -d '\r' < p.$f; done; done
    csv --append
    sku,price,note
    A1,9.50,
    B2,4.00,
    C3,1.20,
    B2,,"x, y"
    D4,,"""z"""
    E5,,w
    csv --upsert sku
    sku,price,note
    A1,9.50,
    B2,4.00,"x, y"
    C3,1.20,
    D4,,"""z"""
    E5,,w
    tsv --append
    sku	price	note
    A1	9.50	
    B2	4.00	
    C3	1.20	
    B2		x, y
    D4		"z"
    E5		w
    tsv --upsert sku
    sku	price	note
    A1	9.50	
    B2	4.00	x, y
    C3	1.20	
    D4		"z"
    E5		w
    $ thresh --excel -o bom.csv monday.html; thresh --append -o bom.csv tuesday.html; head -c 3 bom.csv | od -t x1 -A n; grep -c . bom.csv
     ef bb bf
    7
    $ thresh --upsert sku -o p.db monday.html; thresh --upsert sku -o p.db tuesday.html
    $ python3 -c "import sqlite3; print(*sqlite3.connect('p.db').execute('select id, page, sku, price, note from records'), sep=chr(10))"
    (1, 'monday.html', 'A1', '9.50', None)
    (2, 'tuesday.html', 'B2', '4.00', 'x, y')
    (3, 'monday.html', 'C3', '1.20', None)
    (4, 'tuesday.html', 'D4', None, '"z"')
    (5, 'tuesday.html', 'E5', None, 'w')
    $ cp p.csv before.csv; thresh --upsert nothing -o p.csv monday.html; thresh --upsert page -o p.db monday.html; cmp p.csv before.csv
    ! thresh: there is no column "nothing" to find the rows to replace: name a column of the records
    ! thresh: there is no column "page" to find the rows to replace: name a column of the records
    $ printf 'a,b\n1\n' > bad.csv; thresh --append -o bad.csv monday.html; printf 'a,"b\n1\n' > bad.csv; thresh --append -o bad.csv monday.html; printf 'a,a\n1,2\n' > bad.csv; thresh --append -o bad.csv monday.html; cat bad.csv
    a,a
    1,2
    ! thresh: cannot add to bad.csv: line 2 has 1 cells and the header has 2. Mend the file, or choose another one
    ! thresh: cannot add to bad.csv: the quote in line 1 is never closed. Mend the file, or choose another one
    ! thresh: cannot add to bad.csv: its header has "a" twice. Rename one of them, or choose another file
    $ thresh --append -o new.json monday.html
    ! thresh: --append needs a file of csv, tsv or sqlite: -o FILE
    ! Try `thresh records --help` for usage.
    [2]
    $ thresh --append monday.html; thresh --append --replace -o p.db monday.html; thresh extract -w w.json --resume j --append -o p.csv monday.html
    ! thresh: --append needs a file of csv, tsv or sqlite: -o FILE
    ! Try `thresh records --help` for usage.
    ! thresh: --append and --replace exclude each other
    ! Try `thresh records --help` for usage.
    ! thresh: --append and --resume exclude each other: a run that goes on adds to its own output
    ! Try `thresh extract --help` for usage.
    [2]
