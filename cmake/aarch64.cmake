# Toolchain for 64-bit Arm on an x86-64 machine: Debian's cross compiler, and qemu-user to run what it makes. Libraries
# come from a folder that tests/aarch64/run unpacks Debian's packages for arm64 into (OPTINC_SYSROOT); headers that are
# the same everywhere (Eigen, Boost, Random123, Catch2) from this machine.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${OPTINC_SYSROOT} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OPTINC_SYSROOT)
