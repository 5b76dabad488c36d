-- The collector in both modes, in steps, finalizers that allocate, closing values, errors.
local alive = 0
local function finalized(n)
    for i = 1, n do
        alive = alive + 1
        setmetatable({ i }, { __gc = function(o)
            alive = alive - 1
            local t = { o, tostring(i) }
            if i % 25 == 0 then check("inside __gc") end
            return t
        end })
    end
end
local function churn(n) local t for i = 1, n do t = { i, tostring(i) .. "x", function() return i end } end return t end
for _, mode in ipairs { "incremental", "generational", "incremental", "generational" } do
    collectgarbage(mode)
    check(mode)
    finalized(50)
    churn(400)
    check(mode .. ", churned")
    for step = 0, 30 do collectgarbage("step", step % 4) if step % 10 == 0 then check(mode .. ", step") end end
    collectgarbage()
    check(mode .. ", collected")
end
collectgarbage("incremental", 100, 400, 3)
churn(600)
check("eager")
collectgarbage("stop")
local count = collectgarbage("count")
churn(300)
print(collectgarbage("count") > count, collectgarbage("isrunning"))
check("stopped")
collectgarbage("restart")
collectgarbage()
print(alive)
do
    local a <close> = setmetatable({}, { __close = function() check("closing a") end })
    local b <close> = setmetatable({}, { __close = function(_, e) local t = { e } end })
    check("before close")
end
print(pcall(function()
    local a <close> = setmetatable({}, { __close = function() error("in close") end })
    error("first")
end))
for i = 1, 40 do pcall(error, {}) pcall(string.rep) xpcall(function() error("e" .. i) end, debug.traceback) end
check("errors")
local resurrected = {}
for i = 1, 20 do
    setmetatable({ i }, { __gc = function(o) resurrected[i] = o setmetatable(o, getmetatable(o)) end })
end
collectgarbage() collectgarbage()
check("resurrected")
print(#resurrected)
warn("@off")
setmetatable({}, { __gc = function() error("in gc") end })
collectgarbage()
check("error in __gc")
local eph = setmetatable({}, { __mode = "k" })
for i = 1, 30 do local k = {} eph[k] = { k } end
collectgarbage("generational") collectgarbage("step") collectgarbage("incremental")
check("ephemerons")
collectgarbage()
print(next(eph))
setmetatable({}, { __gc = function() local t = { "at the end" } end }) -- runs in lua_close
check("end of collector")
