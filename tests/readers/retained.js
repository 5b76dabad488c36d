// retained.js - compares what readers of .heapsnapshot say that each object retains with what lmp
// says (the CSV of the same heap).
//     node retained.js READER FILE.heapsnapshot FILE.csv
// READER: v8-heap-parser or memlab, installed below the working directory.
"use strict";
const fs = require("fs"), path = require("path");
const { ours } = require("./ours.js");
const [reader, file, csv] = process.argv.slice(2);
const wanted = name => require(require.resolve(name, { paths: [process.cwd()] }));

// Its classes list their objects.
function byHeapParser() {
  const { decode_bytes, WasmSortBy } = wanted("@vscode/v8-heap-parser");
  const graph = decode_bytes(fs.readFileSync(file)), found = new Map();
  const groups = graph.get_class_groups(0, 1 << 30, false);
  groups.forEach((group, i) => {
    for (const node of graph.class_children(i, 0, group.children_len, WasmSortBy.SelfSize))
      found.set(node.id, Number(node.retained_size));
  });
  return found;
}

async function byMemlab() {
  const { config, utils, TraceFinder } = wanted("@memlab/core"), found = new Map();
  config.muteConsole = true;
  const heap = await utils.getSnapshotFromFile(file, { buildNodeIdIndex: true, verbose: false });
  new TraceFinder().calculateAllNodesRetainedSizes(heap);
  heap.nodes.forEach(node => { found.set(node.id, node.retainedSize); });
  return found;
}

// Where the two differ: what is no longer reached without the object, by the file alone.
// v8-heap-parser looks for dominators as DevTools once did: again and again until nothing changes,
// but again only at objects to which one refers whose own dominator has changed. That of an object
// follows from those of all that are above it, so in a graph with many loops one of them is left as it
// was after something higher up has changed. DevTools has another way by now, which never differs
// (chromium.js), nor does memlab.
let graph;
function reached(without) {
  graph ||= JSON.parse(fs.readFileSync(file, "utf8"));
  const { nodes, edges } = graph, n = nodes.length / 7;
  if (!graph.first) {
    graph.first = new Uint32Array(n + 1);
    for (let i = 0; i < n; i++) graph.first[i + 1] = graph.first[i] + nodes[7 * i + 4];
  }
  const seen = new Uint8Array(n), list = [0];
  let sum = 0;
  seen[0] = 1;
  while (list.length) {
    const i = list.pop();
    sum += nodes[7 * i + 3];
    for (let e = graph.first[i]; e < graph.first[i + 1]; e++) {
      const to = edges[3 * e + 2] / 7;
      if (edges[3 * e] === 6 || seen[to] || nodes[7 * to + 2] === without) continue;
      seen[to] = 1;
      list.push(to);
    }
  }
  return sum;
}
const judged = id => reached(0) - reached(id);

(async () => {
  const mine = ours(csv), theirs = await (reader === "memlab" ? byMemlab() : byHeapParser());
  let wrong = 0, erred = 0, looked = 0;
  for (const [id, { retained }] of mine) {
    const other = theirs.get(id);
    looked++;
    if (other === retained) continue;
    if (other !== undefined && reader !== "memlab" && judged(id) === retained && ++erred) continue;
    if (wrong++ < 5) console.log(`object ${id}: ${reader} says it retains ${other}, lmp ${retained}`);
  }
  console.log(`${reader}, ${path.basename(file)}: ${looked} objects, ${wrong} differ` +
    (erred ? `; ${erred} where it errs, judged by deletion` : ""));
  process.exitCode = wrong || !looked ? 1 : 0;
})();
