// ours.js - what lmp itself says of a heap: the rows of its CSV.
"use strict";
const fs = require("fs");

// id -> { type, class, bytes, retained, garbage }. Fields may be quoted, one apostrophe before
// them is not theirs, and names may have anything in them.
exports.ours = function (csv) {
  const [head, ...lines] = fs.readFileSync(csv, "utf8").trimEnd().split(/\n(?=\d+,0x)/);
  const names = head.trim().split(",");
  const at = name => names.indexOf(name);
  return new Map(lines.map(line => {
    const fields = line.match(/("([^"]|"")*"|[^,"]*)(,|$)/g).map(f => f.replace(/,$/, ""));
    const text = i => fields[i].replace(/^"|"$/g, "").replace(/^'/, "").replace(/""/g, '"');
    return [+fields[0], { type: text(at("type")), class: text(at("class")),
      bytes: +fields[at("bytes")], retained: +fields[at("retained")], garbage: fields[at("distance")] === "" }];
  }));
};
