# tilewright_embed_text(OUT_VARIABLE "files" header symbol) generates a source that defines the
# std::string_view `symbol`, declared in `header`, with the texts of the files. OUT_VARIABLE gets its path.
# This file, run as a script, writes that source.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "")
  string(REPLACE "|" ";" inputs "${INPUTS}")
  foreach(input IN LISTS inputs)
    file(READ ${input} part)
    string(APPEND text "${part}")
  endforeach()
  # Compilers limit one literal to 64 KiB; adjacent raw literals join.
  set(body "")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8192 part)
    string(APPEND body "\nR\"__text__(${part})__text__\"")
    math(EXPR at "${at} + 8192")
  endwhile()
  file(WRITE ${OUTPUT} "#include \"${HEADER}\"\n\nnamespace tilewright {\n\n"
       "const std::string_view ${SYMBOL} =${body};\n\n}  // namespace tilewright\n")
  return()
endif()

set(TILEWRIGHT_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE} CACHE INTERNAL "")
function(tilewright_embed_text out files header symbol)
  set(inputs "")
  foreach(file IN LISTS files)
    get_filename_component(file ${file} ABSOLUTE)
    list(APPEND inputs ${file})
  endforeach()
  list(JOIN inputs "|" joined)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUTS=${joined} -DOUTPUT=${output} -DHEADER=${header}
            -DSYMBOL=${symbol} -P ${TILEWRIGHT_EMBED_SCRIPT}
    DEPENDS ${inputs} ${TILEWRIGHT_EMBED_SCRIPT}
    VERBATIM)
  set(${out} ${output} PARENT_SCOPE)
endfunction()
