// tables.js - lines, functions and tags as tables: sorted by any column, searched, copied.
const FIRST = 100, MORE = 500;
const num = (n, text) => n === 0 ? make("span", { class: "zero" }, "0") : text;

// A bar of a row's share of the largest, in its types where they are known.
function shareBar(n, most, types) {
  const bar = make("div", { style: `width:${most > 0 ? Math.max(0, n) * 100 / most : 0}%` });
  const sum = types.reduce((a, t) => a + t[1], 0);
  for (const [k, part] of types)
    if (part > 0) bar.append(make("i", { title: kindNames[k], style: `width:${part * 100 / sum}%;background:${palette.kinds[k]}` }));
  if (!sum) bar.append(make("i", { style: `width:100%;background:${palette.kinds[4]}` }));
  return bar;
}

// The folder apart, which goes first where there is little room.
function withFolder(text) {
  const at = text.lastIndexOf("/") + 1;
  return at && !needle() ? [make("span", { class: "dir" }, text.slice(0, at)), text.slice(at)] : lit(text);
}

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

const figureColumn = (name, title, css = "", table = null) => ({ id: name, title, class: css,
  value: (c, i) => c[name][i], show: (c, i) => num(c[name][i], isBytes(name) ? bytes(c[name][i]) : count(c[name][i])), table });
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
  sites: { title: "Lines", one: "line", rows: siteRows, more: sites.more || 0, of: "sites",
    words: i => [siteWhere(i), siteFunc(i)], type: i => typesOf(i), chart: true, badge: i => grows.has(i) ? "grows" : "", open: true },
  functions: { title: "Functions", one: "function", rows: (functionsOf.src || []).length, more: (functionsOf.own || {}).more || 0, of: "own",
    words: i => [word(functionsOf.func[i]), whereOf(word(functionsOf.src[i]), functionsOf.line[i])], with: Boolean(data.stacks) },
  tags: { title: "Tags", one: "tag", rows: ((data.tags || {}).func || []).length, more: (data.tags || {}).more || 0, of: "tags",
    words: i => [word(data.tags.func[i]), ""] },
};

function typesOf(i) {
  const list = (sites.types || [])[i] || [], out = [];
  const at = column() === "live" || column() === "blocks" || column() === "grew" ? 1 : 2;
  for (let k = 0; k < list.length; k += 3) out.push([list[k], list[k + at]]);
  return out;
}

