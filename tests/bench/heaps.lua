-- heaps.lua SHAPE OBJECTS FILE [WORK LMP] - builds a heap of so many objects, and writes a snapshot;
-- with WORK, has two taken of itself from another terminal, as it were, and goes on meanwhile: "makes"
-- makes tables, "collects" collects garbage. Prints its resident set in bytes, and what `lmp snapshot`
-- says. For tests/bench/heaps.
local shapes = {}

function shapes.records(n)
    local t = {}
    for i = 1, n // 4 do
        local s = "s" .. i
        t[i] = { s, { i }, function() return s end }
    end
    return t
end

function shapes.list(n)
    local last
    for i = 1, n // 2 do
        local node = { previous = last, value = { i } }
        if last then last.next = node end
        last = node
    end
    return last
end

function shapes.random(n)
    local t, random = {}, math.random
    for i = 1, n do t[i] = {} end
    for i = 1, n do
        local o = t[i]
        o[1], o[2], o[3], o[4] = t[random(n)], t[random(n)], t[random(n)], t[random(n)]
    end
    return t
end

local work = {
    makes = function()
        for _ = 1, 1000 do local _ = {} end
    end,
    collects = function() collectgarbage() end,
}

local function read(path)
    local file <close> = io.open(path)
    return file and file:read("a") or ""
end

collectgarbage("stop")
heap = shapes[arg[1]](tonumber(arg[2]))
print("resident " .. read("/proc/self/statm"):match("%d+ (%d+)") * 4096)
local file, works, lmp = arg[3], work[arg[4]], arg[5]
if not works then
    local figures = select(2, assert(require("luamemprofiler").snapshot(file, { wait = true })))
    print("objects " .. figures.objects .. " bytes " .. figures.file_bytes)
    return
end
collectgarbage("restart")
for _ = 1, 2 do
    local said = os.tmpname()
    os.execute(string.format("{ '%s' snapshot --no-gc %s '%s'; echo over; } >%s 2>&1 &", lmp,
        read("/proc/self/stat"):match("%d+"), file, said))
    repeat works() until read(said):find("over\n")
    print(read(said):match("snapshot %d+:[^\n]*") or read(said)) -- it may say first that it waits
    os.remove(said)
    os.remove(file)
end
