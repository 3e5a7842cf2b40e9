# Headers that nearly every source includes are parsed once per target instead of once per file: a third of the time to
# compile. -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON compiles without, which shows an #include that a file forgot.
function(optinc_precompile target)  # optinc_precompile(TARGET [HEADER ...]): the common ones and those named
  target_precompile_headers(${target} PRIVATE <Eigen/Dense> <algorithm> <cmath> <fmt/format.h> <functional> <span>
                                              <string> <vector> ${ARGN})
endfunction()
