# Made by scripts/gen-completions from the option tables in cli/: change those.

_thresh() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    local command=${COMP_WORDS[1]} words='' files=1
    COMPREPLY=()
    # --name=value reaches us as three words
    if [[ $cur == = ]]; then cur=''; fi
    if [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    local names='records regions learn extract show labels project serve help'
    # without a command the words belong to the default one
    if [[ " $names " != *" $command "* ]]; then command=records; fi
    if ((COMP_CWORD == 1)) && [[ $cur == -* ]]; then
        words='-h --help -V --version --engine --paper -f --format -o --output --replace --with-page --spans --project --site --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout -j --jobs -q --quiet -v --verbose --color' files=''
    elif ((COMP_CWORD == 1)); then
        words=$names
    else
        case $command:$prev in
        records:--engine) words='auto mdr iepad' files='' ;;
        records:-f | records:--format) words='table csv ndjson json pages sqlite' files='' ;;
        records:-o | records:--output) ;;
        records:--project) ;;
        records:--site) return ;;
        records:--url) return ;;
        records:--charset) return ;;
        records:--max-bytes) return ;;
        records:--max-depth) return ;;
        records:--user-agent) return ;;
        records:--timeout) return ;;
        records:-j | records:--jobs) return ;;
        records:--color) words='auto always never' files='' ;;
        regions:--engine) words='auto mdr iepad' files='' ;;
        regions:-f | regions:--format) words='table csv ndjson json pages sqlite' files='' ;;
        regions:-o | regions:--output) ;;
        regions:--project) ;;
        regions:--site) return ;;
        regions:--url) return ;;
        regions:--charset) return ;;
        regions:--max-bytes) return ;;
        regions:--max-depth) return ;;
        regions:--user-agent) return ;;
        regions:--timeout) return ;;
        regions:-j | regions:--jobs) return ;;
        regions:--color) words='auto always never' files='' ;;
        learn:--engine) words='auto mdr iepad exalg softmealy stalker paths' files='' ;;
        learn:--labels) ;;
        learn:--example) return ;;
        learn:--at) return ;;
        learn:--pick) return ;;
        learn:--correct) ;;
        learn:--without) return ;;
        learn:--save) return ;;
        learn:--date) return ;;
        learn:-o | learn:--output) ;;
        learn:--project) ;;
        learn:--site) return ;;
        learn:--url) return ;;
        learn:--charset) return ;;
        learn:--max-bytes) return ;;
        learn:--max-depth) return ;;
        learn:--user-agent) return ;;
        learn:--timeout) return ;;
        learn:-j | learn:--jobs) return ;;
        learn:--color) words='auto always never' files='' ;;
        extract:-w | extract:--wrapper) ;;
        extract:-f | extract:--format) words='table csv ndjson json pages sqlite' files='' ;;
        extract:-o | extract:--output) ;;
        extract:--project) ;;
        extract:--site) return ;;
        extract:--url) return ;;
        extract:--charset) return ;;
        extract:--max-bytes) return ;;
        extract:--max-depth) return ;;
        extract:--user-agent) return ;;
        extract:--timeout) return ;;
        extract:-j | extract:--jobs) return ;;
        extract:--color) words='auto always never' files='' ;;
        show:-f | show:--format) words='text json ndjson' files='' ;;
        show:-o | show:--output) ;;
        show:--url) return ;;
        show:--charset) return ;;
        show:--max-bytes) return ;;
        show:--max-depth) return ;;
        show:--user-agent) return ;;
        show:--timeout) return ;;
        show:-j | show:--jobs) return ;;
        show:--color) words='auto always never' files='' ;;
        labels:-f | labels:--format) words='table csv ndjson json pages sqlite' files='' ;;
        labels:-o | labels:--output) ;;
        labels:--url) return ;;
        labels:--charset) return ;;
        labels:--max-bytes) return ;;
        labels:--max-depth) return ;;
        labels:--user-agent) return ;;
        labels:--timeout) return ;;
        labels:-j | labels:--jobs) return ;;
        labels:--color) words='auto always never' files='' ;;
        project:--site) return ;;
        project:--name) return ;;
        project:-f | project:--format) words='table csv ndjson json pages sqlite' files='' ;;
        project:-o | project:--output) ;;
        project:--user-agent) return ;;
        project:--timeout) return ;;
        project:-j | project:--jobs) return ;;
        project:--color) words='auto always never' files='' ;;
        serve:--project) ;;
        serve:--port) return ;;
        serve:--max-upload) return ;;
        serve:-j | serve:--jobs) return ;;
        serve:--color) words='auto always never' files='' ;;
        *)
            case $command in
            records)
                if [[ $cur == -* ]]; then words='--engine --paper -f --format -o --output --replace --with-page --spans --project --site --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            regions)
                if [[ $cur == -* ]]; then words='--engine --paper -f --format -o --output --replace --with-page --spans --project --site --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            learn)
                if [[ $cur == -* ]]; then words='--engine --labels --example --at --pick --correct --paper --without --save --date -o --output --project --site --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            extract)
                if [[ $cur == -* ]]; then words='-w --wrapper --stream -f --format -o --output --replace --with-page --spans --project --site --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            show)
                if [[ $cur == -* ]]; then words='--tree --text --links --tokens --fine --info --dot -f --format -o --output --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            labels)
                if [[ $cur == -* ]]; then words='-f --format -o --output --replace --with-page --spans --url --charset --max-bytes --max-depth --allow-private --ignore-robots --user-agent --timeout -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            project)
                if [[ $cur == -* ]]; then words='--site --name --all -f --format -o --output --replace --with-page --spans --allow-private --ignore-robots --user-agent --timeout -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            serve)
                if [[ $cur == -* ]]; then words='--project --port --no-browser --allow-private --max-upload -j --jobs -q --quiet -v --verbose --color -h --help' files=''
                fi
                ;;
            help)
                if [[ $cur == -* ]]; then words='-h --help' files=''
                else words='records regions learn extract show labels project serve help' files=''
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
