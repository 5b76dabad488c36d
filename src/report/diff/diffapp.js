// diffapp.js - the page of a comparison as a whole: its head, what is chosen, and its keys.
const TABLES = ["sites", "functions", "types", ...(VIEWS.tags.rows > 1 ? ["tags"] : [])];
const TABS = [["flame", "Flame graph"], ...TABLES.map(id => [id, VIEWS[id].title])];
const KEYS = [
  [["1", "\u2026", String(TABS.length)], TABS.map(t => t[1].toLowerCase()).join(", ")],
  [["m"], "next figure: live, allocated, peak, allocations"], [["w"], "the graph as wide as now, or as before"],
  [["g"], "all rows, those that grew, shrank, are new, are gone"],
  [["/"], "search; its share of all stands beside it"], [["n", "N"], "in the graph: next and previous match"],
  [["\u2190", "\u2191", "\u2192", "\u2193"], "move: in graph and table"],
  [["enter"], "zoom in; open a row"], [["esc"], "back; end the search"],
  [["i"], "inverted: who made it stands first, then who called that"], [["o"], "from the graph to the table, and back"],
  [["y"], "copy the table"], [["d"], "light or dark"], [["?"], "this"],
];
const HOW = [
  "Before is the older run, now is the newer one. Live is what was not freed at that moment. Allocated is all that was asked for, with what resizing added. Peak is what was live when the heap was largest.",
  "A frame is as wide as what it and all that it called has now (or had before), red where that grew and blue where it shrank: the fuller the colour, the larger the share of it that came or went. What has nothing any more has no width: it is listed below the graph, and stands in the graph as wide as before.",
  "A line is known again though the file was edited: by its function and its text, else by how far it is from where that begins. Changes below the threshold are noise, and one row; --noise of lmp diff sets it.",
];
const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
const listed = list => list.length < 2 ? list.join("") : `${list.slice(0, -1).join(", ")} and ${list[list.length - 1]}`;

function putSide(title, side) {
  const facts = [data.old.program !== data.new.program ? side.program : "", data.old.lua !== data.new.lua ? side.lua : "", side.ending,
    side.seconds ? span(side.seconds * 1e9) : "", side.sample ? `sampled, one block in ${bytes(side.sample)}` : "", side.stacks ? "call paths" : ""].filter(Boolean);
  place("sides").append(make("dt", {}, title), make("dd", {}, make("span", { class: "mono" }, side.file), facts.length ? " \u00b7 " + facts.join(" \u00b7 ") : "", side.error ? make("b", {}, " " + side.error) : "",
    side.moment ? ` Of ${side.moment}.` : "", side.damage ? make("b", {}, ` Damaged: ${side.damage}.`) : ""));
}
function put(cls, ...text) { place("verdicts").append(make("li", cls ? { class: cls } : {}, ...text)); }
function sayLimit() {
  if (!data.limit) return;
  const broken = data.totals.filter(t => t.broken), p = `${+data.limit.percent.toFixed(2)} %`;
  for (const t of broken)
    put("wrong", `${capital(t.title)} grew by ${percent(t.was, t.is).replace("+", "")}, from ${t.bytes ? bytes(t.was) : count(t.was)} to ${t.bytes ? bytes(t.is) : count(t.is)}: more than the ${p} that it may.`
      .replace("by new,", "from nothing,"));
  if (!broken.length) put("good", `Within its limit: ${listed(data.limit.of)} grew by at most ${p}.`);
}
function sayMost() { // the figure that was asked for, and the lines that matter most
  const m = state.metric, c = figures("sites"), t = data.totals.find(x => x.key === { live: "live_bytes", made: "allocated_bytes", peak: "peak_bytes", allocs: "mallocs" }[m.id]);
  const about = data.old.sample || data.new.sample ? "an estimated " : "", d = t.is - t.was, by = sign => { let best = -1; for (let i = 0; i < siteRows; i++) if (matters("sites", i) && c.change[i] * sign > 0 && (best < 0 || c.size[i] > c.size[best])) best = i; return best; };
  const up = by(1), down = by(-1), at = i => make("a", { class: "mono", onclick: () => openRow(i) }, siteWhere(i));
  const words = [`${m.name}: `, make("b", {}, changed(t.was, t.is, d ? `${changeText(d)}, ${percent(t.was, t.is)}` : "no change"))];
  if (up >= 0) words.push(". Most grew ", at(up), ` ${siteFunc(up)} (${about}${changeText(c.change[up])}${sites.how[up] === CAME ? ", new" : ""})`);
  if (down >= 0) words.push(up >= 0 ? "; most shrank " : ". Most shrank ", at(down), ` ${siteFunc(down)} (${about}${changeText(c.change[down])}${sites.how[down] === WENT ? ", gone" : ""})`);
  put("", ...words, ".");
}
function head() {
  const name = data.program || "A Lua program";
  place("program").replaceChildren("What changed in ", ...name.split(/(?<=\/)/).flatMap(part => [part, make("wbr")]));
  document.title = `${name}: memory, compared`;
  putSide("Before", data.old);
  putSide("Now", data.new);
  sayLimit();
  sayMost();
  for (const doubt of data.doubts) put("", capital(doubt) + ".");
  for (const t of data.totals) {
    const [value, unit] = t.bytes ? parts(t.is) : [count(t.is), ""], d = t.is - t.was;
    place("figures").append(make("div", t.broken ? { class: "broken" } : {}, make("dt", {}, capital(t.title)), make("dd", {}, value, unit ? make("small", {}, unit) : null),
      make("dd", {}, changed(t.was, t.is, d ? `${d > 0 ? "+" : ""}${t.bytes ? bytes(d) : count(d)}, ${percent(t.was, t.is)}` : "as before"))));
  }
}

