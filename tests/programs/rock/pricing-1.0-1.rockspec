package = "pricing"
version = "1.0-1"
source = { url = "git://example.invalid/pricing" }
description = { summary = "Prices of options", license = "MIT" }
dependencies = { "lua >= 5.4" }
build = {
    type = "builtin",
    modules = { ["pricing.normal"] = "pricing/normal.lua", ["pricing.blackscholes"] = "pricing/blackscholes.lua" },
}
