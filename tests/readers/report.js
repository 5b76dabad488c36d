// report.js - has a headless Chromium open the page of a run, and does with it what a person does.
//     node report.js CHROMIUM PAGE [SHOTS]       SHOTS: a folder for pictures, to be looked at
// No request to anywhere, no error in the console; range, zoom, search, order, keys, dark, print; figures add up.
"use strict";
const assert = require("assert"), fs = require("fs"), path = require("path");
const { run, until, Page, home, LONG } = require("./browser.js");
const [program, file, shots] = process.argv.slice(2);
let page = null;

const text = id => page.text(id), key = (...is) => page.key(...is), mouse = (...is) => page.mouse(...is);
const click = selector => page.clickOn(selector), shot = name => page.shot(shots, name);

async function figures() { // what the page shows adds up to the heap
  const sums = await page.run(`Object.fromEntries(["sites", "own", "tree"].filter(t => tables[t].whole.live.length)
    .map(t => [t, ["live", "blocks", "allocs", "freed", "peak"].map(c => total(tables[t].whole[c]))]))`);
  const all = await page.run(`[data.all.live, data.all.blocks, data.all.allocs, data.all.freed, data.all.peak]`);
  assert.ok(sums.sites, "there are no lines");
  if (!await page.run("data.sample")) for (const [table, sum] of Object.entries(sums)) assert.deepStrictEqual(sum.slice(0, 4), all.slice(0, 4), table);
}

async function graph() {
  const frames = () => page.run("drawn.filter(d => d[0]).length");
  assert.ok(await frames() > 2, "no frames are drawn");
  const widths = await page.run(`drawn.filter(d => d[0]).map(d => [d[0].depth, d[3]]).reduce((a, [d, w]) => (a[d] = (a[d] || 0) + w, a), [])`);
  for (const w of widths) assert.ok(w === null || w <= widths[0] + 1, "a row is wider than all");
  // a click zooms in, escape comes back
  await page.run(`flame.scrollIntoView({ block: "center" })`);
  const at = await page.run(`(() => { const b = flame.getBoundingClientRect(), d = drawn.filter(d => d[0] && d[0].depth > 1 && d[3] > 20 && d[3] < flame.clientWidth - 8)
    .sort((a, b) => b[3] - a[3])[0]; return d && [b.x + d[1] + d[3] / 2, b.y + d[2] + 8, nameOf(d[0])]; })()`);
  if (at) {
    await mouse("mouseMoved", at[0], at[1]);
    await until("what lies under the mouse is said", async () => (await text("flame-say")).includes(at[2]));
    await page.click(at[0], at[1]);
    await until("a click zooms", () => page.run("zoomed !== root && Math.abs(win[0] - zoomed.from) < 1e-9 && Math.abs(win[1] - zoomed.to) < 1e-9"));
    assert.ok((await text("crumbs")).includes("\u25b8"), "the way is shown");
    await page.run("flame.focus()");
    await key("Escape");
    await until("escape comes back", () => page.run("zoomed === root && win[0] === 0 && win[1] === 1"));
  }
  await page.run("flame.focus()");
  await key("ArrowDown"); await key("ArrowDown");
  await until("arrows move", () => page.run("chosen !== null && chosen.depth > 0"));
  const own = await page.run("root.total");
  await key("i");
  await until("i inverts", () => page.run("inverted && root.kids && root.kids.length > 0"));
  const [sum, whole] = await page.run("[root.kids.reduce((a, k) => a + k.total, 0), root.total]");
  assert.ok(Math.abs(whole - own) < 1 && sum <= whole + 1, "inverted it is as much");
  await shot("inverted");
  await key("i");
  await until("and back", () => page.run("!inverted"));
}

async function search() {
  await key("/");
  const what = await page.run("siteWhere(0)");
  await page.send("Input.insertText", { text: what });
  await until("the share is said", async () => /%/.test(await text("found")));
  await shot("search");
  await key("3");
  assert.strictEqual(await page.run("state.tab"), "flame", "what is typed is searched for");
  await key("Escape");
  await until("escape ends it", () => page.run("state.search === '' && document.activeElement.id !== 'search'"));
}

