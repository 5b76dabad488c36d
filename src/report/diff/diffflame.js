// diffflame.js - the flame graph of two runs: as wide as one of them is, red where it grew and blue where it shrank;
// and the call paths that have nothing any more, which no width can show.
const COLOURS = [["change", "By change"], ["file", "By file"]], WENT_MOST = 50;
const graphKey = () => column() + state.side, siteCount = () => tables.sites.is.live.length;
const graphValues = () => figures(treeKind)[state.side], graphOthers = () => figures(treeKind)[state.side === "is" ? "was" : "is"];
const kindsBelow = () => null, kindOf = () => 5;
const nothingWords = () => state.side === "is" && root.other ? "Nothing of it is left." : "Nothing of it here.";
const openFrame = site => openRow(site), openWord = "in the table";
const isOf = f => state.side === "is" ? f.total : f.other, wasOf = f => state.side === "is" ? f.other : f.total;

const frameWords = f => [`${figure(wasOf(f))} before, ${figure(isOf(f))} now: `,
  changed(wasOf(f), isOf(f), `${changeText(isOf(f) - wasOf(f))}, ${percent(wasOf(f), isOf(f))}`)];

// The colour is the share of the change: all of it new, or all of it gone, is the fullest.
function frameColour(f) {
  if (colours === "file") return fileColour(f);
  const change = isOf(f) - wasOf(f), most = Math.max(isOf(f), wasOf(f));
  if (!change || Math.abs(change) < noiseOf()) return css("neutral");
  return mix(css("neutral"), change > 0 ? palette.grew : palette.shrank, .2 + .8 * Math.abs(change) / most);
}

// ---- what went --------------------------------------------------------------------------------

// The outermost frames that had something and have nothing: a node of each.
function wentNodes() {
  const is = Float64Array.from(ofNodes(figures(treeKind).is), positive), was = Float64Array.from(ofNodes(figures(treeKind).was), positive), below = new Uint32Array(is.length);
  for (let i = is.length - 1; i > 0; i--) {
    const up = nodes.parent[i];
    is[up] += is[i]; was[up] += was[i];
  }
  const list = [];
  for (let i = 1; i < is.length; i++) {
    const up = nodes.parent[i];
    if (is[i] || !was[i] || (up && !is[up])) continue;
    list.push([i, was[i]]);
  }
  return list.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}
function keysTo(i) {
  const list = [];
  for (; i; i = nodes.parent[i]) list.unshift(nodes.key[i]);
  return list;
}
function showWent(i) { // where it was, as wide as it was
  if (inverted) place("invert").click();
  change({ side: "was" });
  build();
  let f = root;
  for (const key of keysTo(i)) f = kidsOf(f).find(k => k.key === key) || f;
  zoom(f);
  choose(f);
  flame.focus();
}
let wentKey = "";
const wentBy = {}; // by figure
function drawWent() {
  const key = column() + state.search + printing;
  if (key === wentKey || (state.tab !== "flame" && !printing)) return;
  wentKey = key;
  const text = k => k.extra === "joined" ? "more paths" : k.where ? `${k.func} ${k.where}` : k.func;
  const all = wentBy[column()] || (wentBy[column()] = wentNodes()), noise = all.filter(w => w[1] < noiseOf()), sum = list => list.reduce((a, w) => a + w[1], 0);
  const list = all.slice(0, all.length - noise.length).filter(([i]) => !needle() || keysTo(i).some(k => matches(text(nodes.keys[k]))));
  const rows = list.slice(0, WENT_MOST).map(([i, was]) => {
    const way = keysTo(i).map(k => nodes.keys[k]), last = way.pop();
    return make("tr", { class: "row", tabindex: "0", "data-node": i, onclick: () => showWent(i), onkeydown: e => { if (e.key === "Enter") showWent(i); } },
      make("td", { class: "name" }, make("span", { class: "mono" }, ...lit(text(last))), make("div", { class: "text path" }, ...(way.length ? lit("in " + way.map(text).join(" \u25b8 ")) : []))),
      make("td", {}, make("span", { class: "less" }, changeText(-was))));
  });
  if (list.length > WENT_MOST) rows.push(make("tr", { class: "rest" }, make("td", { class: "name" }, many(list.length - WENT_MOST, "more path")), make("td", {}, changeText(-sum(list.slice(WENT_MOST))))));
  if (noise.length && !needle()) rows.push(make("tr", { class: "rest" }, make("td", { class: "name" }, `${many(noise.length, "path")} of less than ${figure(noiseOf())} each`), make("td", {}, changeText(-sum(noise)))));
  place("went").replaceChildren(...(all.length ? [make("h2", {}, `Gone: ${many(all.length, "path")} had ${unitWord(sum(all))} and ${all.length === 1 ? "has" : "have"} nothing now`),
    make("table", {}, make("tbody", {}, ...rows))] : []));
}

function drawWidths() {
  place("widths").replaceChildren(...[["is", "As wide as now"], ["was", "as before"]].map(([side, name]) =>
    make("button", { "data-side": side, "aria-pressed": state.side === side, onclick: () => change({ side }) }, name)));
  place("scale").replaceChildren("shrank", make("i"), "grew");
}
