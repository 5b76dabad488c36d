-- An undo history of 200 steps: its strings live for as long as it says, and are not made needlessly.
collectgarbage("generational")
local head, doc, undo = {}, {}, {}
for i = 1, 3000 do head[i] = "line " .. i .. (" text"):rep(8) end
for n = 1, 12000 do
    local first, before, mark = n * 37 % 2900 + 1, {}, " <" .. n .. ">"
    for i = first, first + 39 do
        before[i - first + 1] = doc[i]
        doc[i] = head[i] .. mark
    end
    undo[n % 200] = { first = first, lines = before }
end
