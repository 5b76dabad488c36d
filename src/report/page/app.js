// app.js - the page of a run as a whole: its head, what is chosen, and its keys.
const TABS = [["flame", "Flame graph"], ["treemap", "Treemap"], ["sites", "Lines"], ["functions", "Functions"], ["tags", "Tags"], ...data.files ? [["source", "Source"]] : []];
const KEYS = [
  [["1", "\u2026", String(TABS.length)], TABS.map(([, name]) => name).join(", ")],
  [["m"], "next figure: live, allocated, peak, temporary"], [["b"], "bytes or blocks"],
  [["/"], "search; its share of all stands beside it"], [["n", "N"], "in the graph: next and previous match"],
  [["\u2190", "\u2191", "\u2192", "\u2193"], "move: in graph, treemap, table, timeline"],
  [["enter"], "zoom in; open a row; from the treemap: the source"], [["esc"], "back; the whole run; end the search"],
  [["i"], "inverted: who made it stands first, then who called that"], [["o"], "the source of what is chosen, or its line"],
  [["t"], "to the timeline; there [ and ] begin and end a range, shift goes faster"], [["y"], "copy the table"],
  [["d"], "light or dark"], [["?"], "this"],
];

let allSaid = false;
function head() {
  const name = data.program || "A Lua program";
  place("program").replaceChildren(...name.split(/(?<=\/)/).flatMap(part => [part, make("wbr")]));
  document.title = `${name}: memory`;
  const facts = [data.lua, data.seconds ? span(data.seconds * 1e9) : "", data.pid ? `process ${data.pid}` : "", data.ending].filter(Boolean).join(" \u00b7 ");
  place("facts").replaceChildren(facts);
  if (data.error) place("facts").append(make("br"), make("b", {}, data.error));
  if (data.moment) place("facts").append(make("br"), `Of ${data.moment}.`);
  if (data.damage) place("facts").append(make("br"), make("b", {}, `The recording is damaged: ${data.damage}.`));
  const list = place("verdicts"), put = v => {
    const site = sites.id ? sites.id.indexOf(v.site) : -1, at = v.where && make("span", { class: "mono" }, v.where);
    list.append(make("li", {}, at && v.site && site >= 0 ? make("a", { onclick: () => openSource(site) }, at) : at || "", v.where ? " " : "",
      v.where ? v.text : v.text.charAt(0).toUpperCase() + v.text.slice(1), ".", v.advice ? make("small", {}, v.advice.charAt(0).toUpperCase() + v.advice.slice(1)) : null));
  };
  list.replaceChildren();
  place("figures").replaceChildren();
  const shown = data.verdicts.slice(0, allSaid ? Infinity : 4);
  shown.forEach(put);
  if (data.verdicts.length > shown.length) {
    const more = make("li", { class: "more" }, make("a", { role: "button", tabindex: "0", onclick: () => { allSaid = true; more.remove(); data.verdicts.slice(4).forEach(put); } },
      `${many(data.verdicts.length - 4, "more sentence")}`));
    list.append(more);
  }
  const a = data.all, put2 = (title, n, more) => {
    const [value, unit] = Array.isArray(n) ? n : [n, ""];
    place("figures").append(make("div", {}, make("dt", {}, title), make("dd", {}, value, unit ? make("small", {}, unit) : null), make("dd", {}, more)));
  };
  put2("Live", parts(a.live), many(a.blocks, "block"));
  put2("Peak", parts(a.peak), data.peak_at ? `at ${span(data.peak_at)}` : "");
  put2("Allocated", parts(a.made), `${many(a.allocs, "allocation")}`);
  put2("Freed", parts(a.freed), share(a.freed, a.made) + " of it");
  if (data.rate === undefined) put2("Rate", data.seconds ? parts(a.made / data.seconds) : "\u2013", "allocated a second");
  else put2("Rate", parts(data.rate), "allocated a second, now");
  put2("Collector", [count(a.cycles), a.cycles === 1 ? "cycle" : "cycles"], a.collected ? `freed ${bytes(a.collected)}` : "");
}

