// diff.js - has a headless Chromium open the page of a comparison, and does with it what a person does.
//     node diff.js CHROMIUM PAGE JSON [SHOTS]    JSON: of the same comparison; SHOTS: a folder for pictures, to be looked at
// No request to anywhere, no error in the console; figures are those of the JSON; widths, colours, what went, search, order, keys, dark, print.
"use strict";
const assert = require("assert"), fs = require("fs"), path = require("path");
const { run, until, Page, home, LONG } = require("./browser.js");
const [program, file, json, shots] = process.argv.slice(2);
const truth = JSON.parse(fs.readFileSync(json));
let page = null;

const text = id => page.text(id), key = (...is) => page.key(...is), click = selector => page.clickOn(selector), shot = name => page.shot(shots, name);
const NAMES = { live: "live", made: "allocated", peak: "peak", allocs: "allocs" }; // here and in the JSON

async function figures() {
  for (const side of ["was", "is"])
    for (const [here, there] of Object.entries(NAMES)) {
      const sums = await page.run(`["sites", "functions", ...(data.tags.how.length ? ["tags"] : []), ...(data.tree ? ["tree"] : [])].map(t => total(tables[t].${side}.${here}))`);
      const sum = truth.sites.reduce((a, s) => a + s[side === "was" ? "old" : "new"][there], 0);
      for (const s of sums) assert.strictEqual(s, sum, `${side} ${here}: ${sums}`);
    }
  const how = await page.run(`Array.from(sites.how, (h, i) => [siteWhere(i), ["kept", "moved", "new", "gone"][h], h === MOVED ? sites.from[i] : -1].join()).sort()`);
  assert.deepStrictEqual(how, truth.sites.map(s => [s.line === undefined ? s.source : s.source + ":" + s.line, s.how, s.old_line === undefined ? -1 : s.old_line].join()).sort());
  const totals = await page.run("data.totals.map(t => [t.was, t.is])");
  assert.deepStrictEqual(totals, Object.values(truth.totals).map(t => [t.old, t.new]));
  for (const moved of truth.sites.filter(s => s.how === "moved" && Math.abs(s.change) >= truth.noise)) {
    await key("2");
    assert.ok((await text("v-sites")).includes(`moved from line ${moved.old_line}`), "where it was");
  }
}

async function graph() {
  await key("1");
  await until("frames", () => page.run("drawn.filter(d => d[0]).length > 2"));
  const ofRow = await page.run("[root.total, root.other]");
  // red where it grew, blue where it shrank
  const odd = await page.run(`(() => { const list = []; const hue = c => [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16));
    for (const [f] of drawn) { if (!f || !f.up || nodes.keys[f.key].extra) continue; const [r, , b] = hue(frameColour(f)), d = isOf(f) - wasOf(f);
      if (Math.abs(d) >= noiseOf() && (d > 0) !== (r > b)) list.push(nameOf(f)); if (f.total > f.up.total) list.push(nameOf(f) + " is wider"); } return list; })()`);
  assert.deepStrictEqual(odd, []);
  await page.run(`flame.scrollIntoView({ block: "center" })`);
  const at = await page.run(`(() => { const b = flame.getBoundingClientRect(), d = drawn.filter(d => d[0] && d[0].depth > 1 && d[3] > 20 && d[3] < flame.clientWidth - 8).sort((a, b) => b[3] - a[3])[0];
    return d && [b.x + d[1] + d[3] / 2, b.y + d[2] + 8, nameOf(d[0])]; })()`);
  if (at) {
    await page.mouse("mouseMoved", at[0], at[1]);
    await until("what lies under the mouse is said, of both", async () => { const s = await text("flame-say"); return s.includes(at[2]) && /before, .* now/.test(s); });
    await page.click(at[0], at[1]);
    await until("a click zooms", () => page.run("zoomed !== root && Math.abs(win[0] - zoomed.from) < 1e-9"));
    await page.run("flame.focus()");
    await key("Escape");
    await until("escape comes back", () => page.run("zoomed === root && win[1] === 1"));
  }
  await key("w");
  await until("as wide as before", () => page.run("state.side === 'was' && root.total > 0"));
  assert.deepStrictEqual(await page.run("[root.other, root.total]"), ofRow, "the other way round");
  await shot("before");
  await key("w");
  await key("i");
  await until("inverted", () => page.run("inverted && root.kids && root.kids.length > 0"));
  const [sum, other, whole] = await page.run("[root.kids.reduce((a, k) => a + k.total, 0), root.kids.reduce((a, k) => a + k.other, 0), root.total]");
  assert.ok(sum <= whole + 1 && other <= ofRow[1] + 1, "inverted it is as much");
  await shot("inverted");
  await key("i");
  await until("and back", () => page.run("!inverted"));
}

