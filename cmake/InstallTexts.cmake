# Runs while the component `program` is installed: has the program write its manual pages and its completion for shells,
# and installs them below the prefix.

# write(FILE WORD …): what `tilewright WORD …` prints, as a file below the prefix.
function(write file)
  get_filename_component(name ${file} NAME)
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${texts})
  execute_process(COMMAND ${program} ${ARGN} OUTPUT_FILE ${texts}/${name} RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "${program} ${ARGN}: ${status}")
  endif()
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/${folder}" TYPE FILE FILES ${texts}/${name})
endfunction()

write(${manuals}/tilewright.1 manual)
foreach(command IN LISTS commands)
  write(${manuals}/tilewright-${command}.1 manual ${command})
endforeach()
write(${data}/bash-completion/completions/tilewright completion bash)
write(${data}/zsh/site-functions/_tilewright completion zsh)
write(${data}/fish/vendor_completions.d/tilewright.fish completion fish)
