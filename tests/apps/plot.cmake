# The picture is drawn from a small run, where a python3 can: the first on the PATH may lack the system's packages.
set(plotter "")
foreach(python python3 /usr/bin/python3)
  execute_process(COMMAND ${python} -c "import h5py, matplotlib" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed AND NOT plotter)
    set(plotter ${python})
  endif()
endforeach()
if(NOT plotter)
  message(STATUS "Test of the picture: off (no python3 with h5py and matplotlib found)")
  return()
endif()
set(results ${CMAKE_CURRENT_BINARY_DIR}/plot)
set(picture ${PROJECT_SOURCE_DIR}/apps/cislunar/plot.py)

add_test(NAME apps/plot_input COMMAND cislunar --device host --samples 300 --out ${results})
set_tests_properties(apps/plot_input PROPERTIES LABELS cpu FIXTURES_SETUP plot_input)
add_test(NAME apps/plot COMMAND ${plotter} ${picture} ${results}/cislunar.h5)
set_tests_properties(apps/plot PROPERTIES LABELS cpu FIXTURES_REQUIRED plot_input TIMEOUT 120
                     PASS_REGULAR_EXPRESSION "picture is in [^\n]*cislunar.png")
add_test(NAME apps/plot_refuses COMMAND ${plotter} ${picture} ${PROJECT_SOURCE_DIR}/README.md)
set_tests_properties(apps/plot_refuses PROPERTIES LABELS cpu TIMEOUT 120
                     PASS_REGULAR_EXPRESSION "README.md is no results file of cislunar")
