-- A client that loses its connection now and then: with each new one it registers a function for what
-- comes in, and none is ever taken away.
local settings, handlers, seen = {}, {}, setmetatable({}, { __mode = "v" })
for i = 1, 3000 do settings["peer." .. i] = { host = "10.0.0." .. i % 250, port = 7000 + i } end

local Connection = {}
Connection.__index = Connection

local function open(n)
    local buffer = {}
    for i = 1, 120 do buffer[i] = { n * i } end
    return setmetatable({ number = n, buffer = buffer, at = 0 }, Connection)
end

function Connection:take(text)
    self.at = self.at % #self.buffer + 1
    self.buffer[self.at][1] = #text
end

local function on_message(handler)
    table.insert(handlers, handler) --> change
end

local n, ticks, connection = 0, 0, nil
for _ in io.popen("while sleep 0.02 && echo; do :; done"):lines() do
    ticks = ticks + 1
    if ticks % 5 == 1 then
        n = n + 1
        local new = open(n)
        connection, seen[n % 40] = new, new
        on_message(function(text) new:take(text) end)
    end
    for i = 1, 30 do
        local message = { kind = "data", text = ("reading %d of %d"):format(i, ticks) }
        handlers[#handlers](message.text)
    end
end
