-- The Lua module and the command, both: luarocks make .package/lmp-scm-1.rockspec
-- `luarocks pack` of this file reads `source`: whoever publishes the rock names where the sources lie.
rockspec_format = "3.0"
package = "lmp"
version = "scm-1"
source = { url = "file:///usr/src/lmp.tar.gz" }
description = {
    summary = "Real-time memory profiler in the terminal",
    detailed = [[
Shows the whole heap of a Lua program while it runs: by type, by address, and by the line, function and call path that
made each byte. The command lmp profiles scripts as they are; the module luamemprofiler starts it from within.]],
    license = "MIT",
    labels = { "profiler", "memory", "debug", "terminal" },
}
supported_platforms = { "linux" }
dependencies = { "lua >= 5.4, < 5.5" }
external_dependencies = {
    CURSES = { header = "ncursesw/curses.h", library = "ncursesw" },
    LZ4 = { header = "lz4.h", library = "lz4" },
    ZLIB = { header = "zlib.h", library = "z" },
    ZSTD = { header = "zstd.h", library = "zstd" },
}
build = {
    type = "cmake",
    variables = { LMP_TESTS = "OFF", LMP_LUA = "5.4" },
    install_pass = false, -- LuaRocks puts these where it wants them
    install = {
        bin = { lmp = "build.luarocks/lmp" },
        lib = {
            luamemprofiler = "build.luarocks/luamemprofiler.so",
            luamemprofiler_doctor = "build.luarocks/luamemprofiler_doctor.so",
        },
    },
}
