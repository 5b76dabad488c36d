// page.js - runs the script of a treemap or icicle page in a document without a browser: it draws,
// tiles lie within what is shown and do not overlap their neighbours, a click goes in, escape back.
//     node page.js FILE
"use strict";
const fs = require("fs"), assert = require("assert"), path = require("path");
const { JSDOM, VirtualConsole } = require(require.resolve("jsdom", { paths: [process.cwd()] }));
const file = process.argv[2], WIDTH = 1200, HEIGHT = 700, errors = [];
const virtualConsole = new VirtualConsole().on("jsdomError", e => errors.push(e.detail || e));

const { window } = new JSDOM(fs.readFileSync(file, "utf8"), {
  runScripts: "dangerously", virtualConsole,
  beforeParse(w) {
    Object.defineProperty(w.HTMLElement.prototype, "clientWidth", { get: () => WIDTH });
    Object.defineProperty(w.HTMLElement.prototype, "clientHeight", { get: () => HEIGHT });
    w.matchMedia = () => ({ addEventListener() {} });
  },
});
assert.deepStrictEqual(errors, []);
const { document } = window, view = document.getElementById("view");
const data = JSON.parse(document.getElementById("data").textContent);
const box = e => ["left", "top", "width", "height"].map(k => parseFloat(e.style[k]));
const cells = () => [...view.children].map(e => [+e.dataset.row, ...box(e)]);
const parent = i => data.rows[i][0];

function inside() {
  const all = new Map(cells().map(c => [c[0], c]));
  assert.ok(all.size > 0);
  for (const [i, x, y, w, h] of all.values()) {
    assert.ok(x >= -0.01 && y >= -0.01 && x + w <= WIDTH + 1 && y + h <= HEIGHT + 20, `row ${i} lies outside`);
    const above = i && all.get(parent(i));
    if (data.view !== "treemap" || !above) continue;
    assert.ok(x >= above[1] - 0.01 && y >= above[2] - 0.01 && x + w <= above[1] + above[3] + 0.01 &&
      y + h <= above[2] + above[4] + 0.01, `row ${i} is not within row ${parent(i)}`);
  }
}

// Of tiles with one parent none lies on another, and their areas are as what they retain.
function apart() {
  const groups = new Map();
  for (const c of cells()) groups.set(parent(c[0]), [...(groups.get(parent(c[0])) || []), c]);
  for (const list of groups.values())
    for (let a = 0; a < list.length && a < 100; a++)
      for (let b = a + 1; b < list.length && b < 100; b++) {
        const [, ax, ay, aw, ah] = list[a], [, bx, by, bw, bh] = list[b];
        assert.ok(ax + aw <= bx + 0.01 || bx + bw <= ax + 0.01 || ay + ah <= by + 0.01 || by + bh <= ay + 0.01,
          `rows ${list[a][0]} and ${list[b][0]} overlap`);
      }
  const top = (groups.get(0) || []).filter(c => c[0] && c[3] > 40 && c[4] > 40);
  if (data.view === "treemap" && top.length > 1) {
    const rate = c => (c[3] + 1.5) * (c[4] + 1.5) / data.rows[c[0]][2];
    for (const c of top) assert.ok(Math.abs(rate(c) / rate(top[0]) - 1) < 0.02, `row ${c[0]} has another scale`);
  }
}

const shown = () => document.getElementById("path").textContent;
const press = key => document.dispatchEvent(new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const sums = data.rows.map(r => r[3]);
data.rows.forEach((r, i) => { if (i) sums[r[0]] += r[2]; });
data.rows.forEach((r, i) => {
  assert.ok(i === 0 || r[0] < i, "parents come first");
  assert.ok(sums[i] <= r[2], `what is below row ${i} is more than the whole`);
});
inside();
apart();
const before = shown(), tile = [...view.children].find(e => +e.dataset.row && !e.classList.contains("end"));
if (tile) {
  tile.dispatchEvent(new window.MouseEvent("click", { bubbles: true }));
  assert.notStrictEqual(shown(), before, "a click goes in");
  inside();
  press("Escape");
  assert.strictEqual(shown(), before, "escape goes back");
  press("ArrowRight");
  press("ArrowDown");
  assert.ok(view.querySelector(".here"), "arrows choose a tile");
}
for (const other of ["icicle", "treemap"]) {
  document.getElementById("as-" + other).click();
  assert.ok(view.children.length > 0);
}
assert.deepStrictEqual(errors, []);
console.log(`page, ${path.basename(file)}: ${data.rows.length} rows drawn`);
