-- File loading: the first part of the example, on the file named by the first argument.
local file = require "pricing.file"
local columns = file.to_columns(file.load(arg[1]))
local sum = 0
for _, price in ipairs(columns.price) do
    sum = sum + price
end
print(string.format("%.6f", sum))
