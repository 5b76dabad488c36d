-- A service that writes what it does to a log: each entry begins with the same long head, and the text of
-- an entry is put together a character at a time.
local settings, routes = {}, {}
for i = 1, 2000 do settings["log.level." .. i] = { level = i % 5, target = "file" } end
for i = 1, 300 do routes["/api/v1/orders/" .. i] = { name = "order " .. i, method = i % 2 == 0 and "GET" or "POST" } end

local log = { head = ("="):rep(80):rep(250), recent = {}, at = 0 }

local function escaped(text)
    local out = ""
    for c in text:gmatch(".") do
        out = out .. (c == "\n" and "\\n" or c) --> change
    end
    return out
end

function log:write(text)
    local entry = self.head .. escaped(text) --> change
    self.at = self.at % 50 + 1 -- the last fifty are kept for whoever asks
    self.recent[self.at] = entry
end

local served = 0
for _ in io.popen("while sleep 0.02 && echo; do :; done"):lines() do
    for i = 1, 12 do
        served = served + 1
        local path = "/api/v1/orders/" .. served % 300 + 1
        local route = routes[path]
        local format = "%s %s was served as %s in %d ms by worker %d\n"
        log:write(format:format(route.method, path, route.name, served % 77, i))
    end
end
