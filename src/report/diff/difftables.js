// difftables.js - which tables the page of a comparison has, and their columns.
const BAR_TITLE = "", BAR_HELP = "the change, of the largest", NO_LINES = "The runs were without lines: nothing is known of who made what.";
const tableSort = () => "size";
const tableSum = (rows, values, view) => rows.length && !view.sort ? ", the largest change first" : "";

function tableBar(view, i, c, most) {
  const half = most > 0 ? c.size[i] * 50 / most : 0;
  return make("div", { class: "delta" }, c.change[i] ? make("i", { style: `width:${half}%;${c.change[i] > 0 ? "left" : "right"}:50%;background:var(--${c.change[i] > 0 ? "grew" : "shrank"})` }) : null);
}

const rowData = { sites, functions: data.functions, tags: data.tags };
function badgeOf(id, i) {
  const how = rowData[id].how[i];
  return how === CAME ? "new" : how === WENT ? "gone" : how === MOVED ? `moved from line ${rowData[id].from[i]}` : "";
}
const rowWhere = (id, i) => whereOf(word(rowData[id].src[i]), rowData[id].line[i]);
const rowName = (id, i) => word(rowData[id].func[i]);

const VIEWS = {
  sites: { title: "Lines", one: "line", words: i => [siteWhere(i), siteFunc(i)], text: i => sites.text[i], open: true },
  functions: { title: "Functions", one: "function", words: i => [rowName("functions", i), rowWhere("functions", i)], open: true },
  types: { title: "Types", one: "type", rows: shownTypes.length, more: 0, of: "types", words: i => [shownTypes[i].name, ""] },
  tags: { title: "Tags", one: "tag", words: i => [rowName("tags", i), ""], open: true },
};
for (const id of Object.keys(rowData))
  Object.assign(VIEWS[id], { rows: rowData[id].how.length, more: rowData[id].more, of: id, badge: i => badgeOf(id, i), tone: i => rowData[id].how[i] === WENT ? " gone" : "",
    keep: i => howIs(id, i) && (state.noise || matters(id, i)), rest: list => noiseRow(id, list) });

function tableColumns(id, view) {
  const of = tables[view.of], list = [
    { id: "change", title: "Change", class: "", value: (c, i) => c.change[i], show: (c, i) => changed(c.was[i], c.is[i], c.change[i] ? changeText(c.change[i]) : "0") },
    { id: "percent", title: "%", class: "mid", value: (c, i) => c.was[i] ? c.change[i] / c.was[i] : c.is[i] ? Infinity : 0, show: (c, i) => changed(c.was[i], c.is[i], c.was[i] ? percent(c.was[i], c.is[i]) : "") },
    { id: "was", title: "Before", class: "mid", value: (c, i) => c.was[i], show: (c, i) => num(c.was[i], figure(c.was[i])) },
    { id: "is", title: "Now", class: "", value: (c, i) => c.is[i], show: (c, i) => num(c.is[i], figure(c.is[i])) },
  ];
  for (const m of METRICS) {
    if (m === state.metric) continue;
    const is = of.is[m.id], was = of.was[m.id];
    list.push({ id: "d-" + m.id, title: `\u0394 ${m.name}`, class: "wide", value: (c, i) => is[i] - was[i], show: (c, i) => changed(was[i], is[i], is[i] === was[i] ? "0" : changeText(is[i] - was[i], m.id)) });
  }
  return list;
}

// What is below the threshold is one row, so that all rows make up the whole.
function noiseRow(id, list) {
  if (needle() || state.how !== "all") return [];
  const c = figures(id), view = VIEWS[id];
  let n = 0, grown = 0, shrunk = 0, still = 0;
  for (let i = 0; i < view.rows; i++) {
    if (matters(id, i)) continue;
    if (!c.change[i]) still++; else n++;
    if (c.change[i] > 0) grown += c.change[i]; else shrunk -= c.change[i];
  }
  if (!n && !still) return [];
  const words = [n ? `${many(n, view.one)} changed by less than ${figure(noiseOf())} each: ${changeText(grown)}, ${changeText(-shrunk)}` : "",
    still ? `${n ? count(still) : many(still, view.one)} did not change` : ""].filter(Boolean).join("; ");
  return [make("tr", { class: "rest noise" }, make("td", { class: "name", colspan: "2", style: "white-space:normal;max-width:none" }, state.noise ? "Noise is shown, too. " : words + ". ",
    make("a", { role: "button", tabindex: "0", "data-noise": id, onclick: () => change({ noise: !state.noise }) }, state.noise ? "Fold it" : "Show them")),
    ...list.map(l => make("td", { class: l.class }, "")))];
}

// All that is known of a row.
function detail(i, id) {
  const table = make("table", {}, make("tr", {}, ...["", "Before", "Now", "Change", ""].map((t, k) => make("th", { class: k ? "" : "name" }, t))));
  for (const m of METRICS) {
    const was = tables[id].was[m.id][i], is = tables[id].is[m.id][i];
    table.append(make("tr", {}, make("td", { class: "name", style: "max-width:none;min-width:90px" }, m.name), make("td", {}, figure(was, m.id)), make("td", {}, figure(is, m.id)),
      make("td", {}, changed(was, is, is === was ? "0" : changeText(is - was, m.id))), make("td", {}, changed(was, is, was || is ? percent(was, is) : ""))));
  }
  const words = make("div", {}), badge = badgeOf(id, i);
  if (id === "sites" && sites.text[i]) words.append(make("p", { class: "mono" }, sites.text[i]));
  if (badge) words.append(make("p", {}, { new: "It is new: the older run had nothing there.", gone: "It is gone: the newer run has nothing there." }[badge] || `It ${badge}, known by its function and ${id === "sites" ? "its text" : "name"}.`));
  if (id !== "tags") words.append(make("p", {}, make("a", { onclick: () => findInGraph(id, i) }, "Find it in the graph")));
  return make("div", { class: "cols" }, table, words);
}
function findInGraph(id, i) {
  const what = id === "sites" ? siteWhere(i) : rowName(id, i);
  place("search").value = what;
  change({ search: what, tab: "flame", ...(rowData[id].how[i] === WENT ? { side: "was" } : {}) }); // what went is there as wide as before
}
function openRow(i, id) { // of the lines; from a table it goes to the graph
  if (id) { if (id !== "tags") findInGraph(id, i); return; }
  state.noise = state.noise || !matters("sites", i);
  state.how = "all";
  change({ tab: "sites" });
  VIEWS.sites.showRow(i);
}

// Buttons for what grew, shrank, came and went, above each table.
function startHows(id) {
  const group = make("span", { class: "group hows", role: "group", "aria-label": "Which" });
  place("v-" + id).append(make("div", { class: "bar" }, group));
  VIEWS[id].hows = () => {
    const view = VIEWS[id], c = figures(id), counts = HOWS.map(() => 0);
    for (let i = 0; i < view.rows; i++) if (matters(id, i)) HOWS.forEach((h, k) => { counts[k] += h[2](c, i, rowData[id].how[i]); });
    group.replaceChildren(...HOWS.map(([how, name], k) => make("button", { "data-how": how, "aria-pressed": state.how === how, onclick: () => change({ how }) }, name, " ", make("small", { class: "dim" }, count(counts[k])))));
  };
}
