--- bench.lua - what the benchmarks share: words of the command line, commands, tables in Markdown.
local here = arg[0]:match("^(.*)/") or "."
local bench = dofile(here .. "/../mutate/shell.lua")

--- Takes the command line apart: `options` has each one by its name, with what it is when not told: a number, a
--- text, or false for one without a value. What is no option stands in its list.
function bench.options(options)
    local i = 1
    while arg[i] do
        local name = arg[i]:match("^%-%-?(.+)$")
        local unless = options[name]
        if not name then
            options[#options + 1] = arg[i]
        elseif unless == nil then
            bench.stop(2, "unknown option %s; see the top of the file", arg[i])
        elseif unless == false then
            options[name] = true
        else
            i = i + 1
            local value = arg[i] or bench.stop(2, "%s needs a value", arg[i - 1])
            options[name] = (type(unless) == "number" and tonumber or tostring)(value)
                or bench.stop(2, "%s needs a number", arg[i - 1])
        end
        i = i + 1
    end
    return options
end

function bench.median(list)
    table.sort(list)
    local n = #list
    return n % 2 == 1 and list[n // 2 + 1] or (list[n // 2] + list[n // 2 + 1]) / 2
end

function bench.row(cells)
    print("| " .. table.concat(cells, " | ") .. " |")
end

function bench.head(cells)
    bench.row(cells)
    local rule = { "---" }
    for i = 2, #cells do rule[i] = "---:" end
    bench.row(rule)
end

return bench
