# Components:
#   program    tilewright and its worker, their manual pages and completion for shells
#   templates  the definitions and results that come with it
#   catalog    looking up: the library, its headers and find_package files; needs no CUDA
#   runtime    launching; needs catalog
#   c          libtilewright.so.VERSION; needs no other component
#   c_development  tilewright.h and what compilers and linkers need; needs c
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS tilewright tilewright-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        COMPONENT program)
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/bash-completion ${CMAKE_BINARY_DIR}/share/zsh ${CMAKE_BINARY_DIR}/share/fish
        DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program)
set(TILEWRIGHT_TEMPLATE_FOLDER ${CMAKE_INSTALL_DATADIR}/tilewright/kernel_templates)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernel_templates/
        DESTINATION ${TILEWRIGHT_TEMPLATE_FOLDER} COMPONENT templates)
set(TILEWRIGHT_SHIPPED_FOLDER ${CMAKE_INSTALL_DATADIR}/tilewright/shipped_results)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/shipped_results/
        DESTINATION ${TILEWRIGHT_SHIPPED_FOLDER} COMPONENT templates)
# The charts of `tilewright report`, if tools/setup.sh fetched them.
install(FILES ${PROJECT_SOURCE_DIR}/build/plotly/plotly.min.js ${PROJECT_SOURCE_DIR}/build/plotly/LICENSE.txt
        DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright/plotly COMPONENT program OPTIONAL)
set(TILEWRIGHT_BUNDLE_FOLDER ${CMAKE_INSTALL_DATADIR}/tilewright/bundles)
include(TilewrightBundles)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright)
# tilewright_install_libraries(component target …) installs static libraries with their public headers,
# and the file that find_package reads.
function(tilewright_install_libraries component)
  foreach(target IN LISTS ARGN)
    string(REPLACE "tilewright_" "" name ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  endforeach()
  install(TARGETS ${ARGN} EXPORT tilewright-${component}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
          FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${component})
  install(EXPORT tilewright-${component} FILE tilewright-${component}-targets.cmake
          NAMESPACE tilewright:: DESTINATION ${package_folder} COMPONENT ${component})
endfunction()

# tilewright_install_pkgconfig(name component) installs a pkg-config file, for projects without CMake.
function(tilewright_install_pkgconfig name component)
  file(RELATIVE_PATH TILEWRIGHT_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tilewright-${name}.pc.in
                 ${CMAKE_CURRENT_BINARY_DIR}/tilewright-${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tilewright-${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()

# Applications use only tilewright::catalog, tilewright::runtime and tilewright::bundle. The others are
# their parts.
tilewright_install_libraries(catalog tilewright_core tilewright_fmt tilewright_json
                             tilewright_definition tilewright_db tilewright_ladder tilewright_catalog)
set(runtime_parts tilewright_plan tilewright_backend tilewright_toolchain tilewright_measure tilewright_verify tilewright_host
                  tilewright_machine tilewright_worker_lib tilewright_bundle tilewright_runtime)
set(TILEWRIGHT_CUDA_LIBS "")
set(TILEWRIGHT_CUDART "")
if(TARGET tilewright_cuda)
  list(APPEND runtime_parts tilewright_cuda)
  get_target_property(TILEWRIGHT_CUDART CUDA::cudart_static IMPORTED_LOCATION)
  set(TILEWRIGHT_CUDA_LIBS "-ltilewright_cuda ${TILEWRIGHT_CUDART}")
endif()
tilewright_install_libraries(runtime ${runtime_parts})

tilewright_install_pkgconfig(catalog catalog)
tilewright_install_pkgconfig(runtime runtime)

install(TARGETS tilewright_c
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c NAMELINK_COMPONENT c_development
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT c_development)
tilewright_install_pkgconfig(c c_development)

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/tilewrightConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tilewrightConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS TILEWRIGHT_TEMPLATE_FOLDER TILEWRIGHT_SHIPPED_FOLDER
  TILEWRIGHT_BUNDLE_FOLDER)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tilewrightConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tilewrightConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tilewrightConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindTomlPlusPlus.cmake
        DESTINATION ${package_folder} COMPONENT catalog)
include(TilewrightDebian)
