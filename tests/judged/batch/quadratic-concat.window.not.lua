-- A window over a stream: each string is made of the last one, but what is old is cut off.
local seen = ("."):rep(4000)
for i = 1, 30000 do
    seen = (seen .. i):sub(-4000)
end
assert(#seen == 4000)
