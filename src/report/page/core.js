// core.js - the data, its figures by table and range, and how they are written.
const data = JSON.parse(document.getElementById("data").textContent);
const place = id => document.getElementById(id);
const word = i => data.words[i];

function make(tag, fields = {}, ...inside) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(fields)) {
    if (key === "class") e.className = value;
    else if (key.startsWith("on")) e[key] = value;
    else e.setAttribute(key, value);
  }
  e.append(...inside.filter(x => x !== null && x !== undefined));
  return e;
}

// ---- numbers ----------------------------------------------------------------------------------

function parts(n) { // of bytes: number, unit
  const unit = ["B", "KiB", "MiB", "GiB", "TiB"], sign = n < 0 ? "\u2212" : "";
  let u = 0;
  for (n = Math.abs(n); n >= 1023.95 && u < 4; n /= 1024) u++;
  return [sign + (u ? n.toFixed(1) : Math.round(n)), unit[u]];
}
const bytes = n => parts(n).join(" ");
const count = n => (n < 0 ? "\u2212" : "") + Math.abs(Math.round(n)).toLocaleString("en");
const many = (n, one, more = one + "s") => `${count(n)} ${n === 1 ? one : more}`;
function share(part, whole) {
  const p = whole > 0 ? part * 100 / whole : 0;
  return `${p !== 0 && p < 9.95 ? p.toFixed(1) : Math.round(p)} %`;
}
function span(ns) {
  const s = ns / 1e9;
  if (s < 1e-3) return `${Math.round(s * 1e6)} \u00b5s`;
  if (s < 1) return `${(s * 1e3).toFixed(s < .01 ? 1 : 0)} ms`;
  if (s < 60) return `${s.toFixed(s < 10 ? 2 : 1)} s`;
  if (s < 3600) return `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")} min`;
  return `${Math.floor(s / 3600)}:${String(Math.floor(s / 60 % 60)).padStart(2, "0")}:${String(Math.floor(s % 60)).padStart(2, "0")} h`;
}

// ---- what is shown ----------------------------------------------------------------------------

const METRICS = [
  { id: "live", name: "Live", bytes: "live", blocks: "blocks", range: "live at its end" },
  { id: "made", name: "Allocated", bytes: "made", blocks: "allocs", range: "allocated in it" },
  { id: "peak", name: "Peak", bytes: "peak", blocks: null, range: null },
  { id: "temp", name: "Temporary", bytes: null, blocks: "temp", range: "temporary in it" },
  { id: "freed", name: "Freed", bytes: "freed", blocks: "frees", range: "freed in it", only: true },
  { id: "grew", name: "Grew", bytes: "grew", blocks: "grewBlocks", range: "grew in it", only: true },
];
const state = { metric: METRICS[0], unit: "bytes", tab: "flame", search: "", range: null, version: 0 };
// A range has no peak, and only a range has what was freed and what grew in it.
const choices = () => METRICS.filter(m => state.range && hasMoments() ? m.range : !m.only);
const watchers = [];
const watch = f => watchers.push(f);
function change(fields) {
  Object.assign(state, fields);
  if (!choices().includes(state.metric)) fields.metric = state.metric = choices()[state.range ? 1 : 0];
  if ("metric" in fields || "unit" in fields || "range" in fields) state.version++;
  for (const f of watchers) f(fields);
}
const column = () => state.metric[state.unit] || state.metric.bytes || state.metric.blocks;
const isBytes = name => ["live", "made", "peak", "freed", "grew"].includes(name);
const figure = (n, name = column()) => isBytes(name) ? bytes(n) : count(n);
const unitWord = (n, name = column()) => isBytes(name) ? bytes(n)
  : many(n, name === "blocks" || name === "grewBlocks" ? "block" : name === "frees" ? "free" : "allocation");

// ---- tables -----------------------------------------------------------------------------------

const BASE = ["live", "blocks", "allocs", "freed", "frees", "peak", "temp", "short", "resizes"];
const NONE = { live: [], blocks: [], allocs: [], freed: [], frees: [], peak: [], temp: [], short: [], resizes: [] };

// Columns of figures as arrays of numbers; "made" is what is live and what was freed.
function columns(of) {
  const c = {}, from = of && of.live ? of : NONE;
  for (const name of BASE) c[name] = Float64Array.from(from[name]);
  c.made = c.live.map((n, i) => n + c.freed[i]);
  return c;
}

const functionsOf = data.functions || {};
const tables = {
  sites: { of: data.sites || {}, whole: columns(data.sites) },
  own: { of: functionsOf.own || {}, whole: columns(functionsOf.own) },
  withCalls: { of: functionsOf.with || {}, whole: columns(functionsOf.with) },
  tags: { of: data.tags || {}, whole: columns(data.tags) },
  tree: { of: data.tree || {}, whole: columns(data.tree) },
};

