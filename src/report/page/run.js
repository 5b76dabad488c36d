// run.js - the figures of a run, by table and range.
// ---- what is chosen ---------------------------------------------------------------------------

const METRICS = [
  { id: "live", name: "Live", bytes: "live", blocks: "blocks", range: "live at its end" },
  { id: "made", name: "Allocated", bytes: "made", blocks: "allocs", range: "allocated in it" },
  { id: "peak", name: "Peak", bytes: "peak", blocks: null, range: null },
  { id: "temp", name: "Temporary", bytes: null, blocks: "temp", range: "temporary in it" },
  { id: "freed", name: "Freed", bytes: "freed", blocks: "frees", range: "freed in it", only: true },
  { id: "grew", name: "Grew", bytes: "grew", blocks: "grewBlocks", range: "grew in it", only: true },
];
state.metric = METRICS[0];
// A range has no peak, and only a range has what was freed and what grew in it.
const choices = () => METRICS.filter(m => state.range && hasMoments() ? m.range : !m.only);
function settle(fields) {
  if (!choices().includes(state.metric)) fields.metric = state.metric = choices()[state.range ? 1 : 0];
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

let functionsOf, tables, sites, siteRows, grows, kindNames;
const table = (of, moments) => ({ of: of || {}, whole: columns(of), moments: hasMoments() && moments || undefined });
// What follows from the data: to be called again when that is new (live.js).
function readRun() {
  const moments = data.moments || {};
  functionsOf = data.functions || {};
  tables = {
    sites: table(data.sites, moments.sites), own: table(functionsOf.own, moments.own), withCalls: table(functionsOf.with, moments.withCalls),
    tags: table(data.tags, moments.tags), tree: table(data.tree, moments.tree),
  };
  sites = tables.sites.of;
  siteRows = (sites.src || []).length;
  grows = new Map((sites.grows || []).map(g => [g[0], g]));
  kindNames = data.types.map(t => t.name);
}

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

// ---- sites ------------------------------------------------------------------------------------

const siteWhere = i => i < siteRows ? whereOf(word(sites.src[i]), sites.line[i]) : `${many(sites.more, "more line")}`;
const siteFunc = i => i < siteRows ? word(sites.func[i]) : "";

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
readRun();