// What went has no width now: it is listed, and stands in the graph as wide as it was.
async function went() {
  const gone = await page.run("wentNodes().length"), lost = await page.run("wentNodes().filter(w => w[1] >= noiseOf()).length");
  assert.ok(gone > 0, "nothing went");
  assert.strictEqual(await page.run("document.querySelectorAll('#went tr.row').length"), Math.min(lost, 50));
  await click("#went tr.row");
  await until("it is shown where it was", () => page.run("state.side === 'was' && zoomed !== root && zoomed.total > 0 && zoomed.other === 0"));
  await shot("gone");
  await page.run("flame.focus()");
  await key("Escape");
  await key("w");
  await until("and now", () => page.run("state.side === 'is'"));
}

async function table() {
  await key("2");
  await until("the lines", () => page.run("document.querySelectorAll('#v-sites tr.row').length > 0"));
  const column = n => page.run(`[...document.querySelectorAll("#v-sites tr.row")].map(r => figures("sites").${n}[r.dataset.row])`);
  const falls = list => list.every((n, i) => !i || list[i - 1] >= n);
  assert.ok(falls(await column("size")), "by the size of the change");
  assert.strictEqual((await column("size")).length, truth.sites.filter(s => Math.abs(s.change) >= truth.noise && s.change).length, "noise is folded");
  await click(`#v-sites [data-sort="change"]`);
  assert.ok(falls(await column("change")), "by the change");
  await click(`#v-sites [data-sort="change"]`);
  assert.ok(falls((await column("change")).reverse()), "and the other way");
  for (const how of ["grew", "shrank", "new", "gone"]) {
    await click(`#v-sites [data-how="${how}"]`);
    const want = truth.sites.filter(s => s.change && Math.abs(s.change) >= truth.noise && { grew: s.change > 0 && s.how !== "new", shrank: s.change < 0 && s.how !== "gone", new: s.how === "new", gone: s.how === "gone" }[how]);
    assert.strictEqual((await column("size")).length, want.length, how);
  }
  await click(`#v-sites [data-how="all"]`);
  const few = (await column("size")).length;
  await click(`[data-noise="sites"]`);
  await until("noise, too", async () => (await column("size")).length === truth.sites.length && truth.sites.length > few);
  await click(`[data-noise="sites"]`);
  await click("#v-sites tr.row");
  await until("a click opens a line", () => page.run("document.querySelector('#v-sites td.detail') !== null"));
  await shot("lines");
  await until("a table to be copied", async () => {
    await click(`#v-sites [data-copy]`);
    return page.run("window.copied !== undefined");
  });
  const rows = await page.run("window.copied.trim().split('\\n').map(l => l.split('\\t').length)");
  assert.ok(rows.length === few + 1 && rows.every(n => n === rows[0]), "a table is copied");
  await key("m");
  await until("m: what was allocated", () => page.run("state.metric.id === 'made'"));
  await shot("allocated");
  for (let i = 0; i < 3; i++) await key("m");
  await key("3"); await shot("functions");
  await key("4"); await shot("types");
  const types = await page.run("[total(tables.types.is.live), total(tables.types.was.live)]");
  assert.deepStrictEqual(types, [truth.totals.live_bytes.new, truth.totals.live_bytes.old], "types");
  await key("1");
}

async function search() {
  await key("/");
  const what = await page.run("siteWhere(0)");
  await page.send("Input.insertText", { text: what });
  await until("the share is said", async () => /%|not in/.test(await text("found")));
  await shot("search");
  await key("Escape");
  await until("escape ends it", () => page.run("state.search === '' && document.activeElement.id !== 'search'"));
}

run(program, 2 * LONG, async () => {
  const html = path.join(home, "page.html"), url = "file://" + html;
  fs.copyFileSync(file, html);
  const begin = Date.now();
  page = await Page.open(url);
  const took = Date.now() - begin;
  await page.size(1280, 800);
  await page.run("new Promise(yes => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(yes, 100))))"); // drawn anew
  if (truth.failed) assert.ok(/more than the/.test(await text("verdicts")), "what is judged is said");
  await figures();
  await graph();
  await went();
  await search();
  await table();
  const [draw, frames] = await page.run(`(() => { const t = performance.now(); for (let i = 0; i < 5; i++) drawFlame(); return [(performance.now() - t) / 5, nodes.parent.length]; })()`);
  assert.ok(draw < 100, `one drawing takes ${draw} ms`);
  await page.looks(shots);
  await page.run("window.onbeforeprint()");
  assert.ok(await page.run("drawn.length > 2 && document.querySelectorAll('#v-sites tr.row').length > 0 && document.querySelectorAll('#v-functions tr.row').length > 0"), "on paper stands all of it");
  await page.run("window.onafterprint()");
  await page.prints(shots);
  assert.deepStrictEqual(page.strange(url), []);
  console.log(`chromium, ${path.basename(file)}: ${frames} frames, there after ${took} ms, drawn in ${draw.toFixed(1)} ms`);
});
