-- A linked list with its head kept.
local head
return function(i)
    head = { next = head, value = i } --> grows
    churn(120)
end
