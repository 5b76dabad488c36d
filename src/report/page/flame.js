// flame.js - the call tree as an icicle: each frame as wide as what it and all it called made.
// A frame spans [from, to) of the whole, 0 to 1; a zoom is a window on that. What it is about is the page's:
// COLOURS, graphValues, graphOthers, kindsBelow, kindOf, frameColour, frameWords, siteCount, openFrame.
const flame = place("flame"), LINE = 20, NARROW = .6;
let root = null, rootKey = "", win = [0, 1], zoomed = null, chosen = null, hovered = null, inverted = false;
let colours = COLOURS[0][0], drawn = [], motion = 0;
const backs = [];

// ---- nodes: of the call tree, or, where there are no paths, of files and their lines -----------

const nodes = { keys: [] }, keyNumbers = new Map();
// Of a frame's name and place; the same in new data.
function keyOf(func, src, line, site, extra) {
  const id = func + "\n" + src + "\n" + line + "\n" + (extra || ""), key = keyNumbers.get(id) ?? nodes.keys.length;
  keyNumbers.set(id, key);
  nodes.keys[key] = { func, where: whereOf(src, line), site, extra };
  return key;
}
function readTree() {
  const t = data.tree;
  Object.assign(nodes, { parent: [], key: [], site: [], joined: [] });
  if (t) {
    const rows = t.func.length;
    for (let i = 0; i < t.parent.length; i++) {
      const joined = i >= rows;
      nodes.parent.push(i - t.parent[i]);
      nodes.site.push(joined ? -1 : t.site[i] - 1);
      nodes.key.push(i === 0 ? keyOf(data.program || "all", "", -1, -1, "root") : joined
        ? keyOf("\u2026", "", -1, -1, "joined") : keyOf(word(t.func[i]), word(t.src[i]), t.line[i], t.site[i] - 1));
      nodes.joined.push(joined ? t.joined[i - rows] : 0);
    }
    return "tree";
  }
  const files = new Map();
  const put = (parent, key, site) => { nodes.parent.push(parent); nodes.key.push(key); nodes.site.push(site); nodes.joined.push(0); return nodes.parent.length - 1; };
  put(0, keyOf(data.program || "all", "", -1, -1, "root"), -1);
  nodes.row = [-1];
  for (let i = 0; i < siteCount(); i++) {
    const src = i < siteRows ? word(sites.src[i]) : "(others)";
    if (!files.has(src)) { files.set(src, put(0, keyOf(src, "", -1, -1, "file"), -1)); nodes.row.push(-1); }
    put(files.get(src), i < siteRows ? keyOf(siteFunc(i), src, sites.line[i], i) : keyOf("\u2026", "", -1, -1, "joined"), i < siteRows ? i : -1);
    nodes.row.push(i);
  }
  return "sites";
}
let treeKind = "";

// Of rows of figures those of the nodes.
function ofNodes(c) {
  return treeKind === "tree" || !c ? c : Float64Array.from(nodes.row, r => r < 0 ? 0 : c[r]);
}
const ownValues = () => ofNodes(graphValues()); // what each made itself, of the figure that is shown

// Bytes grown can be negative: a frame is never narrower than nothing.
const positive = n => n > 0 ? n : 0;

function frame(up, key, total, from, width) {
  return { up, key, total, other: 0, own: 0, from, to: from + width, depth: up ? up.depth + 1 : 0, kids: null, site: -1, joined: 0, kinds: null };
}