function startTable(id) {
  const view = VIEWS[id], box = place("v-" + id);
  view.sort = null; view.shown = FIRST; view.chosen = -1;
  const body = make("tbody"), head = make("thead"), under = make("div", { class: "under" });
  box.append(make("div", { class: "scroll" }, make("table", {}, head, body)), under);

  const columnsNow = () => {
    const list = COMMON();
    if (view.with && !(state.range && !tables.withCalls.moments && hasMoments())) {
      const w = () => figures("withCalls");
      list.splice(1, 0, { id: "with", title: "With what it calls", value: (c, i) => w().live[i], show: (c, i) => num(w().live[i], bytes(w().live[i])) },
        { id: "withMade", title: "Allocated so", class: "wide", value: (c, i) => w().made[i], show: (c, i) => num(w().made[i], bytes(w().made[i])) });
      list[0] = { ...list[0], title: "Live, own" };
    }
    if (view.rows && functionsOf.calls && id === "functions" && functionsOf.calls.some(n => n))
      list.push({ id: "calls", title: "Calls", class: "mid", value: (c, i) => functionsOf.calls[i], show: (c, i) => num(functionsOf.calls[i], count(functionsOf.calls[i])) });
    return list;
  };
  const sorter = list => {
    const s = view.sort;
    if (s && (s.id === "name" || list.some(l => l.id === s.id))) return s;
    return { id: column(), down: true, own: true };
  };
  const listNow = () => {
    const c = figures(view.of), list = columnsNow(), s = sorter(list), rows = [];
    for (let i = 0; i < view.rows; i++) if (!needle() || matches(view.words(i).join(" "))) rows.push(i);
    if (s.id === "name") rows.sort((a, b) => (view.words(a)[0] < view.words(b)[0] ? -1 : 1) * (s.down ? -1 : 1));
    else {
      const by = list.find(l => l.id === s.id) || figureColumn(s.id, "");
      const value = Float64Array.from({ length: view.rows }, (_, i) => by.value(c, i));
      rows.sort((a, b) => s.down ? value[b] - value[a] || a - b : value[a] - value[b] || a - b);
    }
    return rows;
  };

  function header(list) {
    const s = sorter(list), cell = (key, title, cls) => make("th", { class: cls, scope: "col",
      ...(s.id === key ? { "aria-sort": s.down ? "descending" : "ascending" } : {}) },
      make("button", { "data-sort": key, onclick: () => {
        view.sort = { id: key, down: s.id === key ? !s.down : key !== "name" };
        fill();
        head.querySelector(`[data-sort="${key}"]`)?.focus();
      } }, title));
    head.replaceChildren(make("tr", {}, cell("name", view.title.replace(/s$/, ""), "name"), make("th", { class: "mid" }, make("span", { title: "share of the largest" }, "Share")),
      ...list.map(l => cell(l.id, l.title, l.class)), view.chart ? make("th", { class: "wide" }, "After collections") : null));
  }
  function line(i, c, list, most) {
    const [first, second] = view.words(i), badge = view.badge && view.badge(i);
    const n = c[column()] ? c[column()][i] : 0;
    const row = make("tr", { class: "row" + (i === view.chosen ? " sel" : ""), "data-row": i, tabindex: "-1" },
      make("td", { class: "name", title: `${first} ${second}` }, make("span", { class: "mono" }, ...withFolder(first)), " ", make("span", {}, ...lit(second)),
        badge ? make("span", { class: "badge" }, badge) : null),
      make("td", { class: "fill mid" }, shareBar(n, most, view.type ? view.type(i) : [])),
      ...list.map(l => make("td", { class: l.class }, l.show(c, i))),
      view.chart ? make("td", { class: "wide" }, spark((sites.held || [])[i])) : null);
    return row;
  }
  function fill() {
    if (state.tab !== id && !printing) return;
    const c = figures(view.of), list = columnsNow(), rows = listNow(), values = c[column()] || [];
    const most = rows.reduce((a, i) => Math.max(a, values[i] || 0), 0), shown = printing ? Math.min(40, rows.length) : view.shown;
    header(list);
    const out = [], span = list.length + 3;
    for (const i of rows.slice(0, shown)) {
      out.push(line(i, c, list, most));
      if (i === view.chosen && view.open) out.push(make("tr", {}, make("td", { class: "detail", colspan: span }, detail(i))));
    }
    if (view.more && !needle() && rows.length <= shown)
      out.push(make("tr", { class: "rest" }, make("td", { class: "name" }, many(view.more, "more " + view.one)), make("td", { class: "mid" }),
        ...list.map(l => make("td", { class: l.class }, l.id === "with" || l.id === "withMade" || l.id === "calls" ? "" : l.show(c, view.rows)))));
    body.replaceChildren(...out);
    const sum = rows.reduce((a, i) => a + (values[i] || 0), 0), whole = total(values);
    under.replaceChildren(`${many(rows.length, view.one)}${needle() ? " found" : ""}: ${unitWord(sum)}, ${share(sum, whole)}`,
      rows.length > shown ? make("button", { onclick: () => { view.shown += MORE; fill(); } }, `Show ${count(Math.min(MORE, rows.length - shown))} more`) : null,
      make("button", { "data-copy": id, onclick: e => copy(e.target) }, "Copy as table"));
    if (!view.rows) under.textContent = data.lines ? "There are none." : "The run was without lines: nothing is known of who made what.";
    view.list = rows;
  }
  function copy(button) {
    const c = figures(view.of), list = columnsNow(), cells = [["name", "where", ...list.map(l => l.id)]];
    for (const i of view.list) cells.push([...view.words(i), ...list.map(l => l.value(c, i))]);
    const text = cells.map(r => r.map(v => String(v).replace(/[\t\n]/g, " ")).join("\t")).join("\n") + "\n";
    window.copied = text; // the last copy, for who has no clipboard
    const done = () => { button.textContent = `Copied ${many(view.list.length, "row")}`; setTimeout(() => { button.textContent = "Copy as table"; }, 1600); };
    const by_hand = () => {
      const area = make("textarea", { style: "position:fixed;opacity:0" });
      area.value = text; document.body.append(area); area.select(); document.execCommand("copy"); area.remove(); done();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, by_hand); else by_hand();
  }
  const toggle = i => { view.chosen = view.chosen === i ? -1 : i; fill(); body.querySelector("tr.sel")?.focus(); };
  body.onclick = e => {
    const row = e.target.closest("tr.row");
    if (row && !getSelection().toString()) toggle(+row.dataset.row);
  };
  box.onkeydown = e => {
    if (!["ArrowDown", "ArrowUp", "Enter", "o", "y"].includes(e.key) || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.target.tagName === "BUTTON" && e.key === "Enter") return;
    const rows = [...body.querySelectorAll("tr.row")], at = rows.indexOf(document.activeElement);
    if (e.key === "y") under.querySelector("[data-copy]")?.click();
    else if (e.key === "Enter" && at >= 0) toggle(+rows[at].dataset.row);
    else if (e.key === "o" && at >= 0 && view.open) openSource(+rows[at].dataset.row);
    else if (e.key.startsWith("Arrow")) rows[Math.max(0, Math.min(rows.length - 1, at + (e.key === "ArrowDown" ? 1 : -1)))]?.focus();
    else return;
    e.preventDefault();
  };
  view.fill = fill;
  view.showRow = i => { view.chosen = i; const at = listNow().indexOf(i); if (at >= view.shown) view.shown = at + 20; fill(); body.querySelector("tr.sel")?.scrollIntoView({ block: "center" }); };
  watch(f => { if ("metric" in f || "unit" in f) view.sort = null; if (!("tab" in f) || f.tab === id) fill(); });
}
