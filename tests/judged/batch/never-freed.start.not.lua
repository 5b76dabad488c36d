-- The same start: what is kept from it is no more said to be never freed than to grow for ever.
dofile(arg[0]:match("^(.*)/") .. "/grows.start.not.lua")
