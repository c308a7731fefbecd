The inner steps of the engines of papers: `regions --trace` and `show --trace`.

    $ echo '<table><tr><td><b>A</b><td>1<tr><td><b>B</b><td>2<tr><td colspan=2><hr></table>' > rows.html
    $ thresh regions --trace --engine mdr --paper rows.html -f table
    page: name rows.html, engine mdr
    node: number 0, tag document, height 5
      node: number 1, tag table, height 4
        node: number 2, tag tr, height 3
          node: number 3, tag td, height 2
            node: number 4, tag b, height 1
          node: number 5, tag td, height 1
        node: number 6, tag tr, height 3
          node: number 7, tag td, height 2
            node: number 8, tag b, height 1
          node: number 9, tag td, height 1
        node: number 10, tag tr, height 3
          node: number 11, tag td, height 2
            node: number 12, tag hr, height 1
      compare: node 1, combination 1, first 1, second 2, distance 0.00, similar yes
      compare: node 1, combination 1, first 2, second 3, distance 0.57, similar no
      region: node 1, combination 1, start 1, count 2
      records: node 1, start 1, count 2, outside 0, case FindRecords-1, line 4: each node is a record
    $ thresh regions --trace --engine mdr --paper --combination 1 -f ndjson rows.html | tail -n 2
    {"step":"region","depth":1,"node":1,"combination":1,"start":1,"count":2}
    {"step":"records","depth":1,"node":1,"start":1,"count":2,"outside":0,"case":"FindRecords-1, line 4: each node is a record"}
    $ thresh regions --trace --engine mdr -f json rows.html rows.html | grep -c '"page"'
    2
    $ thresh regions --trace --engine mdr -f json rows.html | head -n 3
    [
    {"step":"page","depth":0,"name":"rows.html","engine":"mdr"},
    {"step":"node","depth":0,"number":0,"tag":"document","height":5,"start":0,"end":80},
    $ thresh regions --trace rows.html
    ! thresh: --trace needs --engine mdr or iepad
    ! Try `thresh regions --help` for usage.
    [2]
    $ thresh regions --trace --engine mdr -f csv rows.html
    ! thresh: --trace shows steps, not records: -f table, json or ndjson
    ! Try `thresh regions --help` for usage.
    [2]

Pages of one template. The second has no price, and the words of all are in one order.

    $ page() { echo "<html><body><h1>$1</h1>$2<hr><i>open daily</i></body></html>"; }
    $ page Kettle '<p>now at 5 euro</p>' > 1.html
    $ page Teapot > 2.html
    $ page Ladle '<p>now at 7 euro</p>' > 3.html
    $ thresh show --trace 1.html 2.html 3.html
    page: number 1, name 1.html, tokens 20
    page: number 2, name 2.html, tokens 14
    page: number 3, name 3.html, tokens 20
    round: number 1
      lfeq: class 1, size 11, support 3, vector <1,1,1>, roles <1,2,3,5,12,13,14,15,16,17,18>, tokens <html> <body> <h1> </h1> <hr> <i> open daily </i> </body> </html>
      lfeq: class 2, size 5, support 2, vector <1,0,1>, roles <6,7,8,10,11>, tokens <p> now at euro </p>
      handinv: classes all are ordered and nested
    consttemp
      posstring: class 1, position 3, pattern text, strings 3: *
      posstring: class 1, position 4, pattern optional, strings 2: E2 | 1: empty
      posstring: class 2, position 3, pattern text, strings 2: *
      template: class 2, is
          < <p> now at
            * euro </p> >
      template: class 1, is
          < <html> <body> <h1>
            * </h1>
            (< <p> now at
              * euro </p> >)? <hr> <i> open daily </i> </body> </html> >
    schema: is <B,(<B>)?>
    $ thresh show --trace -f ndjson 1.html 2.html 3.html | tail -n 1
    {"step":"schema","depth":0,"is":"<B,(<B>)?>"}
    $ thresh show --trace -f json 1.html 2.html 3.html | tail -n 2
    {"step":"schema","depth":0,"is":"<B,(<B>)?>"}
    ]
    $ thresh show --trace --tree 1.html
    ! thresh: --trace cannot be combined with another view
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show --engine exalg 1.html
    ! thresh: --engine needs --trace
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show --trace --engine mdr 1.html
    ! thresh: --engine cannot be 'mdr'; it is one of exalg, softmealy, stalker
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show --trace 1.html
    ! thresh: engine exalg compares pages and needs two or more of one template; for a single page use engine auto, mdr or iepad
    [1]
