// tables.js - lines, functions and tags as tables: sorted by any column, searched, copied. What they have is the
// page's: VIEWS, tableColumns, tableSort, tableBar, tableSum, detail, openRow.
const FIRST = 100, MORE = 500;
const num = (n, text) => n === 0 ? make("span", { class: "zero" }, "0") : text;

// The folder apart, which goes first where there is little room.
function withFolder(text) {
  const at = text.lastIndexOf("/") + 1;
  return at && !needle() ? [make("span", { class: "dir" }, text.slice(0, at)), text.slice(at)] : lit(text);
}

const figureColumn = (name, title, css = "") => ({ id: name, title, class: css,
  value: (c, i) => c[name][i], show: (c, i) => num(c[name][i], isBytes(name) ? bytes(c[name][i]) : count(c[name][i])) });

function startTable(id) {
  const view = VIEWS[id], box = place("v-" + id);
  view.sort = null; view.shown = FIRST; view.chosen = -1;
  const body = make("tbody"), head = make("thead"), under = make("div", { class: "under" });
  box.append(make("div", { class: "scroll" }, make("table", {}, head, body)), under);

  const columnsNow = () => tableColumns(id, view);
  const sorter = list => {
    const s = view.sort;
    if (s && (s.id === "name" || list.some(l => l.id === s.id))) return s;
    return { id: tableSort(), down: true, own: true };
  };
  const listNow = () => {
    const c = figures(view.of), list = columnsNow(), s = sorter(list), rows = [];
    for (let i = 0; i < view.rows; i++) if ((!view.keep || view.keep(i)) && (!needle() || matches([...view.words(i), view.text ? view.text(i) : ""].join(" ")))) rows.push(i);
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
    head.replaceChildren(make("tr", {}, cell("name", view.title.replace(/s$/, ""), "name"), make("th", { class: "mid" }, make("span", { title: BAR_HELP }, BAR_TITLE)),
      ...list.map(l => cell(l.id, l.title, l.class)), view.last ? make("th", { class: "wide" }, view.last.title) : null));
  }
  function line(i, c, list, most) {
    const [first, second] = view.words(i), badge = view.badge && view.badge(i);
    const row = make("tr", { class: "row" + (view.tone ? view.tone(i) : "") + (i === view.chosen ? " sel" : ""), "data-row": i, tabindex: "-1" },
      make("td", { class: "name", title: `${first} ${second}` }, make("span", { class: "mono" }, ...withFolder(first)), " ", make("span", {}, ...lit(second)),
        badge ? make("span", { class: "badge" }, badge) : null, view.text && view.text(i) ? make("div", { class: "text mono" }, ...lit(view.text(i))) : null),
      make("td", { class: "fill mid" }, tableBar(view, i, c, most)),
      ...list.map(l => make("td", { class: l.class }, l.show(c, i))),
      view.last ? make("td", { class: "wide" }, view.last.show(i)) : null);
    return row;
  }
  function fill() {
    if (state.tab !== id && !printing) return;
    const c = figures(view.of), list = columnsNow(), rows = listNow(), values = c[tableSort()] || [];
    const most = rows.reduce((a, i) => Math.max(a, Math.abs(values[i] || 0)), 0), shown = printing ? Math.min(40, rows.length) : view.shown;
    header(list);
    const out = [], span = list.length + 3;
    for (const i of rows.slice(0, shown)) {
      out.push(line(i, c, list, most));
      if (i === view.chosen && view.open) out.push(make("tr", {}, make("td", { class: "detail", colspan: span }, detail(i, id))));
    }
    if (view.more && !needle() && rows.length <= shown)
      out.push(make("tr", { class: "rest" }, make("td", { class: "name" }, many(view.more, "more " + view.one)), make("td", { class: "mid" }),
        ...list.map(l => make("td", { class: l.class }, l.rowsOnly ? "" : l.show(c, view.rows)))));
    if (view.rest) out.push(...view.rest(list, c));
    body.replaceChildren(...out);
    under.replaceChildren(...[`${many(rows.length, view.one)}${needle() ? " found" : ""}${tableSum(rows, values, view)}`,
      rows.length > shown ? make("button", { onclick: () => { view.shown += MORE; fill(); } }, `Show ${count(Math.min(MORE, rows.length - shown))} more`) : null,
      make("button", { "data-copy": id, onclick: e => copy(e.target) }, "Copy as table")].filter(Boolean));
    if (!view.rows) under.textContent = data.lines ? "There are none." : NO_LINES;
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
    else if (e.key === "o" && at >= 0 && view.open) openRow(+rows[at].dataset.row, id);
    else if (e.key.startsWith("Arrow")) rows[Math.max(0, Math.min(rows.length - 1, at + (e.key === "ArrowDown" ? 1 : -1)))]?.focus();
    else return;
    e.preventDefault();
  };
  view.fill = fill;
  view.showRow = i => { view.chosen = i; const at = listNow().indexOf(i); if (at >= view.shown) view.shown = at + 20; fill(); body.querySelector("tr.sel")?.scrollIntoView({ block: "center" }); };
  watch(f => { if ("metric" in f || "unit" in f) view.sort = null; if (!("tab" in f) || f.tab === id) fill(); });
}
