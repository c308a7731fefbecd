Data that pages carry beside their text.

    $ cat > shop.html <<'END'
    > <title>Kitchen</title><ul class=menu><li><a href="/">Home</a><li><a href="/shop">Shop</a></ul><div id=root></div>
    > <script id="__NEXT_DATA__" type="application/json">{"props": {"products": [
    > {"name": "Copper k\u00e9ttle", "url": "/p/100", "image": "/i/100.jpg", "offers": {"price": 29.5}, "text": "For tea, soup and eggs"},
    > {"name": "Bread knife", "url": "/p/101", "image": "/i/101.jpg", "offers": {"price": 18.75}, "text": "For bread and cake"},
    > {"name": "Salt mill", "url": "/p/102", "image": "/i/102.jpg", "offers": {"price": 15.5}, "text": "For salt and pepper"}]}}</script>
    > END
    $ thresh regions -f table shop.html
    shop.html, region 1: lists in the page's data, score 48.5, confidence 0.99, 3 records
    name           offers_price  text                    url     image
    ─────────────  ────────────  ──────────────────────  ──────  ──────────
    Copper kéttle  29.5          For tea, soup and eggs  /p/100  /i/100.jpg
    Bread knife    18.75         For bread and cake      /p/101  /i/101.jpg
    Salt mill      15.5          For salt and pepper     /p/102  /i/102.jpg

    shop.html, region 2: lists, score 1.56, confidence 0.83, 2 records
    title  title_url
    ─────  ─────────
    Home   /
    Shop   /shop

Values have their places on the page.

    $ thresh --spans -f ndjson shop.html | head -n 1
    {"name":{"value":"Copper kéttle","start":200,"end":218},"offers_price":{"value":"29.5","start":281,"end":285},"text":{"value":"For tea, soup and eggs","start":297,"end":319},"url":{"value":"/p/100","start":229,"end":235},"image":{"value":"/i/100.jpg","start":248,"end":258}}
    $ python3 -c "print(open('shop.html', encoding='utf-8').read()[200:218])"
    Copper k\u00e9ttle

Wrappers read the data of other pages, and say so.

    $ thresh learn -o shop.json shop.html
    ! thresh: the records are in data that the pages carry beside their text: JSON in scripts, or microdata
    ! thresh: learnt from 3 records on 1 page
    $ sed 's/Salt mill/Pepper mill/' shop.html > other.html
    $ thresh extract -w shop.json -f csv other.html | tr -d "\r"
    name,offers_price,text,other,url,image
    Copper kéttle,29.5,"For tea, soup and eggs",,/p/100,/i/100.jpg
    Bread knife,18.75,For bread and cake,,/p/101,/i/101.jpg
    Pepper mill,15.5,For salt and pepper,,/p/102,/i/102.jpg
    $ grep reads shop.json
      "reads": "data",
    $ thresh show shop.json | head -n 1
    wrapper of engine lists for the data that pages carry in scripts and microdata
    $ thresh show --as css shop.json
    ! thresh: shop.json: the records cannot be exported: they are in data of scripts and microdata, which selectors do not see
    [1]

A page without the data has no records for it.

    $ echo '<p>Closed today.</p>' > closed.html
    $ thresh extract -w shop.json -f csv closed.html | tr -d "\r"
    name,offers_price,text,other,url,image
    ! thresh: closed.html: no records: this wrapper finds none on this page

JSON that is broken or deep, and scripts that are no JSON, are no data.

    $ python3 -c "print('<script type=\'application/json\'>' + '[' * 100000 + ']' * 100000 + '</script>')" > deep.html
    $ echo '<script>var a = {"x": [1, 2, </script><script type="application/ld+json">{"a": 1,}</script>' > broken.html
    $ thresh deep.html broken.html
    ! thresh: deep.html: no list of records found on this page; it has data in a script (application/json): try --render, which runs scripts
    ! thresh: broken.html: no list of records found on this page; its scripts seem to draw it: try --render
    ! thresh: no records on 2 of 2 pages
