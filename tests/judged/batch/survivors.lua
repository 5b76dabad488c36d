-- Generational mode, and what is made lives for thousands of steps.
collectgarbage("generational")
local ring = {}
for i = 1, 400000 do ring[i % 60000] = { i } end
