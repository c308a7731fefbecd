IEPAD on the command line: all patterns with their measures, the paper's examples, levels, slots, and the steps.

Figure 6: records of a search engine, of which some lack the description. The first pattern is the paper's, although that
turned so that a record begins with the second line covers as much.

    $ printf '<h1>Results</h1>\n' > seek.html
    $ for i in 0 1 2 3 4 5 6; do d="About $i<br>"; [ $i = 2 ] && d='<br>'; printf '<p><a href=/%s>Title %s</a><br>%s<font size=-1>9%s%% <b>%s Jun 1999</b>, Size %s.1K</font><br>site%s.com\n' $i $i "$d" $i $i $i $i >> seek.html; done
    $ thresh regions --engine iepad --most 1 -f table seek.html
    seek.html, region 1: iepad, score 0.0937, confidence 0.98, 7 records
    <p><TEXT><br>[<TEXT>|-]<br><TEXT><br><TEXT>
    variance 0.05, density 0.90, regularity 0.95
    text_1   text_2   text_3  text_4      text_5       text_6     link_1
    ───────  ───────  ──────  ──────────  ───────────  ─────────  ──────
    Title 0  About 0  90%     0 Jun 1999  , Size 0.1K  site0.com  /0
    Title 1  About 1  91%     1 Jun 1999  , Size 1.1K  site1.com  /1
    Title 2           92%     2 Jun 1999  , Size 2.1K  site2.com  /2
    Title 3  About 3  93%     3 Jun 1999  , Size 3.1K  site3.com  /3
    Title 4  About 4  94%     4 Jun 1999  , Size 4.1K  site4.com  /4
    Title 5  About 5  95%     5 Jun 1999  , Size 5.1K  site5.com  /5
    Title 6  About 6  96%     6 Jun 1999  , Size 6.1K  site6.com  /6
    ! thresh: seek.html: 1 of 3 lists shown: --most 3 shows all
    $ thresh regions --engine iepad --paper -q -f ndjson seek.html | sed 's/,"records.*//'
    {"page":"seek.html","engine":"iepad","score":0.09373149772803946,"confidence":0.91,"pattern":"<p><TEXT><br>[<TEXT>|-]<br><TEXT><br><TEXT>","variance":0.051,"density":0.897,"regularity":0.952
    {"page":"seek.html","engine":"iepad","score":0.018760888896435415,"confidence":0.275,"pattern":"<TEXT><br>[<TEXT>|<br>|-][<p>|-]","variance":0.343,"density":0.745,"regularity":0.932
    {"page":"seek.html","engine":"iepad","score":0.023668803066910306,"confidence":0.329,"pattern":"<TEXT><br><TEXT>[<p>|-][<TEXT>|-][<br>|<p>][<br>|-]","variance":0.195,"density":0.706,"regularity":0.753
    {"page":"seek.html","engine":"iepad","score":0.02310006162705494,"confidence":0.323,"pattern":"<br><TEXT><br><TEXT><p><TEXT><br>[<TEXT>|-]","variance":0.051,"density":0.897,"regularity":0.949
    $ thresh --engine iepad --levels 1 seek.html | head -1
    {"text_1":"Title 0","text_2":"About 0","text_3":"90% 0 Jun 1999, Size 0.1K","text_4":"site0.com"}
    $ thresh --engine iepad --levels 3 --lower-encoding no-special seek.html | head -1
    {"text_1":"Title 0","text_2":"About 0","text_3":"90%","text_4":"0 Jun 1999","text_5":", Size 0.1K","text_6":"site0.com","link_1":"/0"}

Slots are chosen and named as in the paper's viewer.

    $ thresh learn -q --date 2026-01-02 --engine iepad --slots text_1=title,text_3=score,link_1=url -o seek.json seek.html
    $ thresh extract -w seek.json seek.html | sed -n '1p;3p'
    {"title":"Title 0","score":"90%","url":"/0"}
    {"title":"Title 2","score":"92%","url":"/2"}
    $ thresh show seek.json
    wrapper of engine iepad
    schema
      {<(title)?,(score)?,(url)?>}
    records: what matches, with the fields of each pattern
      <p><TEXT><br>[<TEXT>|-]<br><TEXT><br><TEXT>
        <a><TEXT></a>    url, title
        <font><TEXT><b><TEXT></b><TEXT></font>    score
    learnt on 2026-01-02 from
      seek.html, 7 records
    $ thresh learn --engine iepad --slots title seek.html
    ! thresh: the pattern has no slot "title" (available: link_1, text_1, text_2, text_3, text_4, text_5, text_6)
    [1]
    $ thresh learn --engine iepad --slots text_1=a,text_2=a seek.html
    ! thresh: slots: "a" appears twice
    [1]
    $ thresh learn --engine iepad --slots text_1= seek.html
    ! thresh: slots: "text_1" has an empty name
    [1]
    $ thresh learn --engine mdr --slots text_1 seek.html
    ! thresh: slots can be chosen with engine iepad alone
    [1]

Section 2.4: [U|-]N[A|-][M|-] in the orders (U,N,A,M), (U,N,A), (U,N,M), (N,A).

    $ printf '<div>' > perm.html
    $ for i in 0 1 2 3; do printf '<hr><h3>u</h3><p>n</p><pre>a</pre><h4>m</h4><hr><h3>u</h3><p>n</p><pre>a</pre><hr><h3>u</h3><p>n</p><h4>m</h4><hr><p>n</p><pre>a</pre>' >> perm.html; done
    $ printf '</div><hr>footer' >> perm.html
    $ thresh regions -q --engine iepad --paper -f ndjson perm.html | head -1 | sed 's/,"records.*//'
    {"page":"perm.html","engine":"iepad","score":0.120355590903625,"confidence":0.507,"pattern":"<hr>[<h3>|-][<TEXT>|-][</h3>|-]<p><TEXT></p>[<h4>|<pre>]<TEXT>[</h4>|</pre>][<h4>|-][<TEXT>|-][</h4>|-]","variance":0.219,"density":0.3,"regularity":0.8
    $ thresh --engine iepad --paper perm.html | sort | uniq -c | sed 's/^ *//'
    4 {"text_1":"u","text_2":"n","text_3":"a","text_4":"m"}
    4 {"text_1":"u","text_2":"n","text_3":"a","text_4":null}
    4 {"text_1":"u","text_2":"n","text_3":"m","text_4":null}
    4 {"text_1":null,"text_2":"n","text_3":"a","text_4":null}

Lists without end tags: their repeats are powers of one that is shorter than --min-length.

    $ printf '<ul><li>a 1<li>b 2<li>c 3<li>d 4<li>e 5<li>f 6<li>g 7</ul>' > li.html
    $ thresh --engine iepad --paper li.html | head -2
    {"text_1":"a 1"}
    {"text_1":"b 2"}

The steps: what each encoding makes of the page, maximal repeats, candidates, alignments, record patterns.

    $ thresh regions --trace --engine iepad --paper -f table seek.html
    page: name seek.html, engine iepad
      encoding: scheme all-tag, tokens 114, percent of bytes 15.02
      encoding: scheme no-physical, tokens 86, percent of bytes 11.33
      encoding: scheme no-special, tokens 86, percent of bytes 11.33
      encoding: scheme no-logical, tokens 114, percent of bytes 15.02
      encoding: scheme block-level, tokens 58, percent of bytes 7.64
      token string: tokens <h1><TEXT></h1><p><TEXT><br><TEXT><br><TEXT><br><TEXT><p><TEXT><br><TEXT><br><TEXT><br><TEXT><p><TEXT><br><br><TEXT><br><TEXT><p><TEXT><br><TEXT><br><TEXT><br><TEXT><p><TEXT><br><TEXT><br><TEXT><br><TEXT><p><TEXT><br><TEXT><br><TEXT><br><TEXT><p><TEXT><br><TEXT><br><TEXT><br><TEXT>
      maximal repeat: length 5, occurrences 12, power of 2, repeat <TEXT><br><TEXT><br><TEXT>
      maximal repeat: length 12, occurrences 5, without overlap 3, variance 0.03, density 0.77, repeat <br><TEXT><br><TEXT><p><TEXT><br><TEXT><br><TEXT><br><TEXT>
      maximal repeat: length 3, occurrences 19, without overlap 13, variance 0.20, density 0.71, repeat <TEXT><br><TEXT>
      maximal repeat: length 11, occurrences 5, without overlap 3, variance 0.18, density 0.56, repeat <p><TEXT><br><TEXT><br><TEXT><br><TEXT><p><TEXT><br>
      maximal repeat: length 4, occurrences 13, power of 2, repeat <br><TEXT><br><TEXT>
      maximal repeat: length 8, occurrences 6, without overlap 6, variance 0.30, density 0.85, repeat <p><TEXT><br><TEXT><br><TEXT><br><TEXT>
      maximal repeat: length 7, occurrences 6, without overlap 6, variance 0.05, density 0.90, repeat <br><TEXT><br><TEXT><p><TEXT><br>
      maximal repeat: length 3, occurrences 7, without overlap 7, variance 0.05, density 0.38, repeat <p><TEXT><br>
      maximal repeat: length 2, occurrences 20, without overlap 20, variance 0.34, density 0.75, repeat <TEXT><br>
      maximal repeat: length 2, occurrences 20, without overlap 20, variance 0.38, density 0.75, repeat <br><TEXT>
      candidate: variance 0.20, density 0.71, at <4,8,12,16,23,27,31,35,39,43,47,51,55>, repeat <TEXT><br><TEXT>
        alignment: pattern <TEXT><br><TEXT>[<p>|-][<TEXT>|-][<br>|<p>][<br>|-]
        record pattern: records 9, pattern <TEXT><br><TEXT>[<p>|-][<TEXT>|-][<br>|<p>][<br>|-]
          record: row <TEXT> <br> <TEXT> - - <br> -
          record: row <TEXT> <br> <TEXT> <p> <TEXT> <br> -
          record: row <TEXT> <br> <TEXT> - - <br> -
          record: row <TEXT> <br> <TEXT> <p> <TEXT> <br> -
          record: row <TEXT> <br> <TEXT> - - <br> -
          record: row <TEXT> <br> <TEXT> - - <br> -
          record: row <TEXT> <br> <TEXT> <p> <TEXT> <br> -
          record: row <TEXT> <br> <TEXT> - - <br> -
          record: row <TEXT> <br> <TEXT> - - <br> -
      candidate: variance 0.30, density 0.85, at <3,11,26,34,42,50>, repeat <p><TEXT><br><TEXT><br><TEXT><br><TEXT>
        alignment: pattern <p><TEXT><br><TEXT><br><TEXT><br><TEXT>[<p>|-][<TEXT>|-][<br>|-][<br>|-][<TEXT>|-][<br>|-][<TEXT>|-]
        too few records: records 3, pattern <p><TEXT><br><TEXT><br><TEXT><br><TEXT>[<p>|-][<TEXT>|-][<br>|-][<br>|-][<TEXT>|-][<br>|-][<TEXT>|-]
      candidate: variance 0.05, density 0.90, at <7,15,22,30,38,46>, repeat <br><TEXT><br><TEXT><p><TEXT><br>
        alignment: pattern <br><TEXT><br><TEXT><p><TEXT><br>[<TEXT>|-]
        record pattern: records 7, pattern <p><TEXT><br>[<TEXT>|-]<br><TEXT><br><TEXT>
          record: row <p> <TEXT> <br> <TEXT> <br> <TEXT> <br> <TEXT>
          record: row <p> <TEXT> <br> <TEXT> <br> <TEXT> <br> <TEXT>
          record: row <p> <TEXT> <br> - <br> <TEXT> <br> <TEXT>
          record: row <p> <TEXT> <br> <TEXT> <br> <TEXT> <br> <TEXT>
          record: row <p> <TEXT> <br> <TEXT> <br> <TEXT> <br> <TEXT>
          record: row <p> <TEXT> <br> <TEXT> <br> <TEXT> <br> <TEXT>
          record: row <p> <TEXT> <br> <TEXT> <br> <TEXT> <br> <TEXT>
        record pattern: records 6, pattern <br><TEXT><br><TEXT><p><TEXT><br>[<TEXT>|-]
          record: row <br> <TEXT> <br> <TEXT> <p> <TEXT> <br> <TEXT>
          record: row <br> <TEXT> <br> <TEXT> <p> <TEXT> <br> -
          record: row <br> <TEXT> <br> <TEXT> <p> <TEXT> <br> <TEXT>
          record: row <br> <TEXT> <br> <TEXT> <p> <TEXT> <br> <TEXT>
          record: row <br> <TEXT> <br> <TEXT> <p> <TEXT> <br> <TEXT>
          record: row <br> <TEXT> <br> <TEXT> <p> <TEXT> <br> <TEXT>
      candidate: variance 0.05, density 0.38, at <3,11,19,26,34,42,50>, repeat <p><TEXT><br>
        alignment: pattern <p><TEXT><br>[<TEXT>|-]<br><TEXT><br><TEXT>
      candidate: variance 0.34, density 0.75, at <4,6,8,12,14,16,20,23,27,29,31,35,37,39,43,45,47,51,53,55>, repeat <TEXT><br>
        alignment: pattern <TEXT><br>[<TEXT>|<br>|-][<p>|-]
        record pattern: records 14, pattern <TEXT><br>[<TEXT>|<br>|-][<p>|-]
          record: row <TEXT> <br> <TEXT> -
          record: row <TEXT> <br> <TEXT> <p>
          record: row <TEXT> <br> <TEXT> -
          record: row <TEXT> <br> <TEXT> <p>
          record: row <TEXT> <br> <br> -
          record: row <TEXT> <br> <TEXT> <p>
          record: row <TEXT> <br> <TEXT> -
          record: row <TEXT> <br> <TEXT> <p>
          record: row <TEXT> <br> <TEXT> -
          record: row <TEXT> <br> <TEXT> <p>
          record: row <TEXT> <br> <TEXT> -
          record: row <TEXT> <br> <TEXT> <p>
          record: row <TEXT> <br> <TEXT> -
          record: row <TEXT> <br> <TEXT> -
