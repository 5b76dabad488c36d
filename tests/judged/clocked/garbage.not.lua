-- Nothing but garbage.
return function()
    churn(300)
end
