filedesc://x.arc 0.0.0.0 20010203040506 text/plain 9
1 0 Test

http://x/a b 1.2.3.4 20010203040506 text/html 49
HTTP/1.0 200 OK
Content-Type: text/html

<p>a
http://x/c 1.2.3.4 20010203040506 text/html -1

dns:x 1.2.3.4 20010203040506 text/dns 3
abc
