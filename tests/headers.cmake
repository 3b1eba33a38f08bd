# Every public header compiles alone, and twice in one source: with the host compiler and, where the CUDA backend is
# built, in a .cu. The build of these two libraries is the test.
function(eagle_add_header_check target extension)
  set(sources "")
  foreach(header IN LISTS ARGN)
    string(REGEX REPLACE "[/.]" "_" name ${header})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}/${name}.${extension})
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
    list(APPEND sources ${source})
  endforeach()
  add_library(${target} OBJECT ${sources})
  target_link_libraries(${target} PRIVATE eagle::eagle eagle::kernels Eigen3::Eigen)
  eagle_own_flags(${target})
endfunction()

file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/eagle/*.h ${PROJECT_SOURCE_DIR}/eagle/*.cuh
     ${PROJECT_SOURCE_DIR}/kernels/*.h ${PROJECT_SOURCE_DIR}/kernels/*.cuh)
foreach(part cuda io)
  if(NOT TARGET eagle_${part})
    list(FILTER headers EXCLUDE REGEX "^eagle/${part}/")
  endif()
endforeach()
set(host_headers ${headers})
list(FILTER host_headers EXCLUDE REGEX "\\.cuh$")
eagle_add_header_check(header_check cpp ${host_headers})
if(EAGLE_HAS_CUDA)
  eagle_add_header_check(header_check_cuda cu ${headers})
endif()
