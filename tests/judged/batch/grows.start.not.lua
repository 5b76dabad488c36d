-- A start: what is loaded is kept, and the heap doubles from one full collection to the next. At its
-- end, some seconds later at most, nobody can say yet that it would never stop.
local records = {}
for i = 1, 60000 do
    local record = {}
    for field in ("%d %d %d"):format(i, i * 2, i * 3):gmatch("%S+") do
        record[#record + 1] = field
    end
    records[i] = record
end
