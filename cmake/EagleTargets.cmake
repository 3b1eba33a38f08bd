# Helpers for the targets of this repository; none is exported.

# Flags of our own targets only; consumers of the library get none of them.
function(eagle_own_flags target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
  # Up to GCC 12 warns falsely of overlap in "text" + string.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>
                           $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-restrict>)
  endif()
  if(EAGLE_WERROR)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
  endif()
endfunction()

# Programs that run models are compiled for the processor at hand: the host engine lives by its vector units.
# A square root that may set errno is not vectorised.
function(eagle_native target)
  if(EAGLE_NATIVE)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-march=native -fno-math-errno>
      $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=native,-fno-math-errno>)
  endif()
endfunction()

# A program of ours: eagle_add_program(name sources... [GPU sources...] [LIBRARIES targets...])
# The GPU sources are left out where the CUDA backend is not built.
function(eagle_add_program target)
  cmake_parse_arguments(arg "" "" "GPU;LIBRARIES" ${ARGN})
  add_executable(${target} ${arg_UNPARSED_ARGUMENTS})
  if(EAGLE_HAS_CUDA)
    target_sources(${target} PRIVATE ${arg_GPU})
  endif()
  target_link_libraries(${target} PRIVATE eagle::eagle ${arg_LIBRARIES})
  target_compile_features(${target} PRIVATE cxx_std_20)
  eagle_own_flags(${target})
  eagle_native(${target})
endfunction()
