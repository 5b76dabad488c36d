-- check.lua - who includes whom, against the one table of who may: that of docs/design.md, below
-- "## Rooms". A room is
--     folder/  what it is
--       sees room room lua.h ...
-- where a room is called as includes and CMake call it, without src/ and ui/.
-- A source may include headers of its own room and of the rooms that its room sees, written as
-- room/file.h, headers of Lua and curses where it sees them, and the C library.
-- CMake's libraries of the rooms (lmp_room) link each other as the table says: no room more, none
-- less.
--
-- Inside a room, too, nothing goes round in a circle: NAME.c and NAME.h are one, and where there is
-- a NAME_impl.h or NAME_state.h, what the files of NAME share, so are all NAME_*.
--
--     lua5.4 check.lua ROOT [self]    self: feeds itself wrong includes, which must be found

local root, self = arg[1], arg[2] == "self"
local read = dofile(root .. "/tests/read.lua")

-- folder -> set of what it may see
local function rooms_of(text)
    local section = assert(text:match("\n## Rooms\n(.-)\n## "), "docs/design.md has no Rooms")
    local rooms, sees, count = {}, {}, 0
    local folder, seeing
    for line in section:gmatch("[^\n]+") do
        local first = line:match("^(%l[%w/]*/)  ")
        if first then
            assert(not rooms[first], first .. " stands there twice")
            folder, seeing, count = first, false, count + 1
            rooms[folder], sees[folder] = { [folder] = true }, ""
        elseif line:find("^```") then
            folder = nil
        elseif folder then
            seeing = seeing or line:find("^  sees ") ~= nil
            sees[folder] = sees[folder] .. (seeing and line:gsub("^  sees ", " ") or "")
        end
    end
    for of, names in pairs(sees) do
        for name in names:gmatch("%S+") do
            local folders = { "src/" .. name .. "/", "ui/" .. name .. "/", name .. "/" }
            rooms[of][rooms[folders[1]] and folders[1] or rooms[folders[2]] and folders[2]
                or rooms[folders[3]] and folders[3] or name] = true
        end
    end
    assert(count >= 10, "the table of rooms was not understood")
    return rooms
end

