--- shell.lua - what the mutation tester and the benchmarks share: commands and messages.
local shell = {}

function shell.quote(s)
    return "'" .. s:gsub("'", "'\\''") .. "'"
end

function shell.output_of(command)
    local pipe <close> = assert(io.popen(command))
    return (pipe:read("a"):gsub("%s+$", ""))
end

function shell.say(...)
    io.stdout:write(string.format(...), "\n")
    io.stdout:flush()
end

function shell.stop(status, ...)
    io.stderr:write(arg[0]:match("[^/]*$"), ": ", string.format(...), "\n")
    os.exit(status)
end

return shell
