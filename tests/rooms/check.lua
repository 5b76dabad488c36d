-- check.lua - who includes whom, against the one table of who may: that of docs/design.md, below
-- "## Rooms". A row is
--     | `folder/` | what it is | `folder/` `folder/` `lua.h` ... |
-- A source may include headers of its own room and of the rooms in its row's last column, written
-- as room/file.h, headers of Lua and curses where the row names them, and the C library.
--
--     lua5.4 check.lua ROOT [self]    self: feeds itself wrong includes, which must be found

local root, self = arg[1], arg[2] == "self"

local function read(path)
    local file = assert(io.open(root .. "/" .. path))
    local text = file:read("a")
    file:close()
    return text
end

-- folder -> set of what it may see
local function rooms_of(text)
    local section = assert(text:match("\n## Rooms\n(.-)\n## "), "docs/design.md has no Rooms")
    local rooms, count = {}, 0
    for folder, sees in section:gmatch("\n| `([^`]+/)` |[^|]*|([^\n]*)|") do
        local may = { [folder] = true }
        for name in sees:gmatch("`([^`]+)`") do
            may[name] = true
        end
        assert(not rooms[folder], folder .. " has two rows")
        rooms[folder] = may
        count = count + 1
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

-- What is seen by a room may not see that room, by any way: the table has no circles.
local function find_circle()
    local state = {}
    local function visit(room, path)
        if state[room] == "done" then
            return nil
        end
        if state[room] == "open" then
            return path .. " > " .. room
        end
        state[room] = "open"
        for seen in pairs(rooms[room]) do
            if seen ~= room and rooms[seen] then
                local circle = visit(seen, path .. " > " .. room)
                if circle then
                    return circle
                end
            end
        end
        state[room] = "done"
    end
    for room in pairs(rooms) do
        local circle = visit(room, "")
        if circle then
            return circle
        end
    end
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
    must("ui/panels/panel_heap.c", "ncurses.h", true)
    must("ui/panels/panel_heap.c", "heapmap.h")
    must("src/nowhere/new.c", "base/err.h")
    assert(not problem_of("src/read/view.c", "base/err.h", false, rooms, where))
    rooms["src/base/"]["ui/cmd/"] = true
    assert(find_circle(), "a circle was not found")
    print("the check finds what it is for")
    return
end

local wrong, checked = 0, 0
local function tell(text)
    io.stderr:write("rooms: ", text, "\n")
    wrong = wrong + 1
end

local circle = find_circle()
if circle then
    tell("the table has a circle:" .. circle)
end
local used = {}
for _, path in ipairs(list("*.[ch]")) do
    used[path:match("^(.*/)")] = true
    for open, include in read(path):gmatch('#%s*include%s*([<"])([^>"]+)[>"]') do
        local problem = problem_of(path, include, open == "<", rooms, where)
        checked = checked + 1
        if problem then
            tell(path .. " " .. problem)
        end
    end
end
for room in pairs(rooms) do
    if not used[room] then
        tell(room .. " stands in docs/design.md and has no source")
    end
end
assert(checked > 500, "hardly any include was found")
print(checked .. " includes looked at")
os.exit(wrong == 0)
