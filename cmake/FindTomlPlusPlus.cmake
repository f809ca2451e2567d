# TomlPlusPlus::TomlPlusPlus: toml++'s headers and its library, if that is installed and
# TomlPlusPlus_HEADER_ONLY is not set.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h)
if(NOT TomlPlusPlus_HEADER_ONLY)
  find_library(TOMLPLUSPLUS_LIBRARY tomlplusplus)
endif()
mark_as_advanced(TOMLPLUSPLUS_INCLUDE_DIR TOMLPLUSPLUS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TomlPlusPlus REQUIRED_VARS TOMLPLUSPLUS_INCLUDE_DIR)

if(TomlPlusPlus_FOUND AND NOT TARGET TomlPlusPlus::TomlPlusPlus)
  add_library(TomlPlusPlus::TomlPlusPlus INTERFACE IMPORTED)
  target_include_directories(TomlPlusPlus::TomlPlusPlus SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE_DIR})
  if(TOMLPLUSPLUS_LIBRARY AND NOT TomlPlusPlus_HEADER_ONLY)
    target_compile_definitions(TomlPlusPlus::TomlPlusPlus INTERFACE TOML_HEADER_ONLY=0 TOML_SHARED_LIB=1)
    target_link_libraries(TomlPlusPlus::TomlPlusPlus INTERFACE ${TOMLPLUSPLUS_LIBRARY})
  endif()
endif()
