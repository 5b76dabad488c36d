--- list.lua - the list of survivors: read, written anew, and what it does not allow.
local list = {}

-- Why a mutant survives: not told yet; the rest is found out.
list.UNTOLD = "no reason yet"
list.UNREACHED = "not reached: none of the tests that play comes to this line"
list.ONE_WAY = "one way only: the tests that play come here, and never see the condition otherwise"

-- Its head; reasons by name; names by function; the compiler.
function list.read(path)
    local known = { head = {}, reasons = {}, functions = {}, compiler = "?", files = {} }
    local where, reason
    local file = io.open(path)
    for line in file and file:lines() or function() end do
        local jumps, text = line:match("^      (%a+ %d[%a%d, ]*) | (.*)$")
        if line:match("^#") then
            known.head[#known.head + 1] = line
        elseif line:match("^compiler ") then
            known.compiler = line:match("^compiler (.*)$")
        elseif line:match("^files ") then
            for name in line:sub(7):gmatch("%S+") do known.files[name] = true end
        elseif jumps then
            for jump in jumps:gmatch("%a+ %d+") do
                local name = ("%s: %s | %s"):format(where, jump, text)
                known.reasons[name] = reason
                known.functions[where] = known.functions[where] or {}
                table.insert(known.functions[where], name)
            end
        elseif line:match("^  %- ") then
            reason = line:match("^  %- (.*)$")
        elseif line:match("%S") then
            where, reason = line:match("^(%S+ %S+)"), list.ONE_WAY
        end
    end
    if file then file:close() end
    return known
end

-- What is listed of a function, as survivors, but for names in `killed`.
function list.of_function(known, where, killed)
    local out = {}
    for _, name in ipairs(known.functions[where] or {}) do
        if not killed[name] then
            out[#out + 1] = { where = where, name = name, label = name:sub(#where + 3), why = known.reasons[name] }
        end
    end
    return out
end

-- `known`: the list of before, for its head and its reasons. `complete`: the files.
function list.write(path, known, compiler, survivors, complete)
    local wheres, by_where = {}, {}
    for _, mutant in ipairs(survivors) do
        if not by_where[mutant.where] then
            by_where[mutant.where] = {}
            wheres[#wheres + 1] = mutant.where
        end
        local reasons = by_where[mutant.where]
        local old = known.reasons[mutant.name]
        if not old or old == list.UNREACHED or old == list.ONE_WAY or old == list.UNTOLD then old = mutant.why end
        if not reasons[old] then
            reasons[old] = {}
            table.insert(reasons, old == list.ONE_WAY and 1 or #reasons + 1, old)
        end
        table.insert(reasons[old], mutant)
    end
    local out <close> = assert(io.open(path, "w"))
    out:write(table.concat(known.head, "\n"), "\n\ncompiler ", compiler, "\n",
        "files ", table.concat(complete, " "), "\n")
    for _, where in ipairs(wheres) do
        local n = 0
        for _, reason in ipairs(by_where[where]) do n = n + #by_where[where][reason] end
        out:write("\n", where, " ", n, "\n")
        for _, reason in ipairs(by_where[where]) do
            if reason ~= list.ONE_WAY then out:write("  - ", reason, "\n") end
            local texts, jumps = {}, {} -- the jumps of one text on one line
            for _, mutant in ipairs(by_where[where][reason]) do
                local jump, text = mutant.label:match("^(%a+ %d+) | (.*)$")
                if not jumps[text] then
                    jumps[text] = {}
                    texts[#texts + 1] = text
                end
                table.insert(jumps[text], jump)
            end
            for _, text in ipairs(texts) do out:write("      ", table.concat(jumps[text], ", "), " | ", text, "\n") end
        end
    end
end

-- The survivors that the list does not allow.
function list.beyond(known, compiler, survivors, all)
    local present, free, new = {}, {}, {}
    for _, mutant in ipairs(all) do present[mutant.name] = true end
    for where, names in pairs(known.functions) do
        free[where] = 0
        for _, name in ipairs(names) do
            if known.compiler ~= compiler or not present[name] then free[where] = free[where] + 1 end
        end
    end
    for _, mutant in ipairs(survivors) do
        if known.compiler ~= compiler or not known.reasons[mutant.name] then
            free[mutant.where] = (free[mutant.where] or 0) - 1
            if free[mutant.where] < 0 then new[#new + 1] = mutant end
        end
    end
    return new
end

return list
