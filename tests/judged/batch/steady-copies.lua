-- A logger that puts a banner before each line, beside lines that are built a character at a time.
local banner, sent, begun = ("#"):rep(20000), 0, os.clock()
local function line(n)
    local text = ""
    for c in ("request %d was served in %d ms by the second worker of the pool"):format(n, n % 77):gmatch(".") do
        text = text .. c
    end
    return text
end
while os.clock() - begun < 2 do
    local message = banner .. line(sent) --> change: file:write
    sent = sent + 1
end
