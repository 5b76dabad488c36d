-- Months of measurements written as CSV by an object that keeps its text in a field; the text is
-- added to in two places, a column at a time.
local Csv = {}
Csv.__index = Csv

function Csv.new(columns)
    return setmetatable({ text = table.concat(columns, ";") .. "\n", columns = columns }, Csv)
end

function Csv:add(value)
    self.text = self.text .. tostring(value) .. ";" --> change
end

function Csv:close_row()
    self.text = self.text .. "\n"
end

local function measure(day, hour)
    return { day = day, hour = hour, low = math.sin(hour) * 10, high = math.cos(hour) * 30, wind = (day * hour) % 17 }
end

local columns = { "day", "hour", "low", "high", "wind" }
local months = 0
while months < 200 do
    months = months + 1
    local csv = Csv.new(columns)
    for day = 1, 31 do
        for hour = 0, 23 do
            local values = measure(day, hour)
            for _, name in ipairs(columns) do csv:add(values[name]) end
            csv:close_row()
        end
    end
end
