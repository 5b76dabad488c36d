--- read.lua - reads a file of the sources, for checks of them that are told their root as first word.
return function(path)
    local file <close> = assert(io.open(arg[1] .. "/" .. path))
    return file:read("a")
end
