# Installs what was built and lets consumers say find_package(eagle). A project that adds eagle as a subdirectory
# installs nothing of it.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
include(CMakePackageConfigHelpers)

set(_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/eagle)
set(_libraries "")
foreach(_part core cuda io kernels eagle)
  if(TARGET eagle_${_part})
    list(APPEND _libraries eagle_${_part})
    set(EAGLE_INSTALLED_${_part} ON)
  else()
    set(EAGLE_INSTALLED_${_part} OFF)
  endif()
endforeach()

install(TARGETS ${_libraries} EXPORT eagleTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT eagleTargets NAMESPACE eagle:: DESTINATION ${_config_dir})

# Both trees go below one folder of our own (EAGLE_INSTALL_INCLUDEDIR), so that includes read as they do here:
# "eagle/...", "kernels/...".
set(_excluded "")
foreach(_part cuda io)
  if(NOT EAGLE_INSTALLED_${_part})
    list(APPEND _excluded PATTERN ${_part} EXCLUDE)
  endif()
endforeach()
install(DIRECTORY eagle kernels DESTINATION ${EAGLE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh" ${_excluded})

configure_package_config_file(cmake/eagleConfig.cmake.in ${PROJECT_BINARY_DIR}/eagleConfig.cmake
                              INSTALL_DESTINATION ${_config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/eagleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/eagleConfig.cmake ${PROJECT_BINARY_DIR}/eagleConfigVersion.cmake
              cmake/FindRandom123.cmake
        DESTINATION ${_config_dir})
if(EAGLE_INSTALLED_io)
  install(FILES cmake/FindHDF5C.cmake DESTINATION ${_config_dir})
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
