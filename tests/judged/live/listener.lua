-- An editor's windows come and go; each listens for changes of the settings, and none stops when it
-- is closed.
local settings = { values = { theme = "dark", size = 12 }, watchers = {} }

function settings.watch(name, callback)
    local watchers = settings.watchers
    watchers[#watchers + 1] = { name = name, callback = callback } --> change
end

function settings.set(name, value)
    settings.values[name] = value
    for _, watcher in ipairs(settings.watchers) do
        if watcher.name == name then watcher.callback(value) end
    end
end

local Window = {}
Window.__index = Window

function Window.open(title)
    local window = setmetatable({ title = title, lines = {}, size = 12 }, Window)
    for i = 1, 20 do window.lines[i] = title .. ": line " .. i end
    settings.watch("size", function(size) window.size = size end)
    return window
end

function Window:close()
    self.lines = nil
    self.closed = true
end

local open, opened = {}, 0
for _ in io.popen("while sleep 0.02 && echo; do :; done"):lines() do
    opened = opened + 1
    open[#open + 1] = Window.open("file" .. opened .. ".txt")
    if #open > 8 then table.remove(open, 1):close() end
    if opened % 100 == 0 then settings.set("size", 10 + opened % 7) end
end
