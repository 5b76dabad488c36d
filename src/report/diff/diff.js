// diff.js - the figures of two runs: what is, what was, and the change of each.
const METRICS = [{ id: "live", name: "Live" }, { id: "made", name: "Allocated" }, { id: "peak", name: "Peak" }, { id: "allocs", name: "Allocations" }];
state.metric = METRICS[data.metric];
state.side = "is"; // whose sizes the graph has
state.how = "all"; // which rows tables have
state.noise = false; // those below the threshold, too
const choices = () => METRICS;
function settle(fields) { if ("side" in fields) state.version++; }
const column = () => state.metric.id;
const isBytes = name => name !== "allocs";
const figure = (n, name = column()) => isBytes(name) ? bytes(n) : count(n);
const unitWord = (n, name = column()) => isBytes(name) ? bytes(n) : many(n, "allocation");
const changeText = (n, name = column()) => (n > 0 ? "+" : "") + figure(n, name);
const noiseOf = () => data.noise[METRICS.indexOf(state.metric)];

// By how much of what was there; of nothing there is no share.
function percent(was, is) {
  if (was === is) return "0 %";
  if (!was) return "new";
  const p = (is - was) * 100 / was, size = Math.abs(p);
  return size >= 9999.5 ? "> 100\u00d7" : `${p < 0 ? "\u2212" : "+"}${size < 9.95 ? size.toFixed(1) : Math.round(size)} %`;
}
const changed = (was, is, text) => make("span", { class: is > was ? "more" : is < was ? "less" : "zero" }, text);

function columns(of) {
  const c = {};
  for (const name of ["live", "allocs", "freed", "peak"]) c[name] = Float64Array.from(of && of[name] || []);
  c.made = c.live.map((n, i) => n + c.freed[i]);
  return c;
}
const shownTypes = data.types.filter(t => t.was.some(n => n) || t.is.some(n => n));
const typeColumns = side => Object.fromEntries(METRICS.map((m, k) => [m.id, Float64Array.from(shownTypes, t => t[side][k])]));
const tables = { types: { is: typeColumns("is"), was: typeColumns("was") } };
for (const name of ["sites", "functions", "tags", "tree"]) tables[name] = { is: columns(data[name]), was: columns(data[name] && data[name].was) };

// Of a table, by what is shown: is, was, change, size of the change.
function figures(name) {
  const table = tables[name], key = column();
  if (!table[key]) {
    const is = table.is[key], was = table.was[key], change = is.map((n, i) => n - was[i]);
    table[key] = { is, was, change, size: change.map(Math.abs) };
  }
  return table[key];
}

// ---- rows -------------------------------------------------------------------------------------

const KEPT = 0, MOVED = 1, CAME = 2, WENT = 3;
const sites = data.sites, siteRows = sites.src.length;
const siteWhere = i => i < siteRows ? whereOf(word(sites.src[i]), sites.line[i]) : many(sites.more, "more line");
const siteFunc = i => i < siteRows ? word(sites.func[i]) : "";
const kindNames = data.types.map(t => t.name);

// Is a row's change one that matters? Else it is noise, or none.
const matters = (name, i) => { const size = figures(name).size[i]; return size > 0 && size >= noiseOf(); };
const HOWS = [["all", "All", () => true], ["grew", "Grew", (c, i, how) => c.change[i] > 0 && how !== CAME], ["shrank", "Shrank", (c, i, how) => c.change[i] < 0 && how !== WENT],
  ["new", "New", (c, i, how) => how === CAME], ["gone", "Gone", (c, i, how) => how === WENT]];
const howIs = (name, i) => HOWS.find(h => h[0] === state.how)[2](figures(name), i, data[name].how[i]);
