-- What tests of the module expect of a call and of a value.
local expect = {}

-- f(...) raises an error that has these words.
function expect.raises(words, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "no error where one was expected: " .. words)
  assert(message:find(words, 1, true), "expected '" .. words .. "', got: " .. message)
end

function expect.same(what, is, want)
  if is ~= want then
    error(("%s: %s, not %s"):format(what, tostring(is), tostring(want)), 2)
  end
end

return expect
