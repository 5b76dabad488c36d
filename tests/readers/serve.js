// serve.js - opens the page of a program that runs (lmp serve) in a headless Chromium and uses it as a person does.
//     node serve.js CHROMIUM URL [SHOTS]      URL: with the token behind #; SHOTS: a folder for pictures, to be looked at
// Figures come and change, what a person has chosen stays, buttons reach the program, and its end is said. The test makes
// a file `stop` in this folder for the program to end.
"use strict";
const assert = require("assert"), fs = require("fs"), http = require("http");
const { run, until, Page, LONG } = require("./browser.js");
const [program, url, shots] = process.argv.slice(2);
let page = null;

const text = id => page.text(id), key = (...is) => page.key(...is), shot = name => page.shot(shots, name);
const live = () => page.run("data.all.live"), allocs = () => page.run("data.all.allocs");
const moves = async () => { const before = await allocs(); await until("new figures", async () => await allocs() > before); };

async function changes() {
  await until("it is live", async () => (await text("live-say")) === "Live");
  for (let i = 0; i < 3; i++) {
    const shown = await text("figures");
    await moves();
    await until("they are shown", async () => await text("figures") !== shown);
  }
  const [all, sites, own, tree] = await page.run(`[data.all.live, ...["sites", "own", "tree"].map(t => total(tables[t].whole.live))]`);
  assert.deepStrictEqual([sites, own], [all, all], "tables add up");
  assert.ok(Math.abs(tree - all) < .1 * all, "the graph is of about the same moment");
  assert.ok(await page.run("document.title.includes(bytes(data.all.live))"), "the title has what lives");
}

// The heap map has what lives, is as its figures are, and says what is under the mouse.
async function addresses() {
  const pixels = () => page.run(`heapStage.querySelector("canvas").toDataURL()`);
  await page.run(`heapStage.scrollIntoView({ block: "center" })`);
  for (let i = 0; i < 3; i++) {
    const before = await pixels();
    await moves();
    await until("other cells", async () => await pixels() !== before);
  }
  const [live, map, cells, bytes] = await page.run(`[data.all.live, total(mapCells.map(c => c.live)), mapCells.length, data.map.bytes]`);
  assert.ok(Math.abs(map - live) < .2 * live, `cells have ${map} of ${live} live bytes`); // the program runs while it is looked at
  assert.ok(cells > 1024 && cells <= 2048 && bytes > map, `${cells} cells of ${bytes} bytes`);
  await key(" "); // held, so that what is said stays
  const [x, y, kind, colour] = await page.run(`(() => { const i = mapCells.findIndex(c => c.live > c.size / 2), b = heapStage.getBoundingClientRect();
    const p = [i % mapWide * mapSide + 2, Math.floor(i / mapWide) * mapSide + 2], g = heapStage.querySelector("canvas").getContext("2d"), c = mapCells[i];
    return [b.x + p[0], b.y + p[1], kindNames[c.kind], "#" + [...g.getImageData(...p, 1, 1).data].slice(0, 3).map(n => n.toString(16).padStart(2, "0")).join("") === mix(palette.soft, palette.kinds[c.kind], .3 + .7 * c.live / c.size)]; })()`);
  assert.ok(colour, "a cell has the colour of its type");
  await page.mouse("mouseMoved", x, y);
  await until("it says what is there", async () => new RegExp(`block.* \u00b7 ${kind} `).test(await text("heap-say")));
  await shot("heap map");
  await page.run("heapStage.focus()");
  await key("ArrowRight"); await key("ArrowDown");
  assert.strictEqual(await page.run("cellAt(mapChosen)"), await page.run("mapWide"), "arrows move");
  await key("Escape");
  await until("escape goes back", async () => (await text("heap-say")).includes("a cell"));
  await page.run("document.activeElement.blur()");
  await key(" ");
}

async function graph() {
  await until("a graph", () => page.run("drawn.filter(d => d[0]).length > 3"));
  const depth = await page.run(`(() => { const d = drawn.filter(d => d[0] && d[0].depth > 1).sort((a, b) => b[3] - a[3])[0][0]; zoom(d); choose(d); return d.depth; })()`);
  const name = await page.run("textOf(chosen)"), scale = () => page.run("win.join()");
  await until("it is zoomed", () => page.run("win[0] === zoomed.from && win[1] === zoomed.to"));
  const before = await scale();
  await moves();
  await until("the graph moves", async () => await scale() !== before);
  assert.deepStrictEqual(await page.run("[zoomed.depth, zoomed === chosen, textOf(chosen)]"), [depth, true, name], "the zoom and the choice stay");
  await page.run(`flame.scrollIntoView({ block: "center" })`);
  await shot("zoomed");
  await page.run("flame.focus()");
  await key("Escape");
  await until("escape comes back", () => page.run("zoomed === root"));
}

