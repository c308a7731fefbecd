Which columns are shown, and what their texts mean.

    $ printf '<ul>' > shop.html; for i in 1 2 3 4; do printf '<li><h3><a href=/%s>Lamp %s</a></h3><p class=price>%s.299,50 €<p>%s/5/2026<p>In stock' $i $i $i $((i * 7)); done >> shop.html

Constant columns are left out; `--all` has them.

    $ thresh -f csv shop.html | tr -d '\r'
    title,price,date,title_url
    Lamp 1,"1.299,50 €",7/5/2026,/1
    Lamp 2,"2.299,50 €",14/5/2026,/2
    Lamp 3,"3.299,50 €",21/5/2026,/3
    Lamp 4,"4.299,50 €",28/5/2026,/4
    $ thresh --all -f csv shop.html | tr -d '\r' | head -2
    title,price,date,text_1,title_url
    Lamp 1,"1.299,50 €",7/5/2026,In stock,/1

Types stand beside the texts, in every format and with a wrapper.

    $ thresh --types -f ndjson shop.html | tail -1
    {"title":"Lamp 4","price":"4.299,50 €","price_value":4299.5,"price_currency":"EUR","date":"28/5/2026","date_iso":"2026-05-28","title_url":"/4"}
    $ thresh learn -q -o shop.json shop.html && thresh extract -w shop.json --types -f tsv shop.html | head -2
    title	price	price_value	price_currency	date	date_iso	text_1	other	title_url
    Lamp 1	1.299,50 €	1299.50	EUR	7/5/2026	2026-05-07	In stock		/1
    $ thresh learn -q -o shop.json shop.html && thresh extract -w shop.json -f tsv shop.html | head -2
    title	price	date	text_1	other	title_url
    Lamp 1	1.299,50 €	7/5/2026	In stock		/1
    $ thresh regions --types -f ndjson shop.html | grep -c price_value
    1
    $ thresh --types -o shop.sqlite shop.html && python3 -c 'import sqlite3; print(sqlite3.connect("shop.sqlite").execute("select price_value, price_currency, date_iso from records").fetchone())'
    ('1299.50', 'EUR', '2026-05-07')

There is an end to columns.

    $ { printf '<div>'; for r in 1 2 3 4 5 6; do printf '<section><h3>Title %s</h3>' $r; for c in $(seq 1 90); do printf '<p class=k%s%s>v%s-%s</p>' $(echo $c | tr 0-9 a-j) x $r $c; done; printf '</section>'; done; } > wide.html
    $ thresh -f csv wide.html | head -1 | tr ',' '\n' | wc -l
    60
    $ thresh -f csv wide.html | head -1 | tr -d '\r' | grep -o 'other'
    other

Columns can be chosen, renamed, merged and typed, when a wrapper is learnt and when it is run. A type adds its columns without `--types`.

    $ thresh learn -q --columns 'price=cost:price,title+date=what' --join ' of ' -o few.json shop.html && thresh extract -q -w few.json -f csv shop.html | tr -d '\r' | head -2
    cost,cost_value,cost_currency,what
    "1.299,50 €",1299.50,EUR,Lamp 1 of 7/5/2026
    $ thresh show few.json | sed -n '/given/,/next/p' | head -3
    given
      cost  price, as a price
      what  title; and date, with " of " between them
    $ thresh extract -q -w few.json --columns 'what,*' shop.html | tail -1
    {"what":"Lamp 4 of 28/5/2026","cost":"4.299,50 €","cost_value":4299.5,"cost_currency":"EUR"}
    $ thresh extract -q -w shop.json --columns '*,price:text' --types shop.html | tail -1
    {"title":"Lamp 4","date":"28/5/2026","date_iso":"2026-05-28","text_1":"In stock","other":null,"title_url":"/4","price":"4.299,50 €"}
    $ thresh extract -q -w few.json --columns 'what,nothing' shop.html
    ! thresh: no column "nothing": there are cost, what
    [1]
    $ thresh extract -q -w few.json --columns 'what:words' shop.html
    ! thresh: unknown type "words" of a column (any, text, number, price or date)
    [1]
    $ thresh extract -q -w few.json --columns 'what+cost' shop.html
    ! thresh: column "what" cannot be merged: it is merged already
    [1]
    $ thresh extract -q -w few.json --columns 'what' --verify shop.html
    ! thresh: --columns cannot be used with --verify
    ! Try `thresh extract --help` for usage.
    [2]

A site that changed: a column keeps its type; one that was merged is lost rather than half of it.

    $ for old in 1 2 3; do printf '<ul>' > $old.html; for i in 1 2 3 4 5 6; do printf '<li><h3>Lamp %s%s</h3><p class=price>%s%s9,50 €<p class=city>Town %s<p class=street>%s Mill Road' $old $i $old $i $i $i$old; done >> $old.html; done
    $ for new in 1 2 3; do printf '<div>' > new$new.html; for i in 1 2 3 4 5 6; do printf '<article><em class=cost>%s%s9,50 €</em><h2>Lamp %s%s</h2><div><span class=s>%s Mill Road</span><span class=t>Town %s</span></div></article>' $new $i $new $i $i$new $i; done >> new$new.html; done
    $ thresh learn -q --engine lists --columns 'title=name,price:price' -o typed.json [123].html && thresh repair -q -w typed.json -o typed2.json new*.html && thresh extract -q -w typed2.json new1.html | head -1
    repaired: the new wrapper reads the pages as the old one did
      repaired  name: Lamp 11
      repaired  price: 119,50 €
    {"name":"Lamp 11","price":"119,50 €","price_value":119.5,"price_currency":"EUR"}
    $ thresh learn -q --engine lists --columns 'title=name,city+street=place' --join ', ' -o merged.json [123].html && thresh repair -w merged.json -o merged2.json new*.html
    broken: the best new wrapper loses 1 of 2 fields and is not used; --allow-lost accepts it
      repaired  name: Lamp 11
      lost      place
    [3]
