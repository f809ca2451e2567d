# tilewright_embed_text(OUT_VARIABLE file.sql header symbol) generates a source that defines the
# std::string_view `symbol`, declared in `header`, with the file's text. OUT_VARIABLE gets its path.
# This file, run as a script, writes that source.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${INPUT} text)
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
function(tilewright_embed_text out file header symbol)
  get_filename_component(input ${file} ABSOLUTE)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DHEADER=${header}
            -DSYMBOL=${symbol} -P ${TILEWRIGHT_EMBED_SCRIPT}
    DEPENDS ${input} ${TILEWRIGHT_EMBED_SCRIPT}
    VERBATIM)
  set(${out} ${output} PARENT_SCOPE)
endfunction()
