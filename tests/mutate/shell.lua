--- shell.lua - what the files of the mutation tester share: commands and messages.
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
    io.stderr:write("mutate: ", string.format(...), "\n")
    os.exit(status)
end

return shell
