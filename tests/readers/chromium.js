// chromium.js - has a headless Chromium open what lmp wrote of heaps, and looks at what it makes of it.
//     node chromium.js CHROMIUM DIR NAME...       DIR/NAME.treemap, .icicle, .heapsnapshot, .csv, .json
// Pages: no request to anywhere, no error in the console, a click goes in, escape comes back.
// .heapsnapshot: opened by its own DevTools, each object and class retains there what it does here.
"use strict";
const assert = require("assert"), fs = require("fs"), os = require("os"), path = require("path");
const { spawn } = require("child_process");
const { ours } = require("./ours.js");
const [program, dir, ...names] = process.argv.slice(2);
const home = fs.mkdtempSync(path.join(os.tmpdir(), "lmp-chromium-"));
const LONG = 120000, LOOK = 50;

// ---- the browser ------------------------------------------------------------------------------
// Its protocol by a pipe each way: messages of JSON that end with a zero.

const browser = spawn(program, ["--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
  "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
  "--window-size=1200,800", "--user-data-dir=" + home,
  ...(process.getuid() === 0 ? ["--no-sandbox"] : [])],
{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home } });
const waiting = new Map(), heard = new Map();
let asked = 0, gone = null;

function give_up(why) {
  gone = new Error(why);
  for (const { no } of waiting.values()) no(gone);
  waiting.clear();
}

browser.on("error", e => give_up(e.message));
browser.on("exit", (code, signal) => give_up("Chromium ended: " + (signal || code)));
browser.stdio[3].on("error", () => {}); // told by its end
let rest = "";
browser.stdio[4].setEncoding("utf8").on("data", text => {
  const all = (rest + text).split("\0");
  rest = all.pop();
  for (const message of all.map(m => JSON.parse(m))) {
    if (!message.id) {
      heard.get(message.sessionId)?.push(message);
      continue;
    }
    const { yes, no } = waiting.get(message.id);
    waiting.delete(message.id);
    message.error ? no(new Error(message.error.message)) : yes(message.result);
  }
});

function send(method, params = {}, sessionId = undefined) {
  return new Promise((yes, no) => {
    if (gone) return no(gone);
    waiting.set(++asked, { yes, no });
    browser.stdio[3].write(JSON.stringify({ id: asked, method, params, sessionId }) + "\0");
  });
}

const pause = ms => new Promise(yes => setTimeout(yes, ms));

async function until(what, condition) {
  const end = Date.now() + LONG;
  for (let is; !(is = await condition()); await pause(LOOK))
    assert.ok(Date.now() < end, "in vain: " + what);
}

class Page {
  static async open(url) {
    const page = new Page();
    const { targetId } = await send("Target.createTarget", { url: "about:blank" });
    page.session = (await send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    page.target = targetId;
    heard.set(page.session, page.events = []);
    for (const domain of ["Page", "Runtime", "Log", "Network", "DOM"]) await page.send(domain + ".enable");
    await page.send("Page.navigate", { url });
    await until(url, () => page.events.some(e => e.method === "Page.loadEventFired"));
    return page;
  }
  send(method, params) { return send(method, params, this.session); }
  async run(expression) {
    const { result, exceptionDetails: wrong } = await this.send("Runtime.evaluate",
      { expression, awaitPromise: true, returnByValue: true });
    if (wrong) throw new Error(wrong.exception?.description || wrong.text);
    return result.value;
  }
  async click(x, y) {
    for (const type of ["mousePressed", "mouseReleased"])
      await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
  }
  async press(key) {
    for (const type of ["keyDown", "keyUp"]) await this.send("Input.dispatchKeyEvent", { type, key, code: key });
  }
  // What it asked for besides itself, and what it complained of.
  strange(url) {
    return this.events.flatMap(({ method, params: p }) =>
      method === "Network.requestWillBeSent" && p.request.url !== url ? ["asked for " + p.request.url]
        : method === "Network.webSocketCreated" ? ["asked for " + p.url]
          : method === "Runtime.exceptionThrown" ? [p.exceptionDetails.exception?.description || p.exceptionDetails.text]
            : method === "Runtime.consoleAPICalled" ? [p.type + ": " + p.args.map(a => a.value).join(" ")]
              : method === "Log.entryAdded" ? [p.entry.level + ": " + p.entry.text] : []);
  }
  close() { return send("Target.closeTarget", { targetId: this.target }); }
}

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

(async () => {
  const quiet = setTimeout(() => give_up("Chromium took too long"), names.length * LONG);
  try {
    console.log((await send("Browser.getVersion")).product);
    for (const name of names)
      for (const kind of [".treemap", ".icicle"])
        await look_at_page(path.join(dir, name + kind));
    const devtools = await open_devtools();
    let classes = 0;
    for (const name of names) classes += await look_at_heap(devtools, path.join(dir, name));
    assert.ok(classes > 0, "no class has the objects of one of theirs");
  } catch (e) {
    console.log("chromium: " + (e.stack || e));
    process.exitCode = 1;
  }
  clearTimeout(quiet);
  const ended = new Promise(yes => browser.exitCode === null && browser.pid ? browser.on("exit", yes) : yes());
  if (!gone) send("Browser.close").catch(() => {});
  const kill = setTimeout(() => browser.kill("SIGKILL"), 10000);
  await ended;
  clearTimeout(kill);
  fs.rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
})();
