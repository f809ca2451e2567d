# What the checks of the installed package share.

# run(STATUS TEXT COMMAND …): fails unless the command ends so and prints what matches; `text` is then
# all that it printed.
function(run expected_status expected_text)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL expected_status OR NOT text MATCHES "${expected_text}")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nstatus ${status}, expected ${expected_status} "
                        "and the text '${expected_text}':\n${text}")
  endif()
  set(text "${text}" PARENT_SCOPE)
endfunction()

# install_and_move(COMPONENT …): into a new ${WORK}, ending in ${WORK}/prefix.
function(install_and_move)
  file(REMOVE_RECURSE ${WORK})
  foreach(component ${ARGN})
    run(0 "" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first --component ${component})
  endforeach()
  file(RENAME ${WORK}/first ${WORK}/prefix)
endfunction()