// `others`: what each is compared with; null: with nothing.
function buildForward(own, others) {
  const n = own.length, sum = Float64Array.from(own, positive), other = Float64Array.from(others || [], positive), first = new Int32Array(n + 1), list = new Int32Array(n);
  for (let i = n - 1; i > 0; i--) { sum[nodes.parent[i]] += sum[i]; if (others) other[nodes.parent[i]] += other[i]; }
  for (let i = 1; i < n; i++) first[nodes.parent[i] + 1]++;
  for (let i = 0; i < n; i++) first[i + 1] += first[i];
  const at = first.slice();
  for (let i = 1; i < n; i++) list[at[nodes.parent[i]]++] = i;
  const all = new Array(n), best = kindsBelow(own, n);
  all[0] = frame(null, nodes.key[0], sum[0], 0, 1);
  const kidsOf = i => list.subarray(first[i], first[i + 1]);
  const order = [0];
  for (let o = 0; o < order.length; o++) {
    const i = order[o], f = all[i];
    f.own = positive(own[i]); f.site = nodes.site[i]; f.joined = nodes.joined[i]; f.kind = best ? best[i] : 5; f.other = others ? other[i] : 0;
    const kids = Array.from(kidsOf(i)).filter(k => sum[k] > 0).sort((a, b) => sum[b] - sum[a] || a - b);
    let x = f.from;
    f.kids = kids.map(k => {
      const width = sum[0] ? sum[k] / sum[0] : 0;
      all[k] = frame(f, nodes.key[k], sum[k], x, width);
      x += width;
      return all[k];
    });
    for (const k of kids) order.push(k);
  }
  return all[0];
}

// What a C function makes is its caller's line's.
const siteOf = i => nodes.site[i] < 0 && i ? nodes.site[nodes.parent[i]] : nodes.site[i];

// Who made it first, then who called that: opened where it is wide enough to be seen.
// Of what is not there any more only those are shown that something else of their name stands for.
function buildInverted(own, others) {
  let sum = 0;
  for (const v of own) sum += positive(v);
  const top = frame(null, nodes.key[0], sum, 0, 1);
  top.kind = 5; top.other = others ? others.reduce((a, v) => a + positive(v), 0) : 0;
  top.open = () => group(top, Array.from(own.keys()).filter(i => i > 0 && (own[i] > 0 || (others && others[i] > 0)))
    .map(i => [i, positive(own[i]), others ? positive(others[i]) : 0]), sum);
  return top;
}
function group(up, list, whole) {
  const by = new Map();
  for (const entry of list) {
    const key = nodes.key[entry[0]];
    if (!by.has(key)) by.set(key, []);
    by.get(key).push(entry);
  }
  const kids = Array.from(by, ([key, of]) => [key, of, of.reduce((a, e) => a + e[1], 0)]).filter(k => k[2] > 0).sort((a, b) => b[2] - a[2] || a[0] - b[0]);
  let x = up.from;
  return kids.map(([key, of, sum]) => {
    const f = frame(up, key, sum, x, sum / whole);
    x = f.to;
    f.site = siteOf(of[0][0]);
    f.kind = up.up ? up.kind : kindOf(f.site);
    f.other = of.reduce((a, e) => a + e[2], 0);
    f.own = up.up ? 0 : sum;
    f.open = () => group(f, of.filter(e => nodes.parent[e[0]] > 0).map(e => [nodes.parent[e[0]], e[1], e[2]]), whole);
    return f;
  });
}
const kidsOf = f => f.kids || (f.kids = f.open ? f.open() : []);

// The frame that a way of keys leads to, as far as that is there.
function alongWay(way) {
  let at = root, steps = 0;
  for (const key of way || []) {
    const next = kidsOf(at).find(f => f.key === key);
    if (!next) break;
    at = next; steps++;
  }
  return { at, whole: Boolean(way) && steps === way.length };
}

function build() {
  const key = [graphKey(), inverted, state.version].join();
  if (key === rootKey) return;
  const keep = [zoomed, chosen, hovered].map(f => f && wayTo(f).slice(1).map(f => f.key));
  rootKey = key;
  const own = ownValues(), others = ofNodes(graphOthers());
  root = inverted ? buildInverted(own, others) : buildForward(own, others);
  backs.length = 0; motion++;
  const [zoom, choice, hover] = keep.map(alongWay);
  zoomed = zoom.at; chosen = choice.whole ? choice.at : null; hovered = hover.whole ? hover.at : null;
  win = [zoomed.from, zoomed.to];
  search();
}
const wayTo = f => { const list = []; for (; f; f = f.up) list.unshift(f); return list; };
const nameOf = f => nodes.keys[f.key].extra === "joined" ? (f.joined ? many(f.joined, "more path") : "more") : nodes.keys[f.key].func;
const textOf = f => { const k = nodes.keys[f.key]; return k.where ? `${nameOf(f)}  ${k.where}` : nameOf(f); };

