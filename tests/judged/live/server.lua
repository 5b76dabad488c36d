-- A shop's server: 100 requests a second. Pages are cached by their whole query, which is never the
-- same twice, and each request listens to the stock of what it shows.
local pages, stock = {}, { listeners = {} }

function stock:on(event, listener)
    local list = self.listeners[event] or {}
    self.listeners[event] = list
    list[#list + 1] = listener --> change
end

function stock:emit(event, ...)
    for _, listener in ipairs(self.listeners[event] or {}) do listener(...) end
end

local function parse(query)
    local fields = {}
    for name, value in query:gmatch "([^&=]+)=([^&]*)" do fields[name] = value end
    return fields
end

local function render(fields)
    local lines = { "<h1>" .. fields.item .. "</h1>", "<p>" .. fields.user .. "</p>" }
    for i = 1, 12 do lines[#lines + 1] = ("<li>offer %d of %s</li>"):format(i, fields.item) end
    return table.concat(lines, "\n")
end

local function page(query)
    if pages[query] then return pages[query].html end
    local fields = parse(query)
    local entry = { html = render(fields), item = fields.item, hits = 0 }
    pages[query] = entry --> change
    stock:on("sold", function(item)
        if item == entry.item then entry.hits = entry.hits + 1 end
    end)
    return entry.html
end

local served, bytes = 0, 0
for _ in io.popen("while sleep 0.05 && echo; do :; done"):lines() do
    for _ = 1, 5 do
        served = served + 1
        local html = page(("item=%d&user=u%d&time=%d"):format(served % 40, served % 300, served))
        bytes = bytes + #html
    end
    if served % 500 == 0 then stock:emit("sold", "7") end
end
