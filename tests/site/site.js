// site.js - has a headless Chromium show each page of the site: nothing comes from another host, every picture is there,
// every link leads to a file and an anchor of the site, nothing is wider than the window, a search finds its word.
//     node site.js CHROMIUM SITE [PICTURES]
"use strict";
const assert = require("assert"), fs = require("fs"), http = require("http"), path = require("path");
const { run, until, Page } = require("../readers/browser.js");
const [program, site, pictures] = process.argv.slice(2);
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml",
  ".png": "image/png", ".json": "application/json" };

const server = http.createServer((request, answer) => {
  const file = path.join(site, decodeURIComponent(new URL(request.url, "http://site").pathname));
  if (!fs.existsSync(file) || !fs.statSync(file).isFile()) return answer.writeHead(404).end();
  answer.writeHead(200, { "Content-Type": TYPES[path.extname(file)] || "text/plain" }).end(fs.readFileSync(file));
});

const SEEN = `({
  ids: [...document.querySelectorAll("[id]")].map(e => e.id),
  links: [...document.querySelectorAll("a[href]")].map(e => e.href),
  blank: [...document.images].filter(e => !e.naturalWidth).map(e => e.src),
  wide: document.documentElement.scrollWidth > window.innerWidth,
})`;

async function look(home) {
  const pages = ["index.html", ...fs.readdirSync(path.join(site, "docs")).filter(f => f.endsWith(".html")).map(f => "docs/" + f)];
  const ids = {}, links = [];
  for (const name of pages) {
    const page = await Page.open(home + name);
    for (const [width, value] of [[1280, "light"], [1280, "dark"], [400, "dark"]]) {
      await page.size(width, 900);
      if (await page.run(`document.body.dataset.mdColorScheme === "slate"`) !== (value === "dark"))
        await page.clickOn(".md-header__option label:not([hidden])");
      const seen = await page.run(SEEN);
      assert.deepStrictEqual(seen.blank, [], `pictures of ${name} that are not there`);
      assert.ok(!seen.wide, `${name} is wider than a window of ${width}`);
      ids[home + name] = seen.ids;
      if (width === 400) links.push(...seen.links.map(to => ({ name, to })));
      if (/index|benchmark|api/.test(name)) await page.shot(pictures, path.basename(name, ".html") + `-${width}-${value}`);
    }
    const own = said => ["data:", home].some(of => said.startsWith("asked for " + of));
    assert.deepStrictEqual(page.strange(home + name).filter(said => !own(said)), [], name);
    await page.close();
  }
  const dead = links.filter(({ to }) => {
    if (!to.startsWith(home)) return false;
    const [url, anchor] = to.split("#");
    return !fs.existsSync(path.join(site, decodeURIComponent(url.slice(home.length)) || "index.html")) ||
      anchor && ids[url] && !ids[url].includes(decodeURIComponent(anchor));
  });
  assert.deepStrictEqual(dead, [], "links that lead nowhere");
  assert.ok(links.length > 500, `only ${links.length} links`);

  const page = await Page.open(home + "index.html");
  await page.size(1280, 900);
  await page.clickOn("input[name=query]");
  await page.send("Input.insertText", { text: "shadow" });
  await until("a search finds its word", () => page.run(`!!document.querySelector(".md-search-result__link[href*='design.html']")`));
  await page.shot(pictures, "search");
  await page.close();
}

fs.mkdirSync(pictures || site, { recursive: true });
server.listen(0, "127.0.0.1", () => run(program, 300000, () => look(`http://127.0.0.1:${server.address().port}/`))
  .then(() => server.close()));
