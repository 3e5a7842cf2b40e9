# What makes compiling fast. Headers that nearly every source includes are parsed once per target instead of once per file,
# and the sources of a library are compiled eight at a time, so that their templates are made once: together they halve
# the time. In preset ci -Og spares what does not compute nearly half of the rest (OPTINC_QUICK). To see an #include that
# a file forgot: -DOPTINC_UNITY=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON.
option(OPTINC_UNITY "Compile the sources of a library several at a time" ON)
option(OPTINC_QUICK "Compile tests, and what reads files and options, with -Og" OFF)

function(optinc_precompile target)  # optinc_precompile(TARGET [HEADER ...]): the common ones and those named
  target_precompile_headers(${target} PRIVATE <Eigen/Dense> <algorithm> <cmath> <fmt/format.h> <functional> <span>
                                              <string> <vector> ${ARGN})
endfunction()

function(optinc_compile_together target)  # sources with options of their own stay alone
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${OPTINC_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

function(optinc_compile_quickly target)  # for what is run less long than it takes to compile
  if(OPTINC_QUICK)
    target_compile_options(${target} PRIVATE -Og)
  endif()
endfunction()
