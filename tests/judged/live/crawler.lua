-- A crawler: every address with its parameters counts as a new one, and pages that failed are kept
-- for a retry that nobody makes. What robots may see fills a cache of 64 sites, and stops.
local visited, failed, robots = {}, {}, {}

local function allowed(host)
    local rules = robots[host]
    if not rules then
        rules = {}
        for i = 1, 40 do rules[i] = "/private/" .. host .. "/" .. i end
        robots[host] = rules
    end
    return #rules > 0
end

local function fetch(address, n)
    local words = {}
    for word = 1, 20 do words[word] = "word" .. n * word end
    return n % 3 == 0 and { address = address, error = "timeout after " .. n .. " ms", words = words } or nil
end

local function visit(address, n)
    if visited[address] then return end
    visited[address] = true --> change
    local failure = fetch(address, n)
    if failure then failed[#failed + 1] = failure end --> change
end

local n = 0
for _ in io.popen("while sleep 0.05 && echo; do :; done"):lines() do
    for _ = 1, 8 do
        n = n + 1
        local host = "site" .. n % 64 .. ".example"
        if allowed(host) then visit(("http://%s/page?session=%08d&ref=front-page"):format(host, n), n) end
    end
end
