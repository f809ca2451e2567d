# Components: program (tilewright and its worker), templates (the definitions that come with it),
# catalog (the library, its headers and find_package files; no CUDA).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS tilewright tilewright-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        COMPONENT program)
set(TILEWRIGHT_TEMPLATE_FOLDER ${CMAKE_INSTALL_DATADIR}/tilewright/kernel_templates)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernel_templates/
        DESTINATION ${TILEWRIGHT_TEMPLATE_FOLDER} COMPONENT templates)

# Only tilewright::catalog is for applications; the others are what it is made of.
foreach(part core definition db catalog)
  set_target_properties(tilewright_${part} PROPERTIES EXPORT_NAME ${part})
endforeach()
install(TARGETS tilewright_core tilewright_fmt tilewright_definition tilewright_db tilewright_catalog
        EXPORT tilewright-catalog
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT catalog
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT catalog)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright)
install(EXPORT tilewright-catalog FILE tilewright-catalog-targets.cmake NAMESPACE tilewright::
        DESTINATION ${package_folder} COMPONENT catalog)

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/tilewrightConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tilewrightConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS TILEWRIGHT_TEMPLATE_FOLDER)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tilewrightConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tilewrightConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tilewrightConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindTomlPlusPlus.cmake
        DESTINATION ${package_folder} COMPONENT catalog)
