#compdef tilewright
# Completion of tilewright for zsh: as _tilewright in a folder of fpath, or by `source FILE` after compinit.
_tilewright() {
  local line word
  local -a finished unfinished
  for line in "${(@f)$("${words[1]}" --candidates "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    word=${line%%$'\t'*}
    line=${word//:/\\:}:${line#*$'\t'}
    [[ $word == *= ]] && unfinished+=("$line") || finished+=("$line")
  done
  if (( ! $#finished && ! $#unfinished )); then
    _files
    return
  fi
  _describe -o tilewright finished
  _describe -o tilewright unfinished -S ''
}
if [[ $funcstack[1] == _tilewright ]]; then
  _tilewright "$@"
else
  compdef _tilewright tilewright
fi
