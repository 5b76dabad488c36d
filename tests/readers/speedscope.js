// speedscope.js - has speedscope, in a headless Chromium, open what lmp wrote of a run.
//     node speedscope.js CHROMIUM SPEEDSCOPE FILE...       SPEEDSCOPE: its index.html
// It must name the profile, draw it, and complain of nothing.
"use strict";
const assert = require("assert"), fs = require("fs"), path = require("path");
const { run, until, Page, LONG } = require("./browser.js");
const [program, index, ...files] = process.argv.slice(2);

async function open(file) {
  const page = await Page.open("file://" + path.resolve(index));
  const shown = () => page.run("document.body.innerText");
  await until("speedscope", () => page.run("document.querySelector('input[type=file]') !== null"));
  await page.run(`(() => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(fs.readFileSync(file).toString("base64"))}), c => c.charCodeAt(0));
    const list = new DataTransfer(), input = document.querySelector("input[type=file]");
    list.items.add(new File([bytes], ${JSON.stringify(path.basename(file))}));
    input.files = list.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  })()`);
  // Once it has read a file it offers to export it; else it says what is wrong, on the same page.
  await until("it is read: " + file, async () => {
    const wrong = page.events.find(e => e.method === "Runtime.exceptionThrown" || e.method === "Runtime.consoleAPICalled" && e.params.type === "error"
      || e.method === "Page.javascriptDialogOpening");
    assert.ok(!wrong, wrong && JSON.stringify(wrong.params).slice(0, 500));
    return /Export/.test(await shown());
  });
  const name = (await shown()).split("\n").find(line => line.includes(path.basename(file)) || /bytes|blocks|allocations|\(\d+\/\d+\)/.test(line));
  assert.ok(name, "it names no profile");
  console.log(`speedscope, ${path.basename(file)}: ${name}`);
  await page.close();
}

run(program, files.length * LONG, async () => { for (const file of files) await open(file); });