function said() { // what is not as it seems
  const list = [];
  if (data.sample) list.push(`Sampled, one block in every ${bytes(data.sample)}: lines, functions and paths are estimates; the totals above are exact.`);
  if (data.approximate) list.push("Lines are approximate.");
  if (data.folded) list.push(`${many(data.folded, "allocation")} of lines that there was no room for ${data.folded === 1 ? "is" : "are"} under (others).`);
  if (data.counts_lost) list.push(data.counts_lost[0].toUpperCase() + data.counts_lost.slice(1) + ".");
  if (data.tree && data.tree.joined.length) list.push(`The graph has the largest ${count(data.tree.func.length)} of ${count(data.tree.nodes)} call paths; the others are joined.`);
  if (state.range && !hasMoments()) list.push(data.tree && data.tree.nodes > 300000 ? "Graphs and tables are of the whole run: there are too many call paths for other moments."
    : "Graphs and tables are of the whole run: a report of a recording has them for any range.");
  if (state.range && hasMoments()) list.push(`Graphs and tables are of the range, by the nearest moments recorded: ${span(data.moments.at[Math.max(0, momentAt(state.range[0]))])} to ${span(data.moments.at[Math.max(0, momentAt(state.range[1]))])}.`);
  if (state.tab === "flame" && !data.tree) list.push(data.stacks ? "There are too many call paths for a page that goes on: this is files and their lines, and lmp report html has all."
    : "The run had no call paths (lmp run --stacks): this is files and their lines.");
  place("note").textContent = list.join(" ");
}

function tools() {
  drawTabs({ sites: siteRows + (sites.more || 0), functions: VIEWS.functions.rows + VIEWS.functions.more, tags: VIEWS.tags.rows });
  place("metrics").replaceChildren(...choices().map(m => make("button", { "data-metric": m.id, "aria-pressed": state.metric === m, onclick: () => change({ metric: m }) }, m.name)));
  place("units").replaceChildren(...["bytes", "blocks"].map(u => make("button", { "data-unit": u, ...(state.metric[u] ? {} : { disabled: "" }),
    "aria-pressed": state.metric[u] ? (state.unit === u || !state.metric[state.unit]) : false, onclick: () => change({ unit: u }) }, u === "bytes" ? "Bytes" : "Blocks")));
  said();
}

const alsoDrawn = []; // of a page that has more than this
function drawAll() {
  if (time) { drawTimeline(); drawLegend(); sayRange(); }
  drawFlame(); drawTreemap(); drawSource();
  for (const id of ["sites", "functions", "tags"]) VIEWS[id].fill();
  for (const draw of alsoDrawn) draw();
}

const HOW = [
  "Live is what was not freed when the report was made. Allocated is all that was asked for, with what resizing added. Peak is what was live when the heap was largest. Temporary are blocks that were freed before the next one was made at the same place.",
  "In the graph a frame is as wide as what it and all that it called made; below it stand those it called. Frames too narrow to draw are one grey piece. Inverted, the first row is who made it, and below it who called that. Drag over the timeline for a range.",
];
const stageOf = tab => tab === "source" ? "code" : tab;
function pressed(e) { // keys of this page alone
  if (e.key === "b") change({ unit: state.unit === "bytes" ? "blocks" : "bytes" });
  else if (e.key === "t") chart.focus();
  else if (e.key === "Escape" && state.range) change({ range: null });
  else return false;
  return true;
}
const onPaper = on => { map.style.height = on ? "320px" : ""; };

function start() {
  readPalette();
  if (!siteRows && !data.tree) state.tab = "sites";
  if (!data.all.live) state.metric = METRICS[1];
  head();
  startTimeline(); startFlame(); startTreemap();
  for (const id of ["sites", "functions", "tags"]) startTable(id);
  startSource();
  startShell();
  place("foot").replaceChildren(...(data.again ? ["Run again: ", make("code", {}, (data.again.startsWith("lmp ") ? "" : "lmp run ") + data.again)] : ["Written by lmp. This page asks nobody for anything."]));
  if (data.open && time) setRange(...data.open);
}
start();