local function list(pattern)
    local out = {}
    local pipe = assert(io.popen("cd '" .. root .. "' && find src ui lua -name '" .. pattern .. "'"))
    for path in pipe:lines() do
        out[#out + 1] = path
    end
    pipe:close()
    table.sort(out)
    return out
end

-- What CMake links: the rooms that `lmp_room(${here} NAME SEEN ...)` of a CMakeLists.txt in `base`
-- names. Returns folder -> set of folders.
local function linked_of(text, base, rooms)
    local linked = {}
    for args in text:gmatch("\nlmp_room%(%${here} ([^)]*)%)") do
        local room, sees = nil, {}
        for name in args:gmatch("%S+") do
            local folder = rooms["src/" .. name .. "/"] and "src/" .. name .. "/" or "ui/" .. name .. "/"
            if room then
                sees[folder] = true
            else
                room = base .. name .. "/"
            end
        end
        linked[room] = sees
    end
    return linked
end

-- What differs between a row of the table and what CMake links; nil: nothing.
local function difference(room, may, sees)
    for folder in pairs(may) do
        if folder:find("/", 1, true) and folder ~= room and not sees[folder] then
            return room .. " may see " .. folder .. ", which CMake does not link"
        end
    end
    for folder in pairs(sees) do
        if not may[folder] then
            return room .. " links " .. folder .. ", which it may not see"
        end
    end
end

-- Headers of others that have a row's leave to be included.
local guarded = {
    ["lua.h"] = "lua.h", ["lauxlib.h"] = "lua.h", ["lualib.h"] = "lua.h", ["luaconf.h"] = "lua.h",
    ["ncurses.h"] = "curses", ["curses.h"] = "curses", ["term.h"] = "curses", ["panel.h"] = "curses",
}

local function problem_of(path, include, angle, rooms, where)
    local room = path:match("^(.*/)")
    local may = rooms[room]
    if not may then
        return room .. " has no row in docs/design.md"
    end
    if angle then
        local leave = guarded[include]
        if leave and not may[leave] then
            return "may not include <" .. include .. ">"
        end
        return nil
    end
    local target = where[include]
    if not target then
        return 'includes "' .. include .. '", which is no room/file.h'
    end
    if not may[target] then
        return 'may not see "' .. include .. '"'
    end
end

local rooms = rooms_of(read("docs/design.md"))

-- "room/file.h" as it is written -> the folder that it stands in
local where = {}
for _, path in ipairs(list("*.h")) do
    where[path:gsub("^%w+/", "", 1)] = path:match("^(.*/)")
end

-- What is seen by a node may not see that node, by any way. `sees`: node -> set of nodes. Returns a
-- way round in a circle, nil: there is none.
local function find_circle(sees)
    local state, names = {}, {}
    local function visit(node, path)
        if state[node] == "done" then
            return nil
        end
        if state[node] == "open" then
            return path .. " > " .. node
        end
        state[node] = "open"
        for seen in pairs(sees[node]) do
            if seen ~= node and sees[seen] then
                local circle = visit(seen, path .. " > " .. node)
                if circle then
                    return circle
                end
            end
        end
        state[node] = "done"
    end
    for name in pairs(sees) do
        names[#names + 1] = name
    end
    table.sort(names)
    for _, name in ipairs(names) do
        local circle = visit(name, "")
        if circle then
            return circle
        end
    end
end

-- A file without its ending, or what it is a part of.
local function unit_of(path, shared)
    local name = path:gsub("%.[ch]$", "")
    for whole in pairs(shared) do
        if name:sub(1, #whole + 1) == whole .. "_" then
            return whole
        end
    end
    return name
end

-- Those that have files of their own: the names before _impl.h and _state.h.
local function shared_of(paths)
    local shared = {}
    for _, path in ipairs(paths) do
        local whole = path:match("^(.*)_impl%.h$") or path:match("^(.*)_state%.h$")
        if whole then
            shared[whole] = true
        end
    end
    return shared
end

-- Who includes whom inside of a room. `includes`: path -> list of "room/file.h".
local function units_of(paths, includes)
    local shared, sees = shared_of(paths), {}
    for _, path in ipairs(paths) do
        local unit = unit_of(path, shared)
        sees[unit] = sees[unit] or {}
        for _, include in ipairs(includes[path]) do
            local target = where[include]
            if target and target == path:match("^(.*/)") then
                sees[unit][unit_of(target .. include:match("[^/]*$"), shared)] = true
            end
        end
    end
    return sees
end

if self then
    local function must(path, include, angle)
        assert(problem_of(path, include, angle, rooms, where),
            path .. " could include " .. include .. " and nobody would see it")
    end
    must("src/base/err.c", "shared/layout.h")
    must("src/base/err.c", "lua.h", true)
    must("src/read/view.c", "agent/hook/hook.h")
    must("ui/screen/canvas.c", "read/view.h")
    must("ui/panels/panel_heapmap.c", "ncurses.h", true)
    must("ui/panels/panel_heapmap.c", "heapmap.h")
    must("src/nowhere/new.c", "base/err.h")
    assert(not problem_of("src/read/view.c", "base/err.h", false, rooms, where))
    local linked = linked_of("\nlmp_room(${here} base)\nlmp_room(${here} shared base pty)\n", "src/", rooms)
    assert(not difference("src/base/", rooms["src/base/"], linked["src/base/"]))
    assert(difference("src/shared/", rooms["src/shared/"], linked["src/shared/"]), "a room linked too much")
    assert(difference("src/read/", rooms["src/read/"], linked["src/base/"]), "a room linked too little")
    rooms["src/base/"]["ui/subcommands/"] = true
    assert(find_circle(rooms), "a circle of rooms was not found")
    local function circle_of(includes)
        local paths = {}
        for path in pairs(includes) do
            paths[#paths + 1] = path
        end
        return find_circle(units_of(paths, includes))
    end
    local view, stats = "src/read/view", "src/read/stats"
    assert(circle_of { [view .. ".c"] = { "read/view.h", "read/stats.h" }, [view .. ".h"] = {},
        [stats .. ".h"] = {}, [stats .. ".c"] = { "read/view.h" } }, "a circle of files was not found")
    assert(not circle_of { [view .. ".c"] = { "read/view.h", "read/stats.h" }, [view .. ".h"] = {},
        [stats .. ".h"] = {}, [stats .. ".c"] = { "shared/layout.h" } })
    local ledger, index = "src/read/ledger/ledger", "src/read/ledger/ledger_index"
    assert(not circle_of { [ledger .. ".c"] = { "read/ledger/ledger_impl.h" },
        [ledger .. "_impl.h"] = { "read/ledger/ledger.h" }, [ledger .. ".h"] = {},
        [index .. ".c"] = { "read/ledger/ledger_impl.h" } })
    print("the check finds what it is for")
    return
end

local wrong, checked = 0, 0
local function tell(text)
    io.stderr:write("rooms: ", text, "\n")
    wrong = wrong + 1
end

local circle = find_circle(rooms)
if circle then
    tell("the table has a circle:" .. circle)
end
local libraries = 0
for _, base in ipairs { "src/", "ui/" } do
    for room, sees in pairs(linked_of(read(base .. "CMakeLists.txt"), base, rooms)) do
        local problem = difference(room, rooms[room] or {}, sees)
        libraries = libraries + 1
        if problem then
            tell("CMake: " .. problem)
        end
    end
end
assert(libraries > 20, "hardly any library of a room was found")
local used, paths, includes = {}, list("*.[ch]"), {}
for _, path in ipairs(paths) do
    used[path:match("^(.*/)")] = true
    includes[path] = {}
    for open, include in read(path):gmatch('#%s*include%s*([<"])([^>"]+)[>"]') do
        local problem = problem_of(path, include, open == "<", rooms, where)
        checked = checked + 1
        if open == '"' then
            table.insert(includes[path], include)
        end
        if problem then
            tell(path .. " " .. problem)
        end
    end
end
circle = find_circle(units_of(paths, includes))
if circle then
    tell("files include each other in a circle:" .. circle)
end
for room in pairs(rooms) do
    if not used[room] then
        tell(room .. " stands in docs/design.md and has no source")
    end
end
assert(checked > 500, "hardly any include was found")
print(checked .. " includes and " .. libraries .. " libraries looked at")
os.exit(wrong == 0)
