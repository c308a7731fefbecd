The program says which version it is.

    $ thresh --version
    thresh 0.1.0