// ---- search: which keys match, and what share of all is in or below them ----------------------

let hits = null, hitShare = 0, hitFrames = 0;
function search() {
  hits = null; hitShare = hitFrames = 0;
  if (!needle() || !root) return;
  hits = Uint8Array.from(nodes.keys, k => k.extra === "joined" || k.extra === "root" ? 0 : matches(`${k.func} ${k.where}`) ? 1 : 0);
  if (!hits.includes(1)) return;
  const own = ownValues(), n = own.length, below = new Uint8Array(n);
  let sum = 0, all = 0;
  for (let i = 0; i < n; i++) { // parents come first
    const is = hits[nodes.key[i]];
    below[i] = is || (i && below[nodes.parent[i]]);
    if (is) hitFrames++;
    if (own[i] > 0) { all += own[i]; if (below[i]) sum += own[i]; }
  }
  hitShare = all ? sum / all : 0;
}
// The next match from the chosen frame on, by what is drawn; too narrow ones by their nearest.
function nextHit(back) {
  if (!hits) return;
  const list = [], stack = [root];
  while (stack.length && list.length < 5000) {
    const f = stack.pop();
    if (hits[f.key]) list.push(f);
    if (f.to - f.from > 1e-5) stack.push(...kidsOf(f).slice().reverse());
  }
  if (!list.length) return;
  const at = list.indexOf(chosen), next = list[(at + (back ? -1 : 1) + list.length) % list.length];
  if (next.to - next.from < (win[1] - win[0]) * 8 / flame.clientWidth || next.from < win[0] || next.to > win[1]) zoom(next.up || next);
  choose(next);
}

// ---- drawing ----------------------------------------------------------------------------------

function fillOf(f) {
  if (!f.up) return palette.soft;
  return nodes.keys[f.key].extra === "joined" ? palette.line : frameColour(f);
}

function fileColour(f) {
  const k = nodes.keys[f.key];
  let h = 0;
  for (const c of k.where.replace(/:\d+$/, "") || k.func) h = (h * 31 + c.codePointAt(0)) >>> 0;
  return palette.kinds[h % 5];
}

function layOut(width) { // rectangles within the window: frame or null (those too narrow), x, width, depth
  const out = [], stack = [root], scale = width / (win[1] - win[0]);
  while (stack.length) {
    const f = stack.pop(), x0 = Math.max(0, (f.from - win[0]) * scale), x1 = Math.min(width, (f.to - win[0]) * scale);
    out.push([f, x0, x1 - x0, f.depth]);
    const kids = kidsOf(f);
    for (let i = 0; i < kids.length; i++) {
      const k = kids[i];
      if (k.to <= win[0] || k.from >= win[1]) continue;
      const wide = (k.to - k.from) * scale;
      if (wide >= NARROW) { stack.push(k); continue; }
      const from = Math.max(0, (k.from - win[0]) * scale), to = Math.min(width, (kids[kids.length - 1].to - win[0]) * scale);
      if (to - from >= NARROW) out.push([null, from, to - from, f.depth + 1, kids.length - i, f]);
      break;
    }
  }
  return out;
}

