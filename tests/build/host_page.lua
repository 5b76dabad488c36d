-- host_page.lua - docs/host.md says what lua/host/lmp.h says: its part between "made by GENERATE=1" and "end of lmp.h"
-- is made from the header's comments and declarations, and from the texts of errors.
--
--     lua5.4 host_page.lua ROOT      with GENERATE=1 in the environment: writes that part

local root = arg[1]
local read = dofile(root .. "/tests/read.lua")

-- What a comment says: a list of paragraphs, names in code quotes.
local function prose_of(comment)
    local text = comment:gsub("^/%*%s*", ""):gsub("%s*%*/%s*$", ""):gsub("\n%s*%* ?", "\n")
    local out = {}
    for paragraph in (text .. "\n\n"):gmatch("(.-)\n%s*\n") do
        local line, lines = "", {}
        local quoted = (" " .. paragraph):gsub("([^%w_`])(lmp_%w[%w_.]*%w)", "%1`%2`")
            :gsub("([^%w_`])(LMP_%u[%u_]*)", "%1`%2`")
        for word in quoted:gmatch("%S+") do
            if #line + #word + 1 > 120 then
                lines[#lines + 1], line = line, ""
            end
            line = line .. (line == "" and "" or " ") .. word
        end
        lines[#lines + 1] = line
        out[#out + 1] = table.concat(lines, "\n")
    end
    return table.concat(out, "\n\n")
end

local function errors_of(declaration)
    local texts, out = {}, { "| error | number | text |", "| --- | --- | --- |" }
    local source = read("src/base/err.h"):gsub("%s*\\\n%s*", " ")
    for name, text in source:gmatch('X%(LMP_E_(%u+), "%u+", "(.-)"%)') do
        texts[name] = text
    end
    for name, number in declaration:gmatch("LMP_ERR_(%u+) = (%d+)") do
        out[#out + 1] = ("| `LMP_ERR_%s` | %s | %s |"):format(name, number, assert(texts[name], name))
    end
    assert(#out > 20, "hardly any error was found")
    return table.concat(out, "\n")
end

local function page_of(header)
    local out = { prose_of(header:match("^(/%*.-%*/)"):gsub("lmp%.h %- ", "", 1)) }
    local body = header:match("\nstruct lmp_Figures;\n(.-)\n#ifdef __cplusplus")
    local functions = 0
    for paragraph in body:gsub("\n\n/%*", "\n\0/*"):gmatch("[^\0]+") do
        local comment, declaration = paragraph:match("^%s*(/%*.-%*/)%s*(.*)$")
        if comment:find("^/%* ## ") then
            out[#out + 1] = prose_of(comment)
        else
            declaration = declaration:gsub("LMP_API ", ""):gsub("%s+$", "")
            if declaration:find("^enum lmp_Error") then
                out[#out + 1] = prose_of(comment)
                out[#out + 1] = errors_of(declaration)
            else
                out[#out + 1] = "```c\n" .. declaration .. "\n```"
                out[#out + 1] = prose_of(comment)
            end
            for _ in declaration:gmatch("%f[%w_]lmp_[%l_]+%(") do
                functions = functions + 1
            end
        end
    end
    local _, all = header:gsub("\nLMP_API ", "")
    assert(functions == all, functions .. " functions were understood, of " .. all)
    return table.concat(out, "\n\n")
end

local begin, finish = "<!-- lmp.h: made by GENERATE=1 -->\n\n", "\n\n<!-- end of lmp.h -->"
local document, made = read("docs/host.md"), page_of(read("lua/host/lmp.h"))
local _, from = document:find(begin, 1, true)
local to = document:find(finish, from or 1, true)
assert(from and to, "docs/host.md lacks its two comments")
if os.getenv("GENERATE") then
    local file = assert(io.open(root .. "/docs/host.md", "w"))
    file:write(document:sub(1, from), made, document:sub(to))
    file:close()
elseif document:sub(from + 1, to - 1) ~= made then
    io.stderr:write("docs/host.md differs from lua/host/lmp.h (GENERATE=1 makes it)\n")
    os.exit(false)
end
