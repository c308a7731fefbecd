# Made by scripts/gen-completions from the option tables in cli/: change those.

_thresh() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    local command=${COMP_WORDS[1]} words='' files=1
    COMPREPLY=()
    # --name=value reaches us as three words
    if [[ $cur == = ]]; then cur=''; fi
    if [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    local names='records regions clusters learn extract suggest verify repair monitor crawl show labels project serve mcp help'
    # without a command the words belong to the default one
    if [[ " $names " != *" $command "* ]]; then command=records; fi
    if ((COMP_CWORD == 1)) && [[ $cur == -* ]]; then
        words='-h --help -V --version --engine --all --pick --paper --combination --threshold --table-tags --encoding --levels --lower-encoding --min-length --min-count --max-variance --min-density --cluster-variance --max-mismatch -f --format -o --output --replace --append --upsert --excel --with-page --types --spans --project --site --split --resume --url --charset --max-bytes --max-depth --follow --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color' files=''
    elif ((COMP_CWORD == 1)); then
        words=$names
    else
        case $command:$prev in
        records:--engine) words='auto lists mdr iepad' files='' ;;
        records:--pick) return ;;
        records:--combination) return ;;
        records:--threshold) return ;;
        records:--encoding) words='all-tag no-physical no-special no-logical block-level' files='' ;;
        records:--levels) return ;;
        records:--lower-encoding) words='all-tag no-physical no-special no-logical block-level' files='' ;;
        records:--min-length) return ;;
        records:--min-count) return ;;
        records:--max-variance) return ;;
        records:--min-density) return ;;
        records:--cluster-variance) return ;;
        records:--max-mismatch) return ;;
        records:-f | records:--format) words='table csv ndjson json pages sqlite tsv markdown html xlsx' files='' ;;
        records:-o | records:--output) ;;
        records:--upsert) return ;;
        records:--project) ;;
        records:--site) return ;;
        records:--split) return ;;
        records:--resume) ;;
        records:--url) return ;;
        records:--charset) return ;;
        records:--max-bytes) return ;;
        records:--max-depth) return ;;
        records:--follow) return ;;
        records:--user-agent) return ;;
        records:--timeout) return ;;
        records:--max-redirects) return ;;
        records:--delay) return ;;
        records:--retries) return ;;
        records:--max-wait) return ;;
        records:--header) return ;;
        records:--cookie-jar) ;;
        records:--proxy) return ;;
        records:--site-file) ;;
        records:--cache) ;;
        records:--cache-age) return ;;
        records:--warc) ;;
        records:--wait-for) return ;;
        records:--scroll) return ;;
        records:-j | records:--jobs) return ;;
        records:--color) words='auto always never' files='' ;;
        regions:--engine) words='auto lists mdr iepad' files='' ;;
        regions:--most) return ;;
        regions:--combination) return ;;
        regions:--threshold) return ;;
        regions:--encoding) words='all-tag no-physical no-special no-logical block-level' files='' ;;
        regions:--levels) return ;;
        regions:--lower-encoding) words='all-tag no-physical no-special no-logical block-level' files='' ;;
        regions:--min-length) return ;;
        regions:--min-count) return ;;
        regions:--max-variance) return ;;
        regions:--min-density) return ;;
        regions:--cluster-variance) return ;;
        regions:--max-mismatch) return ;;
        regions:-f | regions:--format) words='table csv ndjson json pages sqlite tsv markdown html xlsx' files='' ;;
        regions:-o | regions:--output) ;;
        regions:--upsert) return ;;
        regions:--project) ;;
        regions:--site) return ;;
        regions:--split) return ;;
        regions:--resume) ;;
        regions:--url) return ;;
        regions:--charset) return ;;
        regions:--max-bytes) return ;;
        regions:--max-depth) return ;;
        regions:--user-agent) return ;;
        regions:--timeout) return ;;
        regions:--max-redirects) return ;;
        regions:--delay) return ;;
        regions:--retries) return ;;
        regions:--max-wait) return ;;
        regions:--header) return ;;
        regions:--cookie-jar) ;;
        regions:--proxy) return ;;
        regions:--site-file) ;;
        regions:--cache) ;;
        regions:--cache-age) return ;;
        regions:--warc) ;;
        regions:--wait-for) return ;;
        regions:--scroll) return ;;
        regions:-j | regions:--jobs) return ;;
        regions:--color) words='auto always never' files='' ;;
        clusters:-f | clusters:--format) words='table csv ndjson json pages sqlite tsv markdown html xlsx' files='' ;;
        clusters:-o | clusters:--output) ;;
        clusters:--upsert) return ;;
        clusters:--project) ;;
        clusters:--site) return ;;
        clusters:--url) return ;;
        clusters:--charset) return ;;
        clusters:--max-bytes) return ;;
        clusters:--max-depth) return ;;
        clusters:--user-agent) return ;;
        clusters:--timeout) return ;;
        clusters:--max-redirects) return ;;
        clusters:--delay) return ;;
        clusters:--retries) return ;;
        clusters:--max-wait) return ;;
        clusters:--header) return ;;
        clusters:--cookie-jar) ;;
        clusters:--proxy) return ;;
        clusters:--site-file) ;;
        clusters:--cache) ;;
        clusters:--cache-age) return ;;
        clusters:--warc) ;;
        clusters:--wait-for) return ;;
        clusters:--scroll) return ;;
        clusters:-j | clusters:--jobs) return ;;
        clusters:--color) words='auto always never' files='' ;;
        learn:--engine) words='auto lists mdr iepad template exalg softmealy stalker seams paths' files='' ;;
        learn:--labels) ;;
        learn:--example) return ;;
        learn:--at) return ;;
        learn:--body) return ;;
        learn:--nothing) return ;;
        learn:--pick) return ;;
        learn:--columns) return ;;
        learn:--join) return ;;
        learn:--cluster) return ;;
        learn:--save) return ;;
        learn:--correct) ;;
        learn:--without) return ;;
        learn:--slots) return ;;
        learn:--date) return ;;
        learn:--combination) return ;;
        learn:--threshold) return ;;
        learn:--encoding) words='all-tag no-physical no-special no-logical block-level' files='' ;;
        learn:--levels) return ;;
        learn:--lower-encoding) words='all-tag no-physical no-special no-logical block-level' files='' ;;
        learn:--min-length) return ;;
        learn:--min-count) return ;;
        learn:--max-variance) return ;;
        learn:--min-density) return ;;
        learn:--cluster-variance) return ;;
        learn:--max-mismatch) return ;;
        learn:--size-threshold) return ;;
        learn:--support-threshold) return ;;
        learn:-o | learn:--output) ;;
        learn:--project) ;;
        learn:--site) return ;;
        learn:--url) return ;;
        learn:--charset) return ;;
        learn:--max-bytes) return ;;
        learn:--max-depth) return ;;
        learn:--follow) return ;;
        learn:--user-agent) return ;;
        learn:--timeout) return ;;
        learn:--max-redirects) return ;;
        learn:--delay) return ;;
        learn:--retries) return ;;
        learn:--max-wait) return ;;
        learn:--header) return ;;
        learn:--cookie-jar) ;;
        learn:--proxy) return ;;
        learn:--site-file) ;;
        learn:--cache) ;;
        learn:--cache-age) return ;;
        learn:--warc) ;;
        learn:--wait-for) return ;;
        learn:--scroll) return ;;
        learn:-j | learn:--jobs) return ;;
        learn:--color) words='auto always never' files='' ;;
        extract:-w | extract:--wrapper) ;;
        extract:--columns) return ;;
        extract:--join) return ;;
        extract:--alpha) return ;;
        extract:-f | extract:--format) words='table csv ndjson json pages sqlite tsv markdown html xlsx' files='' ;;
        extract:-o | extract:--output) ;;
        extract:--upsert) return ;;
        extract:--project) ;;
        extract:--site) return ;;
        extract:--split) return ;;
        extract:--resume) ;;
        extract:--url) return ;;
        extract:--charset) return ;;
        extract:--max-bytes) return ;;
        extract:--max-depth) return ;;
        extract:--follow) return ;;
        extract:--user-agent) return ;;
        extract:--timeout) return ;;
        extract:--max-redirects) return ;;
        extract:--delay) return ;;
        extract:--retries) return ;;
        extract:--max-wait) return ;;
        extract:--header) return ;;
        extract:--cookie-jar) ;;
        extract:--proxy) return ;;
        extract:--site-file) ;;
        extract:--cache) ;;
        extract:--cache-age) return ;;
        extract:--warc) ;;
        extract:--wait-for) return ;;
        extract:--scroll) return ;;
        extract:-j | extract:--jobs) return ;;
        extract:--color) words='auto always never' files='' ;;
        suggest:-w | suggest:--wrapper) ;;
        suggest:--most) return ;;
        suggest:-f | suggest:--format) words='table csv ndjson json pages sqlite tsv markdown html xlsx' files='' ;;
        suggest:-o | suggest:--output) ;;
        suggest:--upsert) return ;;
        suggest:--url) return ;;
        suggest:--charset) return ;;
        suggest:--max-bytes) return ;;
        suggest:--max-depth) return ;;
        suggest:--user-agent) return ;;
        suggest:--timeout) return ;;
        suggest:--max-redirects) return ;;
        suggest:--delay) return ;;
        suggest:--retries) return ;;
        suggest:--max-wait) return ;;
        suggest:--header) return ;;
        suggest:--cookie-jar) ;;
        suggest:--proxy) return ;;
        suggest:--site-file) ;;
        suggest:--cache) ;;
        suggest:--cache-age) return ;;
        suggest:--warc) ;;
        suggest:--wait-for) return ;;
        suggest:--scroll) return ;;
        suggest:-j | suggest:--jobs) return ;;
        suggest:--color) words='auto always never' files='' ;;
        verify:-w | verify:--wrapper) ;;
        verify:--alpha) return ;;
        verify:--profile) ;;
        verify:-f | verify:--format) words='text json' files='' ;;
        verify:-o | verify:--output) ;;
        verify:--project) ;;
        verify:--site) return ;;
        verify:--url) return ;;
        verify:--charset) return ;;
        verify:--max-bytes) return ;;
        verify:--max-depth) return ;;
        verify:--user-agent) return ;;
        verify:--timeout) return ;;
        verify:--max-redirects) return ;;
        verify:--delay) return ;;
        verify:--retries) return ;;
        verify:--max-wait) return ;;
        verify:--header) return ;;
        verify:--cookie-jar) ;;
        verify:--proxy) return ;;
        verify:--site-file) ;;
        verify:--cache) ;;
        verify:--cache-age) return ;;
        verify:--warc) ;;
        verify:--wait-for) return ;;
        verify:--scroll) return ;;
        verify:-j | verify:--jobs) return ;;
        verify:--color) words='auto always never' files='' ;;
        repair:-w | repair:--wrapper) ;;
        repair:-o | repair:--output) ;;
        repair:--alpha) return ;;
        repair:--date) return ;;
        repair:-f | repair:--format) words='text json' files='' ;;
        repair:--project) ;;
        repair:--site) return ;;
        repair:--url) return ;;
        repair:--charset) return ;;
        repair:--max-bytes) return ;;
        repair:--max-depth) return ;;
        repair:--user-agent) return ;;
        repair:--timeout) return ;;
        repair:--max-redirects) return ;;
        repair:--delay) return ;;
        repair:--retries) return ;;
        repair:--max-wait) return ;;
        repair:--header) return ;;
        repair:--cookie-jar) ;;
        repair:--proxy) return ;;
        repair:--site-file) ;;
        repair:--cache) ;;
        repair:--cache-age) return ;;
        repair:--warc) ;;
        repair:--wait-for) return ;;
        repair:--scroll) return ;;
        repair:-j | repair:--jobs) return ;;
        repair:--color) words='auto always never' files='' ;;
        monitor:-w | monitor:--wrapper) ;;
        monitor:--records) ;;
        monitor:--alpha) return ;;
        monitor:--date) return ;;
        monitor:--webhook) return ;;
        monitor:-o | monitor:--output) ;;
        monitor:--project) ;;
        monitor:--site) return ;;
        monitor:--url) return ;;
        monitor:--charset) return ;;
        monitor:--max-bytes) return ;;
        monitor:--max-depth) return ;;
        monitor:--follow) return ;;
        monitor:--user-agent) return ;;
        monitor:--timeout) return ;;
        monitor:--max-redirects) return ;;
        monitor:--delay) return ;;
        monitor:--retries) return ;;
        monitor:--max-wait) return ;;
        monitor:--header) return ;;
        monitor:--cookie-jar) ;;
        monitor:--proxy) return ;;
        monitor:--site-file) ;;
        monitor:--cache) ;;
        monitor:--cache-age) return ;;
        monitor:--warc) ;;
        monitor:--wait-for) return ;;
        monitor:--scroll) return ;;
        monitor:-j | monitor:--jobs) return ;;
        monitor:--color) words='auto always never' files='' ;;
        crawl:--list) ;;
        crawl:--detail) ;;
        crawl:--link) return ;;
        crawl:--save) ;;
        crawl:--max-pages) return ;;
        crawl:--date) return ;;
        crawl:-f | crawl:--format) words='table csv ndjson json pages sqlite tsv markdown html xlsx' files='' ;;
        crawl:-o | crawl:--output) ;;
        crawl:--upsert) return ;;
        crawl:--project) ;;
        crawl:--site) return ;;
        crawl:--url) return ;;
        crawl:--charset) return ;;
        crawl:--max-bytes) return ;;
        crawl:--max-depth) return ;;
        crawl:--user-agent) return ;;
        crawl:--timeout) return ;;
        crawl:--max-redirects) return ;;
        crawl:--delay) return ;;
        crawl:--retries) return ;;
        crawl:--max-wait) return ;;
        crawl:--header) return ;;
        crawl:--cookie-jar) ;;
        crawl:--proxy) return ;;
        crawl:--site-file) ;;
        crawl:--cache) ;;
        crawl:--cache-age) return ;;
        crawl:--warc) ;;
        crawl:--wait-for) return ;;
        crawl:--scroll) return ;;
        crawl:-j | crawl:--jobs) return ;;
        crawl:--color) words='auto always never' files='' ;;
        show:--engine) words='exalg softmealy stalker' files='' ;;
        show:--labels) ;;
        show:--as) words='css xpath scrapy parsel python' files='' ;;
        show:-f | show:--format) words='text json ndjson' files='' ;;
        show:--size-threshold) return ;;
        show:--support-threshold) return ;;
        show:-o | show:--output) ;;
        show:--url) return ;;
        show:--charset) return ;;
        show:--max-bytes) return ;;
        show:--max-depth) return ;;
        show:--user-agent) return ;;
        show:--timeout) return ;;
        show:--max-redirects) return ;;
        show:--delay) return ;;
        show:--retries) return ;;
        show:--max-wait) return ;;
        show:--header) return ;;
        show:--cookie-jar) ;;
        show:--proxy) return ;;
        show:--site-file) ;;
        show:--cache) ;;
        show:--cache-age) return ;;
        show:--warc) ;;
        show:--wait-for) return ;;
        show:--scroll) return ;;
        show:-j | show:--jobs) return ;;
        show:--color) words='auto always never' files='' ;;
        labels:-f | labels:--format) words='table csv ndjson json pages sqlite tsv markdown html xlsx' files='' ;;
        labels:-o | labels:--output) ;;
        labels:--upsert) return ;;
        labels:--url) return ;;
        labels:--charset) return ;;
        labels:--max-bytes) return ;;
        labels:--max-depth) return ;;
        labels:--user-agent) return ;;
        labels:--timeout) return ;;
        labels:--max-redirects) return ;;
        labels:--delay) return ;;
        labels:--retries) return ;;
        labels:--max-wait) return ;;
        labels:--header) return ;;
        labels:--cookie-jar) ;;
        labels:--proxy) return ;;
        labels:--site-file) ;;
        labels:--cache) ;;
        labels:--cache-age) return ;;
        labels:--warc) ;;
        labels:--wait-for) return ;;
        labels:--scroll) return ;;
        labels:-j | labels:--jobs) return ;;
        labels:--color) words='auto always never' files='' ;;
        project:--site) return ;;
        project:--name) return ;;
        project:--key) return ;;
        project:-f | project:--format) words='table csv ndjson json pages sqlite tsv markdown html xlsx' files='' ;;
        project:-o | project:--output) ;;
        project:--upsert) return ;;
        project:--follow) return ;;
        project:--user-agent) return ;;
        project:--timeout) return ;;
        project:--max-redirects) return ;;
        project:--delay) return ;;
        project:--retries) return ;;
        project:--max-wait) return ;;
        project:--header) return ;;
        project:--cookie-jar) ;;
        project:--proxy) return ;;
        project:--site-file) ;;
        project:--cache) ;;
        project:--cache-age) return ;;
        project:--warc) ;;
        project:--wait-for) return ;;
        project:--scroll) return ;;
        project:-j | project:--jobs) return ;;
        project:--color) words='auto always never' files='' ;;
        serve:--project) ;;
        serve:--port) return ;;
        serve:--max-upload) return ;;
        serve:--user-agent) return ;;
        serve:--timeout) return ;;
        serve:--max-redirects) return ;;
        serve:--delay) return ;;
        serve:--retries) return ;;
        serve:--max-wait) return ;;
        serve:--header) return ;;
        serve:--cookie-jar) ;;
        serve:--proxy) return ;;
        serve:--site-file) ;;
        serve:--cache) ;;
        serve:--cache-age) return ;;
        serve:--warc) ;;
        serve:--wait-for) return ;;
        serve:--scroll) return ;;
        serve:-j | serve:--jobs) return ;;
        serve:--color) words='auto always never' files='' ;;
        mcp:--root) ;;
        mcp:--answer-records) return ;;
        mcp:--answer-bytes) return ;;
        mcp:--answer-pages) return ;;
        mcp:--user-agent) return ;;
        mcp:--timeout) return ;;
        mcp:--max-redirects) return ;;
        mcp:--delay) return ;;
        mcp:--retries) return ;;
        mcp:--max-wait) return ;;
        mcp:--header) return ;;
        mcp:--cookie-jar) ;;
        mcp:--proxy) return ;;
        mcp:--site-file) ;;
        mcp:--cache) ;;
        mcp:--cache-age) return ;;
        mcp:--warc) ;;
        mcp:--wait-for) return ;;
        mcp:--scroll) return ;;
        mcp:-j | mcp:--jobs) return ;;
        mcp:--color) words='auto always never' files='' ;;
        *)
            case $command in
            records)
                if [[ $cur == -* ]]; then words='--engine --all --pick --paper --combination --threshold --table-tags --encoding --levels --lower-encoding --min-length --min-count --max-variance --min-density --cluster-variance --max-mismatch -f --format -o --output --replace --append --upsert --excel --with-page --types --spans --project --site --split --resume --url --charset --max-bytes --max-depth --follow --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            regions)
                if [[ $cur == -* ]]; then words='--engine --most --trace --paper --combination --threshold --table-tags --encoding --levels --lower-encoding --min-length --min-count --max-variance --min-density --cluster-variance --max-mismatch -f --format -o --output --replace --append --upsert --excel --with-page --types --spans --project --site --split --resume --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            clusters)
                if [[ $cur == -* ]]; then words='-f --format -o --output --replace --append --upsert --excel --with-page --types --spans --project --site --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            learn)
                if [[ $cur == -* ]]; then words='--engine --labels --example --at --body --nothing --pick --list --tidy --columns --join --cluster --all-clusters --save --correct --without --slots --date --paper --combination --threshold --table-tags --encoding --levels --lower-encoding --min-length --min-count --max-variance --min-density --cluster-variance --max-mismatch --size-threshold --support-threshold -o --output --project --site --url --charset --max-bytes --max-depth --follow --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            extract)
                if [[ $cur == -* ]]; then words='-w --wrapper --columns --join --stream --verify --anyway --alpha -f --format -o --output --replace --append --upsert --excel --with-page --types --spans --project --site --split --resume --url --charset --max-bytes --max-depth --follow --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            suggest)
                if [[ $cur == -* ]]; then words='-w --wrapper --most -f --format -o --output --replace --append --upsert --excel --with-page --types --spans --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            verify)
                if [[ $cur == -* ]]; then words='-w --wrapper --alpha --paper --profile -f --format -o --output --project --site --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            repair)
                if [[ $cur == -* ]]; then words='-w --wrapper -o --output --new-fields --allow-lost --paper --alpha --date -f --format --project --site --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            monitor)
                if [[ $cur == -* ]]; then words='-w --wrapper --repair --new-fields --allow-lost --records --alpha --date --webhook -o --output --project --site --url --charset --max-bytes --max-depth --follow --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            crawl)
                if [[ $cur == -* ]]; then words='--list --detail --link --save --max-pages --other-hosts --again --date -f --format -o --output --replace --append --upsert --excel --with-page --types --spans --project --site --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            show)
                if [[ $cur == -* ]]; then words='--tree --text --links --next --tokens --fine --info --dot --template --trace --engine --labels --profile --as --partial -f --format --paper --size-threshold --support-threshold -o --output --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            labels)
                if [[ $cur == -* ]]; then words='-f --format -o --output --replace --append --upsert --excel --with-page --types --spans --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            project)
                if [[ $cur == -* ]]; then words='--site --name --all --no-looks --key -f --format -o --output --replace --append --upsert --excel --with-page --types --spans --follow --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            serve)
                if [[ $cur == -* ]]; then words='--project --port --new-address --no-browser --max-upload --allow-commands --no-looks --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            mcp)
                if [[ $cur == -* ]]; then words='--root --read-only --offline --answer-records --answer-bytes --answer-pages --allow-private --ignore-robots --user-agent --timeout --max-redirects --delay --retries --max-wait --header --cookie-jar --proxy --site-file --cache --cache-age --warc --render --wait-for --scroll -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            help)
                if [[ $cur == -* ]]; then words='-h --help' files=''
                else words='records regions clusters learn extract suggest verify repair monitor crawl show labels project serve mcp help' files=''
                fi
                ;;
            esac
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    if [[ -n $files ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -F _thresh thresh
