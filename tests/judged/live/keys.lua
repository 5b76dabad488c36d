-- A limiter of requests: what a client has asked in this minute is counted under a key of its name,
-- the path and the method, which each request builds, three times.
local counts, minute = {}, 0

local function key(client, method, path)
    return "limit:" .. client .. ":" .. method .. ":" .. path .. ":" .. minute --> change
end

local function used(client, method, path)
    return counts[key(client, method, path)] or 0
end

local function allow(client, method, path)
    if used(client, method, path) >= 5000 then return false end
    counts[key(client, method, path)] = used(client, method, path) + 1
    return true
end

local methods, paths = { "GET", "POST" }, {}
for i = 1, 25 do paths[i] = "/api/v1/accounts/" .. i * 1000 .. "/orders" end

local served, refused, ticks = 0, 0, 0
for _ in io.popen("while sleep 0.02 && echo; do :; done"):lines() do
    ticks = ticks + 1
    if ticks % 3000 == 0 then counts, minute = {}, minute + 1 end
    for i = 1, 60 do
        served = served + 1
        local client = served % 20
        if not allow("client" .. client, methods[served % 2 + 1], paths[served % #paths + 1]) then
            refused = refused + 1
        end
    end
end
