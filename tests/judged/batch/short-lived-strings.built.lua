-- Lines that are put together a character at a time: none is large, and each step copies all of it.
local shown = 0
for n = 1, 6000 do
    local text = ""
    for c in ("request %d was served in %d ms by the second worker of the pool"):format(n, n % 77):gmatch(".") do
        text = text .. c --> change: table.concat
    end
    shown = shown + #text
end
