-- table.lua - how much of lmp's own code the tests have run: lines and branches, by room. Reads what
-- a build with LMP_COVERAGE has counted, through gcov, and prints a table. BUILD/uncovered.txt has
-- what was not run: for each file the lines, and behind `branches` those with a side never taken.
--
--     lua5.4 table.lua ROOT BUILD

local root, build = arg[1], arg[2]
local gcov = os.getenv("GCOV") or "gcov"

local function lines_of(command)
    local pipe = assert(io.popen(command))
    local text = pipe:read("a")
    assert(pipe:close(), command)
    return text:gmatch("([^\n]*)\n")
end

local function quoted(text)
    return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- file -> line -> { count = N, branch = { taken ... } }; a header's line is in many objects, and
-- counts as run if it was in any.
local files = {}

local function take_object(path)
    local file, line, n
    for text in lines_of(("cd %s && %s -b -c -t %s 2>/dev/null"):format(quoted(build), gcov, quoted(path))) do
        local count, number, source = text:match("^%s*([^%s:]+):%s*(%d+):(.*)")
        if number == "0" then
            local name = source:match("^Source:(.*)")
            if name then
                name = name:gsub("^" .. root:gsub("%p", "%%%0") .. "/", "")
                local own = name:match("^src/") or name:match("^ui/") or name:match("^lua/")
                file, line = own and (files[name] or {}), nil
                if own then
                    files[name] = file
                end
            end
        elseif file and count then
            line, n = nil, 0
            if count ~= "-" then
                line = file[tonumber(number)] or { count = 0, branch = {} }
                file[tonumber(number)] = line
                line.count = line.count + (tonumber((count:match("^%d+"))) or 0)
            end
        elseif line then
            local taken = text:match("^branch%s+%d+ taken (%d+)") or
                text:match("^branch%s+%d+ never executed") and 0
            if taken then
                n = n + 1
                line.branch[n] = (line.branch[n] or 0) + tonumber(taken)
            end
        end
    end
end

local objects = 0
for path in lines_of(("find %s -name '*.gcno'"):format(quoted(build))) do
    -- of the tests' objects only those of lmp's own sources
    if not path:find("/tests/", #build, true) or path:find("/__/", #build, true) then
        take_object(path)
        objects = objects + 1
    end
end
assert(objects > 50, "hardly anything was counted in " .. build)

local function new_sum()
    return { lines = 0, run = 0, branches = 0, taken = 0 }
end
local rooms, names, all = {}, {}, new_sum()
local missing = assert(io.open(build .. "/uncovered.txt", "w"))

-- 3 4 5 9 -> "3-5 9"
local function ranges(list)
    local out, first, last = {}, nil, nil
    for i = 1, #list + 1 do
        if first and list[i] ~= last + 1 then
            out[#out + 1] = first == last and tostring(first) or first .. "-" .. last
            first = nil
        end
        first, last = first or list[i], list[i]
    end
    return table.concat(out, " ")
end

local paths = {}
for name in pairs(files) do
    paths[#paths + 1] = name
end
table.sort(paths)
for _, name in ipairs(paths) do
    local room = name:match("^(.*/)")
    if not rooms[room] then
        rooms[room] = new_sum()
        names[#names + 1] = room
    end
    local numbers, not_run, one_way = {}, {}, {}
    for number in pairs(files[name]) do
        numbers[#numbers + 1] = number
    end
    table.sort(numbers)
    for _, number in ipairs(numbers) do
        local line, taken = files[name][number], 0
        for _, count in ipairs(line.branch) do
            taken = taken + (count > 0 and 1 or 0)
        end
        for _, sum in ipairs { rooms[room], all } do
            sum.lines, sum.run = sum.lines + 1, sum.run + (line.count > 0 and 1 or 0)
            sum.branches, sum.taken = sum.branches + #line.branch, sum.taken + taken
        end
        if line.count == 0 then
            not_run[#not_run + 1] = number
        elseif taken < #line.branch then
            one_way[#one_way + 1] = number
        end
    end
    if #not_run + #one_way > 0 then
        missing:write(name, ": ", ranges(not_run), #one_way > 0 and " branches " or "", ranges(one_way), "\n")
    end
end
missing:close()
table.sort(names)

local function percent(part, whole)
    return whole == 0 and "      -" or ("%5.1f %%"):format(100 * part / whole)
end
local function row(name, sum)
    print(("%-22s %6d  %s  %6d  %s"):format(name, sum.lines, percent(sum.run, sum.lines), sum.branches,
        percent(sum.taken, sum.branches)))
end
print(("%-22s %6s  %7s  %6s  %7s"):format("room", "lines", "run", "branch", "taken"))
for _, name in ipairs(names) do
    row(name, rooms[name])
end
row("all", all)
print("not run: " .. build .. "/uncovered.txt; why: docs/coverage.md")
