# A project of its own uses eagle in both ways that the README names: installed, and as a subdirectory; it runs the
# programs in the pages too.
set(consumer ${CMAKE_CURRENT_BINARY_DIR}/consumer)
set(options -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
            "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}" "-DCMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH}")
foreach(launcher CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CUDA_COMPILER_LAUNCHER)
  if(${launcher})
    list(APPEND options -D${launcher}=${${launcher}})
  endif()
endforeach()

add_test(NAME install/stage
         COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DPREFIX=${consumer}/prefix
                 -P ${CMAKE_CURRENT_LIST_DIR}/stage.cmake)
set_tests_properties(install/stage PROPERTIES LABELS cpu FIXTURES_SETUP installed)

# eagle_add_consumer_test(name options...): configures, builds and tests the consumer with those CMake options.
function(eagle_add_consumer_test name)
  add_test(NAME ${name}
           COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumer ${consumer}/${name}
                   --build-generator ${CMAKE_GENERATOR} --build-options ${options} ${ARGN}
                   --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure --no-tests=error)
  set_tests_properties(${name} PROPERTIES LABELS cpu TIMEOUT 900)
endfunction()

eagle_add_consumer_test(install/find_package -Deagle_ROOT=${consumer}/prefix)
set_tests_properties(install/find_package PROPERTIES FIXTURES_REQUIRED installed)
eagle_add_consumer_test(install/add_subdirectory -DEAGLE_SOURCE=${PROJECT_SOURCE_DIR} -DEAGLE_CUDA=${EAGLE_CUDA})
if(EAGLE_HAS_CUDA)
  set(cuda -DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER} "-DCMAKE_CUDA_ARCHITECTURES=${CMAKE_CUDA_ARCHITECTURES}")
  foreach(when BEFORE AFTER)
    string(TOLOWER find_package_cuda_${when} name)
    eagle_add_consumer_test(install/${name} -Deagle_ROOT=${consumer}/prefix -DCONSUMER_CUDA=${when} ${cuda})
    set_tests_properties(install/${name} PROPERTIES FIXTURES_REQUIRED installed)
  endforeach()
  eagle_add_consumer_test(install/add_subdirectory_cuda -DEAGLE_SOURCE=${PROJECT_SOURCE_DIR} -DCONSUMER_CUDA=AFTER
                          -DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER})  # and the architectures that eagle chooses
endif()
