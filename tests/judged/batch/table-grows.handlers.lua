-- A handler is registered with each reconnect, and its function keeps the connection. Most of the time
-- the program waits; what it then makes first is as old as the last time.
local settings, handlers, begun = {}, {}, os.clock()
for i = 1, 2000 do settings["key" .. i] = { value = i } end
local function connect(n)
    local buffer = {}
    for i = 1, 200 do buffer[i] = { n * i } end --> not here
    return { id = n, buffer = buffer }
end
local function on(handler)
    table.insert(handlers, handler) --> change: take entries out of the table that grows here
end
for n = 1, 80 do
    local connection = connect(n)
    on(function(text) connection.last = text end)
    collectgarbage()
    while os.clock() - begun < n * 0.05 do end
end
