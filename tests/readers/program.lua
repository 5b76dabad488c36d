-- A program with something of everything that a heap can have in it, for readers of its snapshot.
package.preload["app.cache"] = function()
    local entries, M = {}, {}
    function M.get(key)
        local entry = entries[key]
        if not entry then
            entry = { id = key, body = string.rep("x", 200) .. key, callback = function() return key end }
            entries[key] = entry
        end
        return entry
    end
    return M
end

local cache = require "app.cache"
for i = 1, 2000 do cache.get("request " .. i) end

waiting = {}
local function worker(n)
    local buffer = string.rep("b", 3000) .. n
    coroutine.yield()
    return buffer
end
for i = 1, 50 do
    waiting[i] = coroutine.create(worker)
    coroutine.resume(waiting[i], i)
end

weak = setmetatable({}, { __mode = "k" })
for i = 1, 100 do
    local key = {}
    weak[key] = { key, i }
    if i % 2 == 0 then waiting[#waiting + 1] = key end
end

loaded = {}
for i = 1, 300 do loaded[i] = load("local a = " .. i .. " return function() return a end")() end

list = nil
for i = 1, 5000 do list = { next = list, value = i } end

files = { io.stdout, [3.5] = "float", [true] = "boolean", [-1] = "negative", [print] = "function" }
for i = 1, 1000 do local garbage = { { i } } end
