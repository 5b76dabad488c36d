-- The last thousand lines, moved along.
local lines = {}
return function(i)
    lines[#lines + 1] = "line " .. i
    if #lines > 1000 then
        lines = table.move(lines, 501, #lines, 1, {})
    end
    churn(200)
end
