# tilewright_embed_text(OUT_VARIABLE "files" header symbol) generates a source that defines the
# std::string_view `symbol`, declared in `header`, with the texts of the files. OUT_VARIABLE gets its path.
# With as many names as further arguments it defines std::map<std::string, std::string> symbol(): each text by its name.
# This file, run as a script, writes that source.
if(CMAKE_SCRIPT_MODE_FILE)
  string(REPLACE "|" ";" inputs "${INPUTS}")
  string(REPLACE "|" ";" names "${NAMES}")
  set(body "")
  foreach(input name IN ZIP_LISTS inputs names)
    file(READ ${input} text)
    if(name)
      string(APPEND body "\n{\"${name}\", ")
    endif()
    # Compilers limit one literal to 64 KiB; adjacent raw literals join.
    string(LENGTH "${text}" length)
    set(at 0)
    while(at LESS length)
      string(SUBSTRING "${text}" ${at} 8192 part)
      string(APPEND body "\nR\"__text__(${part})__text__\"")
      math(EXPR at "${at} + 8192")
    endwhile()
    if(name)
      string(APPEND body "},")
    endif()
  endforeach()
  if(names)
    set(definition "std::map<std::string, std::string> ${SYMBOL}() {\n  return {${body}};\n}")
  else()
    set(definition "const std::string_view ${SYMBOL} =${body};")
  endif()
  file(WRITE ${OUTPUT} "#include \"${HEADER}\"\n\nnamespace tilewright {\n\n${definition}\n\n}  // namespace tilewright\n")
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
  list(JOIN ARGN "|" names)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUTS=${joined} -DNAMES=${names} -DOUTPUT=${output} -DHEADER=${header}
            -DSYMBOL=${symbol} -P ${TILEWRIGHT_EMBED_SCRIPT}
    DEPENDS ${inputs} ${TILEWRIGHT_EMBED_SCRIPT}
    VERBATIM)
  set(${out} ${output} PARENT_SCOPE)
endfunction()
