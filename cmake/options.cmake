# Two interface targets that every target of this project links PRIVATE: how it is compiled and what the
# compiler warns about. Nothing here reaches a consumer of the libraries.

add_library(project_options INTERFACE)
# No errno from <cmath> and no trapping arithmetic: both only block vectorisation. Never -ffast-math: the
# polar factor and NaN checks need IEEE semantics.
target_compile_options(project_options INTERFACE -fno-math-errno -fno-trapping-math)
# Threads are ours (OpenMP over blocks and chips); Eigen must not nest its own under them, and one result
# must not depend on a thread count.
target_compile_definitions(project_options INTERFACE EIGEN_DONT_PARALLELIZE)
# GCC collects garbage less often: that saves up to a tenth of the time to compile, for up to a third more memory
target_compile_options(project_options INTERFACE
                       "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-expand=1000 --param ggc-min-heapsize=700000>")
if(OPTINC_NATIVE)
  target_compile_options(project_options INTERFACE -march=native)
endif()
# AddressSanitizer and UndefinedBehaviorSanitizer, without the checks of every pointer before its use: the former sees what
# they would, and they double the time to compile.
add_library(address_checks INTERFACE)
target_compile_options(address_checks INTERFACE -fsanitize=address,undefined -fno-sanitize=vptr,null,alignment,object-size
                                                -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
target_link_options(address_checks INTERFACE -fsanitize=address,undefined)
if(OPTINC_SANITIZE STREQUAL "address")
  target_link_libraries(project_options INTERFACE address_checks)
elseif(OPTINC_SANITIZE STREQUAL "thread")
  # By clang: ThreadSanitizer learns from its OpenMP (libarcher, beside libomp) where threads wait for each other. GCC's
  # says nothing, and every loop would look like a race.
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "OPTINC_SANITIZE=thread needs clang and its OpenMP; use the preset tsan.")
  endif()
  target_compile_options(project_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(project_options INTERFACE -fsanitize=thread)
elseif(OPTINC_SANITIZE)
  message(FATAL_ERROR "OPTINC_SANITIZE is 'address', 'thread' or empty, not '${OPTINC_SANITIZE}'.")
endif()
if(OPTINC_FUZZ)  # what libFuzzer steers by; and numbers of a file that fit no integer
  target_compile_options(project_options INTERFACE -fsanitize=fuzzer-no-link,float-cast-overflow)
endif()

add_library(project_warnings INTERFACE)
# Among files that are compiled together a local name may be that of another file's function.
set(together $<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>)
target_compile_options(project_warnings INTERFACE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor
                                                  $<$<NOT:${together}>:-Wshadow>
                                                  $<$<AND:${together},$<CXX_COMPILER_ID:GNU>>:-Wshadow=local>
                                                  -Wold-style-cast -Wcast-qual -Wunused -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105593: its own AVX-512 headers look uninitialised to it
  target_compile_options(project_warnings INTERFACE -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
if(OPTINC_WERROR)
  target_compile_options(project_warnings INTERFACE -Werror)
endif()
