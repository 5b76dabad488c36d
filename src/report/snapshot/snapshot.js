const PARENT = 0, KIND = 1, ALL = 2, OWN = 3, OBJECTS = 4, NAME = 5, SITE = 6;
const rows = data.rows, below = rows.map(() => []);
for (let i = 1; i < rows.length; i++) below[rows[i][PARENT]].push(i);
for (const list of below) list.sort((a, b) => rows[b][ALL] - rows[a][ALL] || a - b);
const view = place("view");
let top_ = 0, mode = data.view, here = -1, cells = [];

function way(i) { const list = [i]; while (i) list.unshift(i = rows[i][PARENT]); return list; }

function tone(kind, depth) {
  const parts = getComputedStyle(document.documentElement).getPropertyValue("--k" + kind).trim().split(/\s+/);
  const deep = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--deep"));
  const light = parseFloat(parts[2]) + deep * Math.min(depth, 5);
  return `hsl(${parts[0]} ${parts[1]} ${light}%)`;
}

function cell(i, x, y, w, h, depth, title) {
  const e = document.createElement("div");
  e.className = below[i].length ? "cell" : "cell end";
  e.style.cssText = `left:${x}px;top:${y}px;width:${w}px;height:${h}px;background:${tones[rows[i][KIND]][depth < 6 ? depth : 4 + depth % 2]}`;
  e.dataset.row = i;
  if (title && w > 34 && h > 15) {
    const b = document.createElement("b");
    b.textContent = rows[i][NAME];
    if (mode === "icicle") b.style.lineHeight = h + "px";
    if (w > 150) { const s = document.createElement("span"); s.textContent = bytes(rows[i][ALL]); b.append(s); }
    e.append(b);
  }
  view.append(e);
  cells.push([i, x, y, w, h]);
}

const HEAD = 18, PAD = 3, GAP = 1.5, SMALL = 26;
function treemap(root, w, h) {
  const stack = [[root, 0, 0, w, h, 0]];
  while (stack.length) {
    const [i, x, y, bw, bh, depth] = stack.pop();
    if (depth) cell(i, x + GAP / 2, y + GAP / 2, Math.max(bw - GAP, 1), Math.max(bh - GAP, 1), depth - 1, true);
    const head = depth ? HEAD : 0, pad = depth ? PAD : 0;
    const iw = bw - 2 * pad, ih = bh - head - pad;
    if (!below[i].length || iw < SMALL || ih < SMALL) continue;
    const list = below[i].map(k => ({ row: k, sum: rows[k][ALL] })).filter(k => k.sum > 0);
    const inside = list.reduce((a, k) => a + k.sum, 0), whole = Math.max(rows[i][ALL], inside);
    /* What it takes for itself stays free, so that areas can be compared. */
    const used = inside / whole, across = iw >= ih;
    squarify(list, inside, x + pad, y + head, across ? iw * used : iw, across ? ih : ih * used,
      (k, kx, ky, kw, kh) => { if (kw > 2 && kh > 2) stack.push([k.row, kx, ky, kw, kh, depth + 1]); });
  }
}

function icicle(root, w, h) {
  let deep = 1, level = [root];
  while (level.length && deep < 40) {
    level = level.flatMap(i => below[i]).filter(k => rows[k][ALL] * w >= rows[root][ALL]);
    if (level.length) deep++;
  }
  const line = Math.max(20, Math.min(34, Math.floor(h / deep))), stack = [[root, 0, w, 0]];
  while (stack.length) {
    const [i, x, bw, depth] = stack.pop();
    if (depth * line >= h) continue;
    cell(i, x, depth * line, Math.max(bw - 1, .6), line - 1, i === root ? 0 : 1 + depth % 2, true);
    let at = x;
    for (const k of below[i]) {
      const kw = rows[i][ALL] ? bw * rows[k][ALL] / rows[i][ALL] : 0;
      if (kw >= .7) stack.push([k, at, kw, depth + 1]);
      at += kw;
    }
  }
}

