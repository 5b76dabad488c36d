-- Normal deviates, a vector at a time.

local Normal = {}
Normal.mt = { __index = function(t, k) return rawget(Normal, k) end }
setmetatable(Normal, { __call = function(self, n) return self:RandomVector(n) end })



















local function newvec(n)
  -- as long as it will be, so that it does not grow


  local v = { n = n }
  for i = 1, n do v[i] = 0.0 end
  return v
end













































function Normal:RandomVector(n)




  self.last = table.pack(self:deviate())
  return newvec(n)
end





