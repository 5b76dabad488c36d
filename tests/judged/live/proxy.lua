-- A proxy: 40 connections are pooled, and 5,000 rules read. Sessions are opened by token and never
-- closed; names that were not found are remembered for ever.
local rules, connections, sessions, missing = {}, {}, {}, {}

for i = 1, 5000 do rules[#rules + 1] = { from = "10.0." .. i // 256 .. "." .. i % 256, to = "backend" .. i % 8 } end
for i = 1, 40 do connections[i] = { number = i, buffer = ("x"):rep(500), uses = 0 } end

local Session = {}
Session.__index = Session

function Session.open(token, rule)
    local self = setmetatable({ token = token, target = rule.to, headers = {} }, Session)
    sessions[token] = self --> change
    return self
end

function Session:forward(n)
    self.headers.host = "host" .. n
    self.headers.via = self.target
    local connection = connections[n % #connections + 1]
    connection.uses = connection.uses + 1
end

local function resolve(name)
    if missing[name] then return nil end
    missing[name] = os.time() --> change
    return nil
end

local n = 0
for _ in io.popen("while sleep 0.05 && echo; do :; done"):lines() do
    for _ = 1, 6 do
        n = n + 1
        Session.open(("token-%08x"):format(n * 7919), rules[n % #rules + 1]):forward(n)
        resolve(("unknown-host-%d.internal.example"):format(n))
    end
end
