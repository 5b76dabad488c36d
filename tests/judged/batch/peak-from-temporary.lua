-- A file that is read in whole, looked at and dropped; then a long time with little.
local function read()
    local rows = {}
    for i = 1, 60000 do rows[i] = { i } end
    return #rows
end
local n = read()
collectgarbage()
local until_then = os.clock() + 0.5
while os.clock() < until_then do
    for i = 1, 1000 do n = n + #{ i } end
end
collectgarbage()