// The figures of a table in the chosen range; of the whole run where nothing else is known.
function figures(name) {
  const table = tables[name];
  if (!state.range || !table.moments) return table.whole;
  if (table.version !== state.version) {
    table.version = state.version;
    table.ranged = rangeFigures(table, state.range);
  }
  return table.ranged;
}
const hasMoments = () => Boolean(data.moments && data.moments.at.length > 1);
const total = c => c.reduce((a, n) => a + n, 0);

// ---- moments: changes from one to the next, of the rows that changed ---------------------------

const MOVING = ["live", "blocks", "allocs", "freed", "frees", "temp"];
function momentAt(ns) { // the last one at or before
  const at = data.moments.at;
  let i = -1;
  while (i + 1 < at.length && at[i + 1] <= ns) i++;
  return i;
}
function statesAt(table, moment) {
  const rows = table.whole.live.length, c = {};
  for (const name of MOVING) c[name] = new Float64Array(rows);
  for (let m = 0; m <= moment; m++) {
    const list = table.moments[m] || [];
    let row = 0;
    for (let i = 0; i < list.length; i += 1 + MOVING.length) {
      row += list[i];
      for (let k = 0; k < MOVING.length; k++) c[MOVING[k]][row] += list[i + 1 + k];
    }
  }
  return c;
}
function rangeFigures(table, [from, to]) {
  const a = statesAt(table, momentAt(from)), b = statesAt(table, momentAt(to)), c = {};
  for (const name of MOVING) c[name] = b[name].map((n, i) => n - a[name][i]);
  c.grew = c.live; c.grewBlocks = c.blocks;
  c.live = b.live; c.blocks = b.blocks;
  c.made = c.freed.map((n, i) => n + c.grew[i]);
  c.peak = c.live.map(() => 0);
  c.short = c.peak; c.resizes = c.peak;
  return c;
}
for (const name of ["sites", "own", "withCalls", "tags", "tree"])
  if (hasMoments() && data.moments[name]) tables[name].moments = data.moments[name];

// ---- sites ------------------------------------------------------------------------------------

const sites = tables.sites.of, siteRows = (sites.src || []).length;
const whereOf = (src, line) => line >= 0 ? `${src}:${line}` : src;
const siteWhere = i => i < siteRows ? whereOf(word(sites.src[i]), sites.line[i]) : `${many(sites.more, "more line")}`;
const siteFunc = i => i < siteRows ? word(sites.func[i]) : "";
const grows = new Map((sites.grows || []).map(g => [g[0], g]));

// A site's type that has most of the figure shown, or of what it made: for its colour.
function siteType(i, name = column()) {
  const list = sites.types && sites.types[i];
  if (!list) return 5;
  let best = 5, most = -1;
  for (let k = 0; k < list.length; k += 3) {
    const n = (name === "live" || name === "blocks" || name === "grew" ? list[k + 1] * 1e6 : 0) + list[k + 2];
    if (n > most) { most = n; best = list[k]; }
  }
  return best;
}
const kindNames = data.types.map(t => t.name);

// ---- search -----------------------------------------------------------------------------------

const needle = () => state.search.trim().toLowerCase();
const matches = text => text.toLowerCase().includes(needle());
function lit(text) { // with what is searched for marked
  const what = needle(), at = what ? text.toLowerCase().indexOf(what) : -1;
  if (at < 0) return [text];
  return [text.slice(0, at), make("mark", {}, text.slice(at, at + what.length)), text.slice(at + what.length)];
}

// ---- drawing ----------------------------------------------------------------------------------

const css = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
let palette = {};
function readPalette() {
  palette = { kinds: [0, 1, 2, 3, 4, 5].map(k => css("k" + k)), strong: [0, 1, 2, 3, 4, 5].map(k => css("s" + k)) };
  for (const name of ["paper", "raise", "ink", "dim", "faint", "line", "soft", "accent", "accent-soft", "hit", "on"]) palette[name] = css(name);
}
const SANS = 'system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif';

// A canvas as large as its place, in units of the page.
function canvasOf(stage, width, height) {
  const canvas = stage.querySelector("canvas"), ratio = window.devicePixelRatio || 1;
  const w = Math.round(width * ratio), h = Math.round(height * ratio);
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  canvas.style.width = width + "px"; canvas.style.height = height + "px";
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return g;
}
// A text in so much room: of a name the end tells more.
function fit(g, text, room) {
  const whole = g.measureText(text).width;
  if (whole <= room) return text;
  let keep = Math.floor(text.length * room / whole);
  while (keep > 1 && g.measureText("\u2026" + text.slice(-keep)).width > room) keep--;
  return keep > 1 ? "\u2026" + text.slice(-keep) : "";
}
