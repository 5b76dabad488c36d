-- Files that are closed but kept.
local files = {}
return function(i)
    if i % 4 == 0 then
        local f = io.open("/dev/null") --> grows
        f:close()
        files[#files + 1] = f --> grows
    end
    churn(200)
end
