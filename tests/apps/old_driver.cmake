# What a user with too old a driver is told: the program finds a stand-in before any real driver.
enable_language(C)
add_library(old_driver SHARED apps/old_driver.c)
set_target_properties(old_driver PROPERTIES OUTPUT_NAME cuda SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY
                      ${CMAKE_CURRENT_BINARY_DIR}/old_driver)
add_test(NAME apps/old_driver COMMAND cislunar --device cuda --samples 10)
set_tests_properties(apps/old_driver PROPERTIES LABELS cpu
  ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/old_driver:$ENV{LD_LIBRARY_PATH}"
  PASS_REGULAR_EXPRESSION "the NVIDIA driver is too old: it knows CUDA 11.0, this program was built with CUDA")
