# Builds for another processor of Linux, with Debian's cross compiler and a folder of its packages
# for that one; what is built runs under qemu-user. tests/cross/run makes the folder and passes
#   LMP_CROSS          the processor, as uname -m says it: aarch64
#   LMP_CROSS_ROOT     the folder
#   LMP_CROSS_PRELOAD  a library for programs that run under qemu-user
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${LMP_CROSS})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LMP_CROSS LMP_CROSS_ROOT LMP_CROSS_PRELOAD)
set(CMAKE_C_COMPILER ${LMP_CROSS}-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${LMP_CROSS}-linux-gnu)
set(CMAKE_SYSROOT ${LMP_CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH ${LMP_CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${LMP_CROSS} -L ${LMP_CROSS_ROOT} -E LD_PRELOAD=${LMP_CROSS_PRELOAD})
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${LMP_CROSS_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${LMP_CROSS_ROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig)
