--- Files of options: nine columns separated by blanks, an option a line:
--     spot strike rate dividend volatility time kind dividends price
-- The ninth column is what the formula gave when the file was made, to check against.

local blackscholes = require "pricing.blackscholes"

local file = {}

file.columns = { "spot", "strike", "rate", "dividend", "volatility", "time", "kind", "dividends", "price" }

--- Writes a file of `count` random options.
function file.generate(path, count, random)
    local out <close> = assert(io.open(path, "w"))
    for _ = 1, count do
        local spot = random(2000, 20000) / 100
        local strike = spot * random(70, 130) / 100
        local rate, dividend = random(100, 1000) / 10000, random(0, 4) / 100
        local volatility, time = random(5, 65) / 100, random(1, 40) / 20
        local kind = random(2) == 1 and "C" or "P"
        local price = blackscholes.price(kind, spot, strike, rate, dividend, volatility, time)
        assert(out:write(string.format("%.2f %.4f %.4f %.2f %.2f %.2f %s 0.00 %.15f\n",
            spot, strike, rate, dividend, volatility, time, kind, price)))
    end
end

--- Reads a file: a table per line, a string per field.
function file.load(path)
    local records = {}
    for line in io.lines(path) do
        local record = {}
        for field in line:gmatch("%S+") do
            record[#record + 1] = field
        end
        assert(#record == #file.columns, path .. ": a line has not nine columns")
        records[#records + 1] = record
    end
    return records
end

--- Copies the columns out of the records: name -> array, numbers where they are numbers.
function file.to_columns(records)
    local columns = {}
    for c, name in ipairs(file.columns) do
        local column = {}
        for i, record in ipairs(records) do
            column[i] = tonumber(record[c]) or record[c]
        end
        columns[name] = column
    end
    return columns
end

return file