function drawFlame() {
  if (state.tab !== "flame" && !printing) return;
  build();
  const width = flame.clientWidth, rects = layOut(width);
  let deep = 0;
  for (const r of rects) deep = Math.max(deep, r[3] + 1);
  const high = Math.max(deep * LINE + 2, 120), most = Math.max(200, Math.round(window.innerHeight * .74));
  const shown = Math.min(high, printing ? high : most), scroll = Math.min(flame.scrollTop, Math.max(0, high - shown));
  flame.style.height = shown + "px";
  const g = canvasOf(flame, flame.clientWidth, shown), canvas = g.canvas;
  canvas.style.position = "sticky"; canvas.style.top = "0";
  let pad = flame.querySelector("div");
  if (!pad) flame.append(pad = make("div"));
  pad.style.height = high - shown + "px";
  g.font = "12px " + SANS; g.textBaseline = "middle";
  drawn = [];
  for (const [f, x, w, depth, more, up] of rects) {
    const y = depth * LINE - scroll;
    if (y < -LINE || y > shown) continue;
    drawn.push([f, x, y, w, more, up]);
    if (!f) { g.fillStyle = palette.line; g.fillRect(x, y, Math.max(w - .5, .5), LINE - 1); continue; }
    const is = hits && hits[f.key], same = chosen && chosen.up && f.key === chosen.key;
    g.globalAlpha = hits && !is ? .38 : f.depth < zoomed.depth ? .55 : 1;
    g.fillStyle = is ? palette.hit : fillOf(f);
    g.fillRect(x, y, w > 3 ? w - 1 : Math.max(w - .3, .5), LINE - 1);
    if (same && w > 2) { g.globalAlpha = 1; g.fillStyle = palette.accent; g.fillRect(x, y + LINE - 3, w - 1, 2); }
    if (w > 28) {
      g.fillStyle = is ? "#1f2126" : f.up && nodes.keys[f.key].extra !== "joined" ? palette.on : palette.ink;
      const name = fit(g, nameOf(f), w - 10), where = nodes.keys[f.key].where;
      g.fillText(name, x + 5, y + LINE / 2);
      const used = g.measureText(name).width + 18;
      if (where && name === nameOf(f) && w - used > 60) {
        const alpha = g.globalAlpha;
        g.globalAlpha = alpha * .66; g.fillText(fit(g, where, w - used - 4), x + used - 5, y + LINE / 2); g.globalAlpha = alpha;
      }
    }
    g.globalAlpha = 1;
  }
  for (const [f, colour] of [[hovered, palette.ink], [chosen, palette.accent]]) {
    const r = f && drawn.find(d => d[0] === f);
    if (r) { g.strokeStyle = colour; g.lineWidth = f === chosen ? 2 : 1; g.strokeRect(r[1] + .5, r[2] + .5, Math.max(r[3] - 2, 1), LINE - 2); }
  }
  sayFrame();
  crumbs();
}

function sayFrame() {
  const f = hovered || chosen || zoomed, line = place("flame-say");
  if (!root.total) { line.textContent = nothingWords(); return; }
  const k = nodes.keys[f.key];
  line.replaceChildren(make("strong", {}, nameOf(f)), k.where ? ` ${k.where}` : "", make("br"),
    ...frameWords(f), `, ${share(f.total, root.total)} of all`,
    f.up && f.up.up ? `, ${share(f.total, f.up.total)} of what ${inverted ? "is above" : "called it"}` : "",
    f.own && f.own !== f.total ? `, ${unitWord(f.own)} by its own lines` : "");
  if (k.site >= 0) line.append(" \u00b7 ", make("a", { onclick: () => openFrame(k.site) }, openWord));
}
function crumbs() {
  const way = wayTo(zoomed), list = [];
  const shown = way.length > 7 ? [...way.slice(0, 2), null, ...way.slice(-4)] : way;
  for (const f of shown) {
    if (list.length) list.push(" \u25b8 ");
    list.push(!f ? "\u2026" : f === zoomed ? nameOf(f) : make("a", { onclick: () => zoom(f) }, nameOf(f)));
  }
  place("crumbs").replaceChildren(...list);
}

