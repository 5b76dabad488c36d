-- An editor: a syntax of 6,000 words is read at its start. Each key makes an undo step that is never
-- dropped, and marks of the spelling are set anew, but never taken away.
local Document = {}
Document.__index = Document

local words = {}
for i = 1, 6000 do words["word" .. i] = { kind = i % 5, colour = "#" .. i } end

function Document.new()
    return setmetatable({ lines = {}, undo = {}, marks = {} }, Document)
end

function Document:type(line, text)
    local before = self.lines[line] or ""
    table.insert(self.undo, { line = line, before = before, after = text }) --> change
    self.lines[line] = text
end

function Document:check(line)
    for word in self.lines[line]:gmatch "%a+" do
        if not words[word] then
            local hint = { "did you mean", word .. "s" }
            self.marks[#self.marks + 1] = { line = line, word = word, hint = hint } --> change
        end
    end
end

local document, n = Document.new(), 0
for _ in io.popen("while sleep 0.04 && echo; do :; done"):lines() do
    for _ = 1, 5 do
        n = n + 1
        local line = n % 200 + 1
        document:type(line, ("line %d of the text"):format(n))
        document:check(line)
    end
end
