-- C functions called from everywhere: the line is their Lua caller's.
local t = table.pack(string.rep("x", 10),
    string.rep("y", 10), table.pack(1, 2),
    host.userdata(100))
local u = host.userdata(16)             --@ 1 48
u = host.userdata(16, 2)                --@ 1 U2+16
u = host.closure(2)                     --@ 1 64
u = host.call(host.userdata, 24)        --@ 1 56
u = host.call(host.call, host.call, host.userdata, 32)
u = host.call(function() return host.userdata(40) end)
u = select(2, host.pcall(host.userdata, 48))
u = select(2, host.pcall(error, { 1 }))
host.call(function()
    local t = { 1 }
    host.call(function()
        t = { 2 }
    end)
    t = { 3 }
end)
u = { pcall(table.pack, 1, 2, 3) }
u = { xpcall(host.userdata, debug.traceback, 100) }
u = io.tmpfile()
u:write("some text\nand more\n")
u:seek("set")
local line = u:read("l") .. u:read("a")
u:close()
u = debug.getinfo(1)
u = debug.getinfo(print, "S")
u = debug.traceback("message", 1)
u = debug.getlocal(1, 1)
u = os.time { year = 2020, month = 1, day = 1, hour = 12 }
u = os.date("*t", 0)
u = { math.random() }
u = rawget(_G, "none")
u = getmetatable("").__index
u = { table.unpack { 1, 2, 3 } }
u = tostring(12) .. tostring(1e100)
collectgarbage("count")
dofile = nil