// ---- moving about -----------------------------------------------------------------------------

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
function zoom(f, noBack) {
  if (!f || f === zoomed) return;
  if (!noBack) backs.push(zoomed);
  zoomed = f;
  const from = win.slice(), to = [f.from, f.to], begin = performance.now(), turn = ++motion;
  const step = now => {
    if (turn !== motion) return;
    const t = still() ? 1 : Math.min(1, (now - begin) / 160), e = 1 - (1 - t) ** 3;
    win = t === 1 ? to : from.map((v, i) => v + (to[i] - v) * e);
    drawFlame();
    if (t < 1) requestAnimationFrame(step);
  };
  step(still() ? Infinity : begin);
  if (!still()) requestAnimationFrame(step);
}
function zoomBack() {
  if (backs.length) { zoom(backs.pop(), true); return true; }
  if (zoomed !== root) { zoom(root, true); return true; }
  return false;
}
function choose(f) {
  chosen = f; hovered = null;
  const y = f.depth * LINE;
  if (y < flame.scrollTop) flame.scrollTop = y;
  if (y + LINE > flame.scrollTop + flame.clientHeight) flame.scrollTop = y + LINE - flame.clientHeight;
  drawFlame();
}
function frameAt(e) {
  const box = flame.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
  const hit = drawn.find(d => x >= d[1] && x < d[1] + d[3] && y >= d[2] && y < d[2] + LINE);
  return hit ? hit[0] || { few: hit } : null;
}
function beside(step) { // the next frame of its row that is drawn
  const row = drawn.filter(d => d[0] && d[0].depth === chosen.depth).sort((a, b) => a[1] - b[1]);
  const at = row.findIndex(d => d[0] === chosen), next = row[at + step];
  return next && next[0];
}

function startFlame() {
  treeKind = readTree();
  flame.onmousemove = e => {
    const f = frameAt(e);
    flame.style.cursor = f ? "pointer" : "";
    if (f && f.few) {
      place("flame-say").replaceChildren(make("strong", {}, many(f.few[4], "frame")), " too narrow to draw: zoom in, or search",
        make("br"), `called by ${nameOf(f.few[5])}`);
      return;
    }
    if (f !== hovered) { hovered = f; drawFlame(); }
  };
  flame.onmouseleave = () => { if (hovered) { hovered = null; drawFlame(); } };
  flame.onclick = e => {
    const f = frameAt(e);
    if (!f) return;
    if (f.few) { zoom(f.few[5]); return; }
    chosen = f;
    if (f === zoomed) zoomBack() || drawFlame(); else zoom(f);
  };
  flame.onscroll = () => drawFlame();
  flame.onkeydown = e => {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    const f = chosen || zoomed;
    let to = null;
    if (e.key === "ArrowDown") to = chosen ? kidsOf(f)[0] : f;
    else if (e.key === "ArrowUp") to = f.up;
    else if (e.key === "ArrowLeft") to = chosen ? beside(-1) : f;
    else if (e.key === "ArrowRight") to = chosen ? beside(1) : f;
    else if (e.key === "Home") to = root;
    else if (e.key === "Enter") zoom(f);
    else if (e.key === "Escape" || e.key === "Backspace") { if (!zoomBack()) { if (!chosen) return; chosen = null; drawFlame(); } }
    else if (e.key === "o") { const s = nodes.keys[f.key].site; if (s >= 0) openFrame(s); }
    else if (e.key === "n" || e.key === "N") nextHit(e.key === "N");
    else return;
    e.preventDefault(); e.stopPropagation();
    if (to) {
      if (to.from < win[0] - 1e-12 || to.to > win[1] + 1e-12 || to.depth < zoomed.depth) zoom(to);
      choose(to);
    }
  };
  place("colours").append(...COLOURS.map(([id, name]) => make("button", { "aria-pressed": id === colours, "data-id": id, onclick: () => {
    colours = id;
    for (const b of place("colours").children) b.setAttribute("aria-pressed", b.dataset.id === id);
    drawFlame();
  } }, name)));
  place("invert").onclick = () => {
    inverted = !inverted; zoomed = chosen = hovered = null;
    place("invert").setAttribute("aria-pressed", inverted);
    drawFlame();
  };
  watch(f => { if ("search" in f) search(); if (!("tab" in f) || f.tab === "flame") drawFlame(); });
}
