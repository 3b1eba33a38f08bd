# An unset build type means Release: nobody wants a simulation at -O0 by accident.
get_property(_multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT _multi AND NOT CMAKE_BUILD_TYPE)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  else()
    message(WARNING "CMAKE_BUILD_TYPE is not set, so nothing is optimised: simulations take ten times as long. "
                    "Configure with -DCMAKE_BUILD_TYPE=Release")
  endif()
endif()
