-- A server reads 20,000 settings as it starts. Then its cache of responses never evicts, and each
-- request registers a handler that keeps the request.
local settings, responses, handlers = {}, {}, {}

local function load_settings()
    for i = 1, 20000 do
        settings["key." .. i] = { value = "value " .. i, default = i % 7 == 0 }
    end
end

local function on_reload(handler)
    handlers[#handlers + 1] = handler --> change
end

local function respond(request)
    local lines = {}
    for i = 1, 8 do lines[i] = ("<p>%s %d</p>"):format(request.path, i) end
    return { status = 200, body = table.concat(lines, "\n") }
end

local function handle(request)
    local known = responses[request.path]
    if known then return known end
    local response = respond(request)
    responses[request.path] = response --> change
    on_reload(function() request.stale = true end)
    return response
end

load_settings()
local served = 0
for _ in io.popen("while sleep 0.05 && echo; do :; done"):lines() do
    for _ = 1, 6 do
        served = served + 1
        local theme = settings["key." .. served % 20000 + 1]
        local path = ("/item/%d?theme=%s"):format(served, theme and theme.value)
        handle { path = path, headers = { host = "shop", n = served } }
    end
end
