// source.js - the program's lines with their figures, and what is known of one of them.
const files = data.files || [], fileOf = i => data.file ? data.file[i] : 0; // 1 + which; 0: none
let fileShown = -1, lineShown = -1, siteShown = -1;

// Lines of a file: number -> what was made there.
function linesOf(file) {
  const by = new Map();
  for (let i = 0; i < siteRows; i++) if (fileOf(i) === file + 1) by.set(sites.line[i], i);
  return by;
}

// Some lines as rows; `only`: [first, last].
function codeRows(file, only) {
  const of = linesOf(file), c = figures("sites"), values = c[column()], out = [];
  const other = column() === "made" || column() === "allocs" ? "live" : "made";
  const most = Math.max(1, ...[...of.values()].map(i => values[i]));
  let last = 0;
  for (const [first, text] of files[file].pieces || []) {
    const lines = text.split("\n");
    if (lines[lines.length - 1] === "") lines.pop();
    lines.forEach((line, k) => {
      const n = first + k;
      if (only && (n < only[0] || n > only[1])) return;
      if (last && n > last + 1) out.push(make("div", { class: "gap" }, "\u22ee"));
      last = n;
      const i = of.has(n) ? of.get(n) : -1, value = i >= 0 ? values[i] : 0;
      const row = make("div", { class: "ln" + (value > 0 ? " hot" : "") + (i >= 0 && i === siteShown ? " sel" : ""), "data-line": n,
        style: `--w:${(value * 100 / most).toFixed(1)}%` },
        make("span", { class: "v" }, i >= 0 && value ? figure(value) : ""),
        make("span", { class: "v2" }, i >= 0 && c[other][i] ? figure(c[other][i], other) : ""),
        make("span", { class: "n" }, String(n)), make("code", {}, ...(needle() ? lit(line) : [line || " "])));
      if (i >= 0) row.title = `${siteWhere(i)}: ${unitWord(value)}`;
      out.push(row);
    });
  }
  return out;
}
const titleRow = () => make("div", { class: "ln head" }, make("span", {}, state.metric.name),
  make("span", { class: "v2" }, column() === "made" || column() === "allocs" ? "Live" : "Allocated"), make("span", {}, ""), make("span", {}, ""));

function drawSource() {
  if (state.tab !== "source") return;
  const values = figures("sites")[column()], sum = new Float64Array(files.length);
  for (let i = 0; i < siteRows; i++) if (fileOf(i)) sum[fileOf(i) - 1] += values[i];
  const order = [...sum.keys()].sort((a, b) => sum[b] - sum[a] || a - b);
  if (fileShown < 0 && order.length) fileShown = order.find(i => files[i].pieces) ?? order[0];
  place("files").replaceChildren(...order.map(i => make("button", { "aria-selected": i === fileShown, title: files[i].name, onclick: () => { fileShown = i; siteShown = -1; drawSource(); place("code").scrollTop = 0; } },
    make("span", {}, make("bdi", {}, files[i].name)), make("span", { class: "dim" }, figure(sum[i])))));
  const code = place("code");
  if (fileShown < 0) { code.replaceChildren(make("p", { class: "empty" }, "No file of the program is known.")); return; }
  if (!files[fileShown].pieces)
    code.replaceChildren(make("p", { class: "empty" }, make("span", { class: "mono" }, files[fileShown].name),
      " could not be read, or is no Lua file, when this report was made. Make it where the program ran, and its lines are here."));
  else code.replaceChildren(make("div", { class: "code" }, titleRow(), ...codeRows(fileShown, null)));
}

function openSource(i) {
  siteShown = i;
  if (fileOf(i)) {
    fileShown = fileOf(i) - 1;
    change({ tab: "source" });
    const row = place("code").querySelector(`[data-line="${sites.line[i]}"]`);
    if (row) place("code").scrollTop = row.offsetTop - place("code").offsetTop - place("code").clientHeight / 2;
    place("v-source").scrollIntoView({ block: "nearest" });
    place("code").focus({ preventScroll: true });
  } else {
    change({ tab: "sites" });
    VIEWS.sites.showRow(i);
  }
}

// All that is known of a line.
function detail(i) {
  const box = make("div", { class: "cols" }), list = (sites.types || [])[i] || [];
  const types = make("table", {}, make("tr", {}, make("th", { class: "name" }, "Type"), make("th", {}, "Live"), make("th", {}, "Allocated")));
  for (let k = 0; k < list.length; k += 3)
    types.append(make("tr", {}, make("td", { class: "name", style: "max-width:none;min-width:90px" }, kindNames[list[k]]), make("td", {}, bytes(list[k + 1])), make("td", {}, bytes(list[k + 2]))));
  box.append(types);
  const calls = (sites.calls || []).filter(c => c[0] === i);
  if (calls.length)
    box.append(make("table", {}, make("tr", {}, make("th", { class: "name" }, "Through"), make("th", {}, "Live"), make("th", {}, "Allocated")),
      ...calls.map(c => make("tr", {}, make("td", { class: "name mono", style: "max-width:none;min-width:120px" }, word(c[1])), make("td", {}, bytes(c[2])), make("td", {}, bytes(c[3]))))));
  const words = make("div", {}), grow = grows.get(i), w = tables.sites.whole;
  if (grow) words.append(make("p", {}, `Grows by ${bytes(grow[1])} a full collection, ${bytes(grow[2])} so far.`));
  if (w.allocs[i]) words.append(make("p", { class: "dim" }, `${unitWord(w.allocs[i], "allocs")} of ${bytes(w.made[i] / w.allocs[i])} on average, ${many(w.resizes[i], "resize")}, ${share(w.short[i], w.allocs[i])} freed by the next collection.`));
  const links = make("p", {});
  if (fileOf(i)) links.append(make("a", { onclick: () => openSource(i) }, "Open the source"), " \u00b7 ");
  links.append(make("a", { onclick: () => { place("search").value = siteWhere(i); change({ search: siteWhere(i), tab: "flame" }); } }, "Find it in the graph"));
  words.append(links);
  box.append(words);
  if (fileOf(i) && files[fileOf(i) - 1].pieces) {
    const keep = siteShown;
    siteShown = i;
    box.append(make("div", { class: "code" }, ...codeRows(fileOf(i) - 1, [sites.line[i] - 4, sites.line[i] + 4])));
    siteShown = keep;
  }
  return box;
}

function startSource() {
  watch(f => { if (!("tab" in f) || f.tab === "source") drawSource(); });
}
