-- Tracebacks of all errors are kept.
local errors = {}
return function(i)
    local ok, message = pcall(error, "failure " .. i) --> grows
    if not ok then
        errors[#errors + 1] = { message, debug.traceback() } --> grows
    end
    churn(150)
end
