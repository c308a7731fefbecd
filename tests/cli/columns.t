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