function said() { // what is not as it seems
  const list = [];
  if (data.old.sample || data.new.sample) list.push("Sampled: lines, functions and paths are estimates; the totals above are exact.");
  if (data.old.approximate || data.new.approximate) list.push("Lines are approximate.");
  for (const [side, title] of [[data.old, "before"], [data.new, "now"]])
    if (side.folded) list.push(`${many(side.folded, "allocation")} of lines that there was no room for (${title}) ${side.folded === 1 ? "is" : "are"} under (others).`);
  if (data.tree && data.tree.joined.length) list.push(`The graph has the largest ${count(data.tree.func.length)} of ${count(data.tree.nodes)} call paths; the others are joined.`);
  for (const id of Object.keys(rowData)) if (rowData[id].more) list.push(`${many(rowData[id].more, VIEWS[id].one)} that changed least ${rowData[id].more === 1 ? "is" : "are"} one row.`);
  if (state.tab === "flame" && !data.tree) list.push("At least one run had no call paths (lmp run --stacks): this is files and their lines.");
  list.push(`Changes below ${figure(noiseOf())} are noise${state.tab === "flame" ? ", and grey" : ""}.`);
  place("note").textContent = list.join(" ");
}
function tools() {
  const size = Object.fromEntries(TABLES.filter(id => id !== "types").map(id => [id, Array.from({ length: VIEWS[id].rows }, (_, i) => matters(id, i)).filter(Boolean).length]));
  drawTabs(size);
  place("metrics").replaceChildren(...METRICS.map(m => make("button", { "data-metric": m.id, "aria-pressed": state.metric === m, onclick: () => change({ metric: m }) }, m.name)));
  said();
}
function drawAll() {
  drawFlame(); drawWent(); drawWidths();
  for (const id of TABLES) { VIEWS[id].hows?.(); VIEWS[id].fill(); }
}
const stageOf = tab => tab, onPaper = () => drawAll();
function pressed(e) {
  if (e.key === "w") change({ side: state.side === "is" ? "was" : "is" });
  else if (e.key === "g" && state.tab in rowData) change({ how: HOWS[(HOWS.findIndex(h => h[0] === state.how) + 1) % HOWS.length][0] });
  else return false;
  return true;
}

function start() {
  readPalette();
  if (!siteRows && !data.tree) state.tab = "types";
  head();
  startFlame();
  for (const id of TABLES) {
    if (id in rowData) startHows(id);
    startTable(id);
  }
  watch(f => {
    drawWent();
    if ("side" in f) drawWidths();
    if ("metric" in f || "how" in f || "tab" in f) for (const id of TABLES) VIEWS[id].hows?.();
  });
  startShell();
  place("foot").replaceChildren("Made by ", make("code", {}, `lmp diff --html ${data.old.file} ${data.new.file}`), ". This page asks nobody for anything.");
}
start();
