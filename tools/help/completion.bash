# Completion of tilewright for bash, which finds this file by itself, or by `source FILE`.
_tilewright() {
  local line=${COMP_LINE:0:COMP_POINT} words current kept found IFS=$' \t\n'
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current=${words[-1]}
  mapfile -t found < <("${words[0]}" --candidates "${words[@]:1}" 2>/dev/null)
  # bash replaces only what follows the last = or :, which break words.
  [[ $COMP_WORDBREAKS == *=* ]] && kept=${current%"${current##*=}"}
  [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && kept=${current%"${current##*:}"}
  COMPREPLY=("${found[@]%%$'\t'*}")
  COMPREPLY=("${COMPREPLY[@]#"$kept"}")
  [[ ${#COMPREPLY[@]} == 1 && ${found[0]%%$'\t'*} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _tilewright tilewright
