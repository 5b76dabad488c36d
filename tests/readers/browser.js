// browser.js - a headless Chromium, asked by its protocol over a pipe each way: messages of JSON that end with a
// zero. A page says what it asked for besides itself, and what it complained of.
"use strict";
const assert = require("assert"), fs = require("fs"), os = require("os"), path = require("path");
const { spawn } = require("child_process");
const home = fs.mkdtempSync(path.join(os.tmpdir(), "lmp-chromium-"));
const LONG = 120000, LOOK = 50;
let browser = null;

const waiting = new Map(), heard = new Map();
let asked = 0, gone = null;

function give_up(why) {
  gone = new Error(why);
  for (const { no } of waiting.values()) no(gone);
  waiting.clear();
}

function start(program) {
  browser = spawn(program, ["--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
    "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
    "--window-size=1200,800", "--user-data-dir=" + home,
    ...(process.getuid() === 0 ? ["--no-sandbox"] : [])],
  { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home } });
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
}

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
  // As a person does it.
  async key(name, more = {}) {
    for (const type of ["keyDown", "keyUp"])
      await this.send("Input.dispatchKeyEvent", { type, key: name, code: name, ...(name.length === 1 && type === "keyDown" ? { text: name } : {}), ...more });
  }
  mouse(type, x, y, more = {}) {
    return this.send("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1, ...more });
  }
  async clickOn(selector) {
    await this.run("new Promise(yes => requestAnimationFrame(() => requestAnimationFrame(yes)))"); // it stands where it will
    const at = await this.run(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); if (!e) return null;
      e.scrollIntoView({ block: "center" }); const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`);
    assert.ok(at, "there is no " + selector);
    await this.click(...at);
  }
  text(id) { return this.run(`document.getElementById("${id}").textContent`); }
  size(width, height) { return this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false }); }
  scheme(value) { return this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] }); }
  // A picture NAME.png in a folder; without a folder none.
  async shot(folder, name) {
    if (!folder) return;
    await this.run("new Promise(yes => setTimeout(yes, 300))");
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    fs.writeFileSync(path.join(folder, name + ".png"), Buffer.from(data, "base64"));
  }
  // In windows of several sizes, light and dark, nothing is wider than the window; and it prints.
  async looks(folder) {
    for (const [width, height] of [[1280, 800], [800, 600], [400, 800]])
      for (const value of ["light", "dark"]) {
        await this.size(width, height);
        await this.scheme(value);
        await until(value, () => this.run(`document.documentElement.dataset.theme === "${value}"`));
        await this.run("new Promise(yes => setTimeout(yes, 250))");
        assert.ok(await this.run("document.documentElement.scrollWidth <= window.innerWidth"), `at ${width} it is wider than the window`);
        await this.run("window.scrollTo(0, 0)");
        await this.shot(folder, `${width}-${value}`);
      }
    await this.size(1280, 800);
    const before = await this.run("document.documentElement.dataset.theme");
    await this.key("d");
    assert.notStrictEqual(await this.run("document.documentElement.dataset.theme"), before, "d changes it");
    await this.key("?");
    await until("? has the keys", () => this.run("document.getElementById('keys').open"));
    await this.shot(folder, "keys");
    await this.clickOn("#keys button");
    await until("a button closes them", () => this.run("!document.getElementById('keys').open"));
  }
  async prints(folder) {
    assert.deepStrictEqual(await this.run(`document.body.innerText.match(/.*(?:null|undefined|NaN|\\[object).*/g) || []`), [], "words of the script itself");
    const { data } = await this.send("Page.printToPDF", { printBackground: true });
    assert.ok(Buffer.from(data, "base64").subarray(0, 5).toString() === "%PDF-", "it is printed");
    if (folder) fs.writeFileSync(path.join(folder, "print.pdf"), Buffer.from(data, "base64"));
    await this.run("new Promise(yes => setTimeout(yes, 300))");
    assert.ok(await this.run("!printing"), "after printing it is as before");
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

// Ends it, and takes its files away.
async function stop() {
  const ended = new Promise(yes => browser.exitCode === null && browser.pid ? browser.on("exit", yes) : yes());
  if (!gone) send("Browser.close").catch(() => {});
  const kill = setTimeout(() => browser.kill("SIGKILL"), 10000);
  await ended;
  clearTimeout(kill);
  fs.rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

// Runs `look`; what it throws, and what takes longer than `ms`, is said and makes the exit status 1.
async function run(program, ms, look) {
  const quiet = setTimeout(() => give_up("Chromium took too long"), ms);
  try {
    start(program);
    console.log((await send("Browser.getVersion")).product);
    await look();
  } catch (e) {
    console.log("chromium: " + (e.stack || e));
    process.exitCode = 1;
  }
  clearTimeout(quiet);
  await stop();
}

module.exports = { run, send, until, pause, Page, home, LONG };
