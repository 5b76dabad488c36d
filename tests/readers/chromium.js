// chromium.js - has a headless Chromium open what lmp wrote of heaps, and looks at what it makes of it.
//     node chromium.js CHROMIUM DIR NAME...       DIR/NAME.treemap, .icicle, .heapsnapshot, .csv, .json
// Pages: no request to anywhere, no error in the console, a click goes in, escape comes back.
// .heapsnapshot: opened by its own DevTools, each object and class retains there what it does here.
"use strict";
const assert = require("assert"), fs = require("fs"), path = require("path");
const { run, until, Page, home, LONG } = require("./browser.js");
const { ours } = require("./ours.js");
const [program, dir, ...names] = process.argv.slice(2);

// ---- pages ------------------------------------------------------------------------------------

// The largest tile below the root in which there is something, where a person would hit it: at its name.
const LARGEST = `(() => {
  const all = [...document.querySelectorAll("#view .cell:not(.end)")].filter(e => +e.dataset.row);
  const box = all.map(e => e.getBoundingClientRect()), area = b => b.width * b.height;
  const i = box.reduce((best, b, k) => best < 0 || area(b) > area(box[best]) ? k : best, -1);
  if (i < 0) return null;
  const x = box[i].x + box[i].width / 2, y = box[i].y + Math.min(8, box[i].height / 2);
  return { x, y, name: rows[all[i].dataset.row][NAME], hit: all[i] === document.elementFromPoint(x, y)?.closest(".cell") };
})()`;

// How far the lowest tile reaches beyond what is shown, and how high that is.
const BEYOND = `(() => {
  const view = document.getElementById("view"), h = view.clientHeight;
  const lowest = Math.max(...[...view.children].map(e => parseFloat(e.style.top) + parseFloat(e.style.height)));
  return [Math.max(0, Math.round(lowest - h)), h];
})()`;

async function look_at_page(file) {
  const html = path.join(home, path.basename(file) + ".html"), url = "file://" + html;
  fs.copyFileSync(file, html); // a browser goes by the ending
  const page = await Page.open(url);
  const shown = () => page.run(`document.getElementById("path").textContent`);
  const tiles = () => page.run(`document.querySelectorAll("#view .cell").length`);
  const before = await shown(), drawn = await tiles(), place = await page.run(LARGEST);
  assert.ok(drawn > 0, "nothing is drawn");
  assert.ok(await page.run(`[...document.querySelectorAll("#view .cell")].some(e => e.offsetWidth > 100)`),
    "no tile is large");
  const line = file.endsWith("icicle") ? 34 : 1; // its last row may be cut
  const [beyond, high] = await page.run(BEYOND);
  assert.ok(beyond <= line, `tiles reach ${beyond} pixels below what is shown`);
  if (place) {
    await page.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: place.x, y: place.y });
    await until("what lies under the mouse is said", async () =>
      (await page.run(`document.querySelector("#say strong").textContent`)).endsWith(place.name));
    assert.deepStrictEqual(await page.run(BEYOND), [beyond, high], "nothing moves under the mouse");
    assert.ok(place.hit, "something lies over a tile's name");
    await page.click(place.x, place.y);
    await until("a click goes in", async () => await shown() !== before);
    assert.ok(await tiles() > 0, "nothing is drawn within");
    await page.press("Escape");
    await until("escape comes back", async () => await shown() === before);
    assert.strictEqual(await tiles(), drawn);
  }
  assert.deepStrictEqual(page.strange(url), []);
  await page.close();
  console.log(`chromium, ${path.basename(file)}: ${drawn} tiles, ${place ? "in and back" : "nothing to go into"}`);
}

// ---- its DevTools -----------------------------------------------------------------------------