let tones = [];
function draw(zoomed) {
  tones = data.kinds.map((_, k) => [0, 1, 2, 3, 4, 5].map(d => tone(k, d)));
  view.textContent = ""; cells = []; here = -1;
  view.style.background = mode === "icicle" ? "none" : "";
  const line = place("path");
  line.textContent = "";
  way(top_).forEach((i, n, all) => {
    if (n) { const mark = document.createElement("i"); mark.textContent = "\u25b8"; line.append(mark); }
    const a = document.createElement(n < all.length - 1 ? "a" : "span");
    a.textContent = rows[i][NAME];
    a.onclick = () => zoom(i);
    line.append(a);
  });
  say(top_);
  /* Measured last: the words above take their room first. */
  const w = view.clientWidth, h = view.clientHeight;
  if (!below[top_].length) cell(top_, 0, 0, w, h, 0, true);
  else (mode === "icicle" ? icicle : treemap)(top_, w, h);
  for (const m of ["treemap", "icicle"]) place("as-" + m).setAttribute("aria-pressed", m === mode);
  if (zoomed) { view.classList.remove("zoom"); void view.offsetWidth; view.classList.add("zoom"); }
}

function say(i) {
  const r = rows[i], line = place("say");
  const word = data.view === "treemap" ? "retains " : "reached through it ";
  line.textContent = "";
  const name = document.createElement("strong");
  name.textContent = way(i).slice(1).map(k => rows[k][NAME]).join(" \u25b8 ") || rows[0][NAME];
  line.append(name, `${word}${bytes(r[ALL])} (${share(r[ALL], rows[0][ALL])})`,
    r[OWN] && r[OWN] !== r[ALL] ? `, ${bytes(r[OWN])} of its own` : "",
    r[OBJECTS] > 1 ? `, ${count(r[OBJECTS])} objects` : "", r[SITE] ? `, made at ${r[SITE]}` : "");
}
function point(i) {
  here = i;
  for (const e of view.children) e.classList.toggle("here", +e.dataset.row === i);
  say(i);
}
function zoom(i) {
  if (i === top_ || !below[i].length) return;
  top_ = i;
  try { history.replaceState(null, "", "#" + i); } catch (e) { /* in a frame: then the address stays */ }
  draw(true);
}

view.onmousemove = e => { const c = e.target.closest(".cell"); if (c && +c.dataset.row !== here) say(+c.dataset.row); };
view.onmouseleave = () => say(here >= 0 ? here : top_);
/* A click goes one level in: to the child of what is shown that the tile lies in. */
view.onclick = e => {
  const c = e.target.closest(".cell");
  if (!c) return;
  let i = +c.dataset.row;
  if (mode === "treemap") { while (i && rows[i][PARENT] !== top_) i = rows[i][PARENT]; }
  if (i === top_ && top_) i = rows[top_][PARENT];
  zoom(i);
};
view.oncontextmenu = e => { e.preventDefault(); zoom(rows[top_][PARENT]); };
document.onkeydown = e => {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
  if (e.key === "Escape" || e.key === "Backspace") { zoom(rows[top_][PARENT]); e.preventDefault(); }
  if (e.key === "Enter" && here >= 0 && e.target.tagName !== "BUTTON") zoom(here);
  if (!step || !cells.length) return;
  e.preventDefault();
  const from = cells.find(c => c[0] === here);
  if (!from) { point(cells[0][0]); return; }
  const middle = c => [c[1] + c[3] / 2, c[2] + c[4] / 2], [fx, fy] = middle(from);
  let best = null, near = Infinity;
  for (const c of cells) {
    const [x, y] = middle(c), ahead = (x - fx) * step[0] + (y - fy) * step[1];
    const aside = Math.abs((x - fx) * step[1]) + Math.abs((y - fy) * step[0]);
    if (ahead > 1 && ahead + 2 * aside < near) { near = ahead + 2 * aside; best = c[0]; }
  }
  if (best !== null) point(best);
};
for (const m of ["treemap", "icicle"]) place("as-" + m).onclick = () => { mode = m; draw(true); };
place("title").textContent = data.program || "Lua heap";
document.title = "Heap of " + (data.program || "a Lua program");
place("facts").textContent = [data.lua, "snapshot " + data.number, "after " + (data.at / 1000).toFixed(1) + " s",
  bytes(data.live) + " live", data.garbage ? bytes(data.garbage) + " of it garbage" : ""].filter(Boolean).join(" \u00b7 ");
data.kinds.forEach((k, i) => {
  const key = document.createElement("span"), u = document.createElement("u");
  key.className = "key"; u.style.background = `hsl(var(--k${i}))`;
  key.append(u, k);
  place("keys").append(key);
});
const asked = +location.hash.slice(1);
if (asked > 0 && asked < rows.length) top_ = asked;
addEventListener("resize", () => draw(false));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw(false));
draw(false);
