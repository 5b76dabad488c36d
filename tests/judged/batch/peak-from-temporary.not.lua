-- As much is read, and kept.
local rows = {}
for i = 1, 60000 do rows[i] = { i } end
collectgarbage()
local until_then, n = os.clock() + 0.5, 0
while os.clock() < until_then do
    for i = 1, 1000 do n = n + #{ i } end
end
collectgarbage()
