Pages of two templates, an error page among them, and one page alone.

    $ book() { echo "<html><body class=shop><ul class=nav><li><a href=/>Home</a></ul><div class=book><h1 class=title>$1</h1><p class=author>$2</p><p class=price><b>$3</b></p></div></body></html>"; }
    $ row() { echo "<html><body><center><table border=1><tr><td><font size=2>$1</font></td><td><i>$2</i></td></tr></table></center></body></html>"; }
    $ book Emma Austen 6 > b1.html; book Walden Thoreau 7 > b2.html; book Germinal Zola 5 > b3.html
    $ row Oslo 5 > r1.html; row Rome 9 > r2.html
    $ echo '<html><head><title>404</title></head><body><h1>Not Found</h1></body></html>' > gone.html
    $ thresh clusters b1.html r1.html gone.html b2.html r2.html b3.html
    {"cluster":1,"count":3,"pages":["b1.html","b2.html","b3.html"]}
    {"cluster":2,"count":2,"pages":["r1.html","r2.html"]}
    {"cluster":null,"count":1,"pages":["gone.html"]}
    ! thresh: 6 pages: 2 clusters, 1 outlier