async function table() {
  await key("3");
  await until("the lines", () => page.run("document.querySelectorAll('#v-sites tr.row').length > 3"));
  await page.clickOn("#v-sites tr.row:nth-child(2)");
  await until("a line opens", () => page.run("document.querySelector('#v-sites td.detail') !== null"));
  const words = () => page.run("rowWords(VIEWS.sites, VIEWS.sites.chosen)"), before = await words();
  await moves();
  assert.strictEqual(await words(), before, "the same line is open");
  assert.ok(await page.run("document.activeElement.matches('tr.sel')"), "and has the keys");
  await page.run("change({ search: siteWhere(0) })");
  await moves();
  assert.ok(await page.run("document.querySelector('#v-sites mark') !== null"), "what is searched for stays");
  await page.run("change({ search: '' })");
  await shot("lines");
  await page.run("document.querySelector('#v-sites tr.row').focus()");
  await key("2"); await moves(); await moves(); await shot("treemap");
  await key("1");
}

async function holds() {
  await page.run("document.activeElement.blur()");
  await key(" ");
  await until("it says so", async () => (await text("live-say")).startsWith("Held"));
  const before = await allocs();
  await until("more has come", () => page.run("newest !== null"));
  assert.strictEqual(await allocs(), before, "what is held stays");
  await shot("held");
  await key(" ");
  await until("it goes on", async () => await allocs() > before);
  await page.run("dispatchEvent(new Event('x')) && document.dispatchEvent(new Event('pointerdown'))");
  await until("nothing moves under a button", () => page.run("newest !== null"));
  await page.run("document.dispatchEvent(new Event('pointerup'))");
  await until("and then it does", () => page.run("newest === null"));
}

async function asks() {
  assert.ok(!await page.run("location.href.includes(token)"), "the token does not stay in sight");
  await page.clickOn("[data-ask=pause]");
  await until("it is paused", async () => (await text("live-say")) === "The program is paused.");
  const paused = await allocs();
  await page.clickOn("[data-ask=step]");
  await page.clickOn("[data-ask=step]");
  await until("steps", () => page.run(`data.all.allocs + data.all.frees + data.all.resizes > 0 && data.ending === "paused"`));
  assert.ok(await allocs() <= paused + 2, "it is paused");
  await shot("paused");
  await page.clickOn("[data-ask=resume]");
  await until("it goes on", async () => (await text("live-say")) === "Live" && await allocs() > paused + 100);
  const marks = await page.run("data.marks.length"), cycles = await page.run("data.all.cycles");
  await page.clickOn("[data-ask=mark]");
  await until("a mark", () => page.run(`data.marks.length > ${marks}`));
  await page.clickOn("[data-ask=collect]");
  await until("a collection", () => page.run(`data.all.cycles > ${cycles}`));
  assert.strictEqual(await text("live-answer"), "");
}

// One page more than there may be says so, and has the figures of when it was asked for.
async function too_many() {
  const listening = [];
  for (let i = 0; i < 70; i++)
    listening.push(await new Promise(yes => http.get(new URL("events", url), yes)));
  assert.deepStrictEqual([...new Set(listening.map(r => r.statusCode))].sort(), [200, 503]);
  const other = await Page.open(url);
  await until("it is told", async () => (await other.text("live-say")).startsWith("Too many pages are open"));
  assert.ok(await other.run("mapCells.length > 0"));
  for (const r of listening) r.destroy();
}

async function ends() {
  fs.writeFileSync("stop", "");
  await until("its end is said", async () => (await text("live-say")).startsWith("The program has ended: finished"));
  assert.ok(!await page.run("data.running"), "the last figures are shown");
  assert.ok(await page.run("mapCells.length > 1024"), "and the last map, which the program no longer has");
  await shot("ended");
}

run(program, 4 * LONG, async () => {
  page = await Page.open(url);
  await page.size(1280, 800);
  await changes();
  await addresses();
  await graph();
  await table();
  await holds();
  await asks();
  await page.looks(shots);
  await too_many();
  await ends();
  const own = new URL(url), events = page.events.filter(e => e.method !== "Network.requestWillBeSent" || new URL(e.params.request.url).origin !== own.origin);
  assert.deepStrictEqual(Page.prototype.strange.call({ events }, url), []);
  console.log(`chromium, lmp serve: ${await live()} bytes live at the end`);
});
