The program says which version it is.

    $ thresh --version
    thresh *.*.* (glob)
