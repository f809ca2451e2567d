# Completion of tilewright for fish, which finds this file by itself, or by `source FILE`.
function __tilewright_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    $words[1] --candidates $words[2..-1] "$current" 2>/dev/null
end
complete -c tilewright -f -n 'test (count (__tilewright_candidates)) -gt 0' -a '(__tilewright_candidates)'
