// runtables.js - which tables the page of a run has, and their columns.
const BAR_TITLE = "Share", BAR_HELP = "share of the largest", NO_LINES = "The run was without lines: nothing is known of who made what.";
const tableSort = () => column(), openRow = i => openSource(i);
const tableSum = (rows, values) => {
  const sum = rows.reduce((a, i) => a + (values[i] || 0), 0);
  return `: ${unitWord(sum)}, ${share(sum, total(values))}`;
};

// A bar of a row's share of the largest, in its types where they are known.
function shareBar(n, most, types) {
  const bar = make("div", { style: `width:${most > 0 ? Math.max(0, n) * 100 / most : 0}%` });
  const sum = types.reduce((a, t) => a + t[1], 0);
  for (const [k, part] of types)
    if (part > 0) bar.append(make("i", { title: kindNames[k], style: `width:${part * 100 / sum}%;background:${palette.kinds[k]}` }));
  if (!sum) bar.append(make("i", { style: `width:100%;background:${palette.kinds[4]}` }));
  return bar;
}

const tableBar = (view, i, c, most) => shareBar(c[column()] ? c[column()][i] : 0, most, view.type ? view.type(i) : []);

// What a line held after the collector's full cycles, oldest first.
function spark(list) {
  if (!list || list.length < 2) return "";
  const most = Math.max(...list, 1), w = 64, h = 16, ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg"), line = document.createElementNS(ns, "polyline");
  svg.setAttribute("width", w); svg.setAttribute("height", h); svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `held after full collections: from ${bytes(list[0])} to ${bytes(list[list.length - 1])}`);
  line.setAttribute("points", list.map((n, i) => `${(i * w / (list.length - 1)).toFixed(1)},${(h - 1 - n * (h - 2) / most).toFixed(1)}`).join(" "));
  line.setAttribute("fill", "none"); line.setAttribute("stroke", "currentColor"); line.setAttribute("stroke-width", "1.3");
  svg.append(line);
  return svg;
}

const COMMON = () => state.range && hasMoments() ? [
  figureColumn("live", "Live at its end"), figureColumn("grew", "Grew"), figureColumn("made", "Allocated", "mid"),
  figureColumn("freed", "Freed", "wide"), figureColumn("allocs", "Allocations", "wide"), figureColumn("temp", "Temporary", "wide"),
] : [
  figureColumn("live", "Live"), figureColumn("made", "Allocated", "mid"), figureColumn("freed", "Freed", "wide"),
  figureColumn("peak", "At the peak", "wide"), figureColumn("blocks", "Blocks", "wide"), figureColumn("allocs", "Allocations", "mid"),
  { id: "temp", title: "Temporary", class: "wide", value: (c, i) => c.allocs[i] ? c.temp[i] / c.allocs[i] : 0,
    show: (c, i) => c.allocs[i] ? num(c.temp[i], share(c.temp[i], c.allocs[i])) : "" },
];

const VIEWS = {
  sites: { title: "Lines", one: "line", get rows() { return siteRows; }, get more() { return sites.more || 0; }, of: "sites",
    words: i => [siteWhere(i), siteFunc(i)], type: i => typesOf(i), last: { title: "After collections", show: i => spark((sites.held || [])[i]) }, badge: i => grows.has(i) ? "grows" : "", open: true },
  functions: { title: "Functions", one: "function", get rows() { return (functionsOf.src || []).length; }, get more() { return (functionsOf.own || {}).more || 0; }, of: "own",
    words: i => [word(functionsOf.func[i]), whereOf(word(functionsOf.src[i]), functionsOf.line[i])], with: Boolean(data.stacks) },
  tags: { title: "Tags", one: "tag", get rows() { return ((data.tags || {}).func || []).length; }, get more() { return (data.tags || {}).more || 0; }, of: "tags",
    words: i => [word(data.tags.func[i]), ""] },
};

function typesOf(i) {
  const list = (sites.types || [])[i] || [], out = [];
  const at = column() === "live" || column() === "blocks" || column() === "grew" ? 1 : 2;
  for (let k = 0; k < list.length; k += 3) out.push([list[k], list[k + at]]);
  return out;
}

function tableColumns(id, view) {
  const list = COMMON();
  if (view.with && !(state.range && !tables.withCalls.moments && hasMoments())) {
    const w = () => figures("withCalls");
    list.splice(1, 0, { id: "with", rowsOnly: true, title: "With what it calls", value: (c, i) => w().live[i], show: (c, i) => num(w().live[i], bytes(w().live[i])) },
      { id: "withMade", rowsOnly: true, title: "Allocated so", class: "wide", value: (c, i) => w().made[i], show: (c, i) => num(w().made[i], bytes(w().made[i])) });
    list[0] = { ...list[0], title: "Live, own" };
  }
  if (view.rows && functionsOf.calls && id === "functions" && functionsOf.calls.some(n => n))
    list.push({ id: "calls", rowsOnly: true, title: "Calls", class: "mid", value: (c, i) => functionsOf.calls[i], show: (c, i) => num(functionsOf.calls[i], count(functionsOf.calls[i])) });
  return list;
}