// As its memory panel does when a person loads a file: by its own worker. Of each class its objects,
// as the panel would list them.
const LOADED = `(async () => {
  const { HeapSnapshotView } = await import("./panels/profiler/profiler.js");
  const file = document.getElementById("lmp").files[0];
  const profile = new HeapSnapshotView.HeapSnapshotProfileType().createProfileLoadedFromFile(file.name);
  const error = await profile.loadFromFile(file);
  if (error) throw error;
  const snapshot = await profile.loadPromise, list = [];
  for (const [key, of] of Object.entries(await snapshot.aggregatesWithFilter({}))) {
    const objects = snapshot.createNodesProviderForClass(key, {});
    const { items } = await objects.serializeItemsRange(0, of.count);
    list.push({ name: of.name, bytes: of.self, retained: of.maxRet,
      objects: items.map(item => [item.id, item.retainedSize, item.selfSize]) });
  }
  const total = snapshot.totalSize;
  profile.dispose();
  return { total, list };
})()`;

async function open_devtools() {
  const page = await Page.open("devtools://devtools/bundled/devtools_app.html");
  await until("DevTools", () => page.run(`(async () => {
    const { HeapSnapshotView } = await import("./panels/profiler/profiler.js");
    try { new HeapSnapshotView.HeapSnapshotProfileType(); return true; } catch { return false; }
  })()`));
  await page.run(`{ const e = document.createElement("input"); e.type = "file"; e.id = "lmp"; document.body.append(e); }`);
  return page;
}

// Classes of lmp, whose tables leave garbage out, with just the objects that one of theirs has.
function same_classes(mine, list, json) {
  const ids = new Map();
  for (const [id, { type, class: name, garbage }] of mine) {
    if (garbage) continue;
    const key = type + " " + name;
    ids.set(key, [...(ids.get(key) || []), id]);
  }
  const theirs = new Map(list.map(c => [c.objects.map(o => o[0]).sort((a, b) => a - b).join(), c]));
  return json.classes.flatMap(c => {
    const key = c.type + " " + c.name;
    const other = theirs.get((ids.get(key) || []).sort((a, b) => a - b).join());
    return other ? [[c, other]] : [];
  });
}

async function look_at_heap(devtools, base) {
  const mine = ours(base + ".csv"), json = JSON.parse(fs.readFileSync(base + ".json", "utf8"));
  const { result } = await devtools.send("Runtime.evaluate", { expression: `document.getElementById("lmp")` });
  await devtools.send("DOM.setFileInputFiles", { files: [path.resolve(base + ".heapsnapshot")], objectId: result.objectId });
  const { total, list } = await devtools.run(LOADED);
  assert.strictEqual(total, json.live_bytes, "the whole");
  const seen = new Set(), wrong = [];
  let sum = 0;
  for (const [id, retained, bytes] of list.flatMap(c => c.objects)) {
    const own = mine.get(id);
    sum += bytes;
    if (!own) continue; // the root, and what garbage hangs from
    seen.add(id);
    if (own.retained !== retained) wrong.push(`object ${id} retains ${retained}, by lmp ${own.retained}`);
  }
  assert.strictEqual(sum, total, "bytes of all objects");
  // An upvalue is hidden: who alone holds it has its bytes. What has none then is not listed.
  for (const [id, { type, bytes }] of mine)
    if (bytes && type !== "upvalue" && !seen.has(id)) wrong.push(`object ${id} is not listed`);
  const classes = same_classes(mine, list, json);
  for (const [c, other] of classes)
    if (c.retained !== other.retained) wrong.push(`class ${c.name} retains ${other.retained}, by lmp ${c.retained}`);
  assert.deepStrictEqual(wrong.slice(0, 5), []);
  console.log(`DevTools, ${path.basename(base)}.heapsnapshot: ${seen.size} objects, ${classes.length} classes, none differs`);
  return classes.length;
}

run(program, names.length * LONG, async () => {
  for (const name of names)
    for (const kind of [".treemap", ".icicle"])
      await look_at_page(path.join(dir, name + kind));
  const devtools = await open_devtools();
  let classes = 0;
  for (const name of names) classes += await look_at_heap(devtools, path.join(dir, name));
  assert.ok(classes > 0, "no class has the objects of one of theirs");
});
