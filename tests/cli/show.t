The views of a page.

    $ cat > page.html <<'END'
    > <!DOCTYPE html><title>A &amp; B</title><base href="http://a.example/x/">
    > <script>if (a < b) "<p>no</p>"</script><!-- note -->
    > <ul class="l"><li><a href=one?q=1&amp;r title>One<b>der</b></a><li>Two&nbsp;3.50
    > <img src=/i.png alt="An &quot;i&quot;"></ul><p>end
    > END
    $ thresh show page.html
    page.html
      title     A & B
      encoding  utf-8 (from: valid utf-8)
      size      258 bytes of UTF-8
      tokens    25: 6 text, 10 start, 5 end, 1 rcdata, 1 raw, 1 comment, 1 doctype (2 blank)
      elements  10 (depth 4, tag paths 9, with a link 3)

     15-39   title
     22-31     "A & B"
     39-72   base href="http://a.example/x/"
     73-112  script
    126-251  ul class="l"
    140-189    li
    144-189      a href="one?q=1&amp;r"
    172-175        "One"
    175-185        b
    178-181          "der"
    189-246    li
    193-207      "Two 3.50"
    207-246      img src="/i.png" alt="An &quot;i&quot;"
    251-258  p
    254-258    "end"
    $ thresh show --tree page.html
     15-39   title
     22-31     "A & B"
     39-72   base href="http://a.example/x/"
     73-112  script
    126-251  ul class="l"
    140-189    li
    144-189      a href="one?q=1&amp;r" title
    172-175        "One"
    175-185        b
    178-181          "der"
    189-246    li
    193-207      "Two 3.50"
    207-246      img src="/i.png" alt="An &quot;i&quot;"
    251-258  p
    254-258    "end"
    $ thresh show --text page.html
     22-31   A & B
    172-181  Oneder
    193-207  Two 3.50
    254-258  end
    $ thresh show --links page.html
     51-70   base  http://a.example/x/
    152-165  a  http://a.example/x/one?q=1&r  "Oneder"
    216-222  img  http://a.example/i.png
    $ thresh show --tokens page.html
      0-15   doctype  <!DOCTYPE html>
     15-22   start    <title>
     22-31   rcdata   A &amp; B
     31-39   end      </title>
     39-72   start    <base href="http://a.example/x/">
     72-73   text     \n
     73-81   start    <script>
     81-103  raw      if (a < b) "<p>no</p>"
    103-112  end      </script>
    112-125  comment  <!-- note -->
    125-126  text     \n
    126-140  start    <ul class="l">
    140-144  start    <li>
    144-172  start    <a href=one?q=1&amp;r title>
    172-175  text     One
    175-178  start    <b>
    178-181  text     der
    181-185  end      </b>
    185-189  end      </a>
    189-193  start    <li>
    193-207  text     Two&nbsp;3.50\n
    207-246  start    <img src=/i.png alt="An &quot;i&quot;">
    246-251  end      </ul>
    251-254  start    <p>
    254-258  text     end\n
    $ thresh show --fine page.html | head -20
      0-15   markup       "<!DOCTYPE html>"
     15-22   tag          "<title>"
     22-23   allcaps      "A"
     23-24   space        " "
     24-29   punct        "&"
     29-30   space        " "
     30-31   allcaps      "B"
     31-39   endtag       "</title>"
     39-72   tag          "<base href="http://a.example/x/">"
     72-73   newline      "\n"
     73-81   tag          "<script>"
     81-103  markup       "if (a < b) "<p>no</p>""
    103-112  endtag       "</script>"
    112-125  markup       "<!-- note -->"
    125-126  newline      "\n"
    126-140  tag          "<ul class="l">"
    140-144  tag          "<li>"
    144-172  tag          "<a href=one?q=1&amp;r title>"
    172-175  initcap      "One"
    175-178  tag          "<b>"
    $ thresh show --info page.html
    page.html
      title     A & B
      encoding  utf-8 (from: valid utf-8)
      size      258 bytes of UTF-8
      tokens    25: 6 text, 10 start, 5 end, 1 rcdata, 1 raw, 1 comment, 1 doctype (2 blank)
      elements  10 (depth 4, tag paths 9, with a link 3)

For machines: every view as objects.

    $ for view in info tree text links tokens fine; do thresh show --$view -f ndjson page.html | sed -n 3p; done
    {"page":"page.html","start":39,"end":72,"node":2,"parent":0,"depth":1,"tag":"base","attributes":[{"name":"href","value":"http://a.example/x/"}]}
    {"page":"page.html","start":193,"end":207,"text":"Two 3.50"}
    {"page":"page.html","start":216,"end":222,"tag":"img","attribute":"src","url":"http://a.example/i.png","text":""}
    {"page":"page.html","start":22,"end":31,"kind":"rcdata","tag":null,"source":"A &amp; B"}
    {"page":"page.html","start":22,"end":23,"class":"allcaps","text":"A"}
    $ thresh show --links -f json page.html page.html | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))'
    6
    $ for view in info tree text links tokens fine; do thresh show --$view -f json page.html page.html | python3 -m json.tool > /dev/null || echo "$view is no JSON"; done
    $ : > empty.html; thresh show --tokens -f json empty.html
    []
    $ thresh show --tokens --info -f ndjson page.html | wc -l
    1

Several pages are told apart.

    $ thresh show --text page.html empty.html examples/pages/books.html | head -12
    page.html
     22-31   A & B
    172-181  Oneder
    193-207  Two 3.50
    254-258  end

    empty.html

    examples/pages/books.html
     70-98   Harbour Books: new this week
    139-191  Home New Help
    206-219  New this week
    $ mkdir folder && cp page.html folder && thresh show --links folder
    folder/page.html
     51-70   base  http://a.example/x/
    152-165  a  http://a.example/x/one?q=1&r  "Oneder"
    216-222  img  http://a.example/i.png
    $ thresh show --links --url http://b.example/y/z examples/pages/books.html | head -1
    136-137  a  http://b.example/  "Home"

Deep pages are flattened, and it is said.

    $ (for i in $(seq 600); do printf '<div>'; done; echo deep) > deep.html
    $ thresh show --info deep.html
    deep.html
      encoding  utf-8 (from: valid utf-8)
      size      3005 bytes of UTF-8
      tokens    601: 1 text, 600 start
      elements  600 (depth 512, tag paths 512, with a link 0)
      flattened 88 elements were deeper than the limit (--max-depth)
    $ thresh show --max-depth 3 deep.html | sed -n 2,11p
      encoding  utf-8 (from: valid utf-8)
      size      3005 bytes of UTF-8
      tokens    601: 1 text, 600 start
      elements  600 (depth 3, tag paths 3, with a link 0)
      flattened 597 elements were deeper than the limit (--max-depth)

       0-3005  div
       5-3005    div
      10-15        div
      15-20        div
