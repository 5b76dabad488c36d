-- table_as_list.lua - a Markdown table whose lines fit in 120 columns, as it is; a wider one as a
-- list, wrapped. Columns before the one that explains (called "meaning" or "holds when", else the
-- last) stand in parentheses, later ones follow with their titles.
local rows, widest = {}, 0
for line in io.lines() do
    rows[#rows + 1] = line
    widest = math.max(widest, utf8.len(line))
end
if widest <= 120 then
    print(table.concat(rows, "\n"))
    return
end

local function cells_of(row)
    local cells = {}
    for cell in row:sub(2):gmatch("%s*(.-)%s*|") do
        cells[#cells + 1] = cell
    end
    return cells
end

local titles = cells_of(rows[1])
local explains = #titles
for i, title in ipairs(titles) do
    if title == "meaning" or title == "holds when" then
        explains = i
    end
end

local function print_wrapped(text)
    local line, indent = "-", ""
    for word in text:gmatch("%S+") do
        local longer = line .. " " .. word
        if utf8.len(longer) > 120 then
            print(line)
            line, indent = "  " .. word, "  "
        else
            line = line == indent and indent .. word or longer
        end
    end
    print(line)
end

for i = 3, #rows do
    local cells, told = cells_of(rows[i]), {}
    for at = 2, explains - 1 do
        if cells[at] ~= "" then
            told[#told + 1] = cells[at]
        end
    end
    local text = cells[1] .. (#told > 0 and " (" .. table.concat(told, "; ") .. ")" or "") .. ": " .. cells[explains]
    for at = explains + 1, #titles do
        if cells[at] ~= "" then
            text = text .. "; *" .. titles[at]:gsub("^and ", "") .. "* " .. cells[at]:gsub("<br>", " / ")
        end
    end
    print_wrapped(text)
end