async function table() {
  await key("3");
  await until("the lines", () => page.run("document.querySelectorAll('#v-sites tr.row').length > 0"));
  const column = n => page.run(`[...document.querySelectorAll("#v-sites tr.row")].map(r => tables.sites.whole.${n}[r.dataset.row])`);
  const falls = list => list.every((n, i) => !i || list[i - 1] >= n);
  assert.ok(falls(await column("live")), "by what lives");
  await click(`#v-sites [data-sort="made"]`);
  assert.ok(falls(await column("made")), "by what was allocated");
  await click(`#v-sites [data-sort="made"]`);
  assert.ok(falls((await column("made")).reverse()), "and the other way");
  await click("#v-sites tr.row");
  await until("a click opens a line", () => page.run("document.querySelector('#v-sites td.detail') !== null"));
  await shot("lines");
  await until("a table to be copied", async () => { // the line that has opened may have moved the button
    await click(`#v-sites [data-copy]`);
    return page.run("window.copied !== undefined");
  });
  const rows = await page.run("window.copied.trim().split('\\n').map(l => l.split('\\t').length)");
  assert.ok(rows.length === await page.run("siteRows") + 1 && rows.every(n => n === rows[0]), "a table is copied");
  await key("4"); await shot("functions");
  await key("5"); await key("6"); await shot("source");
  await key("2");
  await until("the treemap", () => page.run("tiles.length > 0"));
  const area = await page.run(`tiles.reduce((a, t) => a + t[3] * t[4], 0) / (map.clientWidth * map.clientHeight)`);
  assert.ok(area > .6 && area <= 1, "tiles cover " + area);
  await shot("treemap");
  await key("1");
}

async function range() {
  if (!await page.run("Boolean(data.time)")) return "no timeline";
  const bars = await page.run("cycleBars(CYCLE_WIDTH, CYCLE_TALL)"), counts = bars.map(b => b[3]), most = Math.max(...counts);
  assert.strictEqual(counts.reduce((a, n) => a + n, 0), await page.run("Math.max(data.all.cycles, time.cycles[time.cycles.length - 1])"));
  for (const [, , tall, count] of bars) assert.strictEqual(tall, Math.max(1, Math.round(12 * count / most)), "a cycle is as tall everywhere");
  await page.run(`chart.scrollIntoView({ block: "center" })`);
  const b = await page.run("(() => { const b = chart.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()");
  await mouse("mouseMoved", b[0] + b[2] * .25, b[1] + 60);
  await mouse("mousePressed", b[0] + b[2] * .25, b[1] + 60);
  await mouse("mouseMoved", b[0] + b[2] * .5, b[1] + 60, { button: "left", buttons: 1 });
  await mouse("mouseReleased", b[0] + b[2] * .5, b[1] + 60);
  await until("a range is chosen", () => page.run("state.range !== null"));
  const [from, to] = await page.run("state.range.map(n => n / lastNs)");
  assert.ok(Math.abs(from - .25) < .01 && Math.abs(to - .5) < .01, "the range is where it was drawn");
  await shot("range");
  const moments = await page.run("hasMoments()");
  if (moments) { // of the whole time, moments say what the whole says
    const differ = await page.run(`["sites", "own", "tree"].filter(t => tables[t].moments).flatMap(t => {
      const c = rangeFigures(tables[t], [0, 1e30]), w = tables[t].whole;
      return ["live", "blocks", "allocs", "freed", "made"].filter(n => c[n].some((v, i) => v !== w[n][i])).map(n => t + "." + n); })`);
    assert.deepStrictEqual(differ, []);
    await click(`[data-metric="grew"]`);
    await until("what grew", () => page.run("state.metric.id === 'grew'"));
    await shot("grew");
  }
  await page.run("chart.focus()");
  await key("Escape");
  await until("escape: the whole run", () => page.run("state.range === null && !state.metric.only"));
  return moments ? "moments" : "one moment";
}

async function opens() { // with the range that the report was asked for
  if (!await page.run("Boolean(data.open)")) return;
  assert.deepStrictEqual(await page.run("state.range"), await page.run("[data.open[0], Math.min(data.open[1], lastNs)]"));
  if (await page.run("hasMoments()")) for (const end of [0, 1]) {
    const of = `data.moments.at[Math.max(0, momentAt(data.open[${end}]))]`;
    assert.ok(await page.run(`Math.abs(${of} - data.open[${end}]) < 1e6`), "its ends are moments");
  }
  await shot("opened");
  await page.run("change({ range: null })");
}

async function looks() {
  await page.looks(shots);
  await page.run("window.onbeforeprint()");
  assert.ok(await page.run("tiles.length > 0 && drawn.length > 2 && map.clientWidth > 300"), "on paper stands all of it");
  await page.run("window.onafterprint()");
  await page.prints(shots);
}

run(program, 2 * LONG, async () => {
  const html = path.join(home, "page.html"), url = "file://" + html;
  fs.copyFileSync(file, html);
  const begin = Date.now();
  page = await Page.open(url);
  const took = Date.now() - begin;
  await page.size(1280, 800);
  await page.run("new Promise(yes => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(yes, 100))))"); // drawn anew
  await opens();
  await figures();
  await graph();
  await search();
  await table();
  const ranges = await range();
  const [draw, frames] = await page.run(`(() => { const t = performance.now(); for (let i = 0; i < 5; i++) drawFlame(); return [(performance.now() - t) / 5, nodes.parent.length]; })()`);
  assert.ok(draw < 100, `one drawing takes ${draw} ms`);
  await looks();
  assert.deepStrictEqual(page.strange(url), []);
  console.log(`chromium, ${path.basename(file)}: ${frames} frames, there after ${took} ms, drawn in ${draw.toFixed(1)} ms, ${ranges}`);
});
