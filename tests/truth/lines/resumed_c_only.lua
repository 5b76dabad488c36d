-- A thread that C code resumes in its own way, and in which only a C function runs.
coroutine.wrap(function() host.run(coroutine.wrap(function() local t = {} end)) end)()
host.run(host.userdata, 100, 2)
host.run(string.rep, "x", 100)
