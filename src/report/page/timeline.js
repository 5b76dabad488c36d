// timeline.js - the heap over time by type, collector cycles, marks, and the range chosen in it.
const chart = place("chart"), LEFT = 0, FOOT = 34, HEAD = 18, CYCLE_WIDTH = 4, CYCLE_TALL = 12;
let cursor = null, drag = null, time, lastNs;
// A run of less than one step of its timeline is drawn over the steps that there are.
function readTime() {
  time = data.time;
  lastNs = Math.max(data.seconds * 1e9, time ? time.last.length * time.step : 0, 1);
  place("time").style.display = time ? "" : "none";
}
const xOf = ns => LEFT + (chart.clientWidth - LEFT) * Math.min(ns / lastNs, 1);
const nsOf = x => Math.max(0, Math.min(lastNs, (x - LEFT) / Math.max(chart.clientWidth - LEFT, 1) * lastNs));
const stepAt = ns => Math.max(0, Math.min(time.last.length - 1, Math.floor(ns / time.step)));

function niceStep(range, most, base) {
  const rough = range / most, scale = base ** Math.floor(Math.log(rough) / Math.log(base));
  for (const f of base === 2 ? [1, 2] : [1, 2, 5, 10]) if (f * scale >= rough) return f * scale;
  return base * scale;
}

// The collector's cycles as bars of at least this width: from, to, and how tall, the most of any interval being
// `most`. All of the run in one measure: one cycle is as tall wherever it was.
function cycleBars(width, most) {
  const n = time.last.length, steps = Math.max(1, Math.ceil(nsOf(LEFT + width) / time.step)), bars = [];
  for (let i = 0, before = 0; i < n; i += steps) {
    const end = Math.min(i + steps, n), now = end === n ? Math.max(data.all.cycles, time.cycles[n - 1]) : time.cycles[end - 1];
    if (now > before) bars.push([i * time.step, Math.min((i + steps) * time.step, lastNs), now - before]);
    before = now;
  }
  const high = Math.max(...bars.map(b => b[2]), 1);
  return bars.map(([from, to, count]) => [from, to, Math.max(1, Math.round(most * count / high)), count]);
}

function drawTimeline() {
  const w = chart.clientWidth, h = chart.clientHeight, g = canvasOf(chart, w, h);
  const bottom = h - FOOT, top = HEAD, high = Math.max(...time.max, 1), yOf = n => bottom - (bottom - top) * n / high;
  g.font = "11.5px " + SANS;
  // areas, one on the other
  const n = time.last.length, base = new Float64Array(n), half = i => xOf((i + .5) * time.step);
  // types are of the tick nearest to a step's largest: in proportion they fill just that
  const scale = time.max.map((m, i) => m / Math.max(1, time.types.reduce((a, t) => a + t[i], 0)));
  for (const k of [4, 0, 1, 2, 3, 5]) {
    g.beginPath();
    g.moveTo(xOf(0), yOf(base[0]));
    for (let i = 0; i < n; i++) g.lineTo(half(i), yOf(base[i]));
    g.lineTo(xOf(lastNs), yOf(base[n - 1]));
    for (let i = 0; i < n; i++) base[i] += time.types[k][i] * scale[i];
    g.lineTo(xOf(lastNs), yOf(base[n - 1]));
    for (let i = n - 1; i >= 0; i--) g.lineTo(half(i), yOf(base[i]));
    g.lineTo(xOf(0), yOf(base[0]));
    g.closePath();
    g.fillStyle = palette.kinds[k];
    g.fill();
  }
  // what the whole reached
  g.beginPath();
  for (let i = 0; i < n; i++) g[i ? "lineTo" : "moveTo"](half(i), yOf(time.max[i]));
  g.strokeStyle = palette.ink; g.globalAlpha = .55; g.lineWidth = 1; g.stroke(); g.globalAlpha = 1;
  // amounts
  const amount = niceStep(high, 3.2, 2);
  g.textBaseline = "alphabetic"; g.textAlign = "left";
  for (let v = amount; v <= high; v += amount) {
    g.strokeStyle = palette.ink; g.globalAlpha = .12;
    g.beginPath(); g.moveTo(LEFT, Math.round(yOf(v)) + .5); g.lineTo(w, Math.round(yOf(v)) + .5); g.stroke();
    g.globalAlpha = 1; g.fillStyle = palette.dim;
    g.fillText(bytes(v), LEFT + 2, yOf(v) - 4);
  }
  // times
  const tick = niceStep(lastNs, Math.max(2, w / 110), 10);
  g.fillStyle = palette.dim; g.textBaseline = "top";
  for (let t = 0; t <= lastNs * 1.0001; t += tick) {
    const x = xOf(t);
    g.textAlign = t === 0 ? "left" : x > w - 30 ? "right" : "center";
    g.fillText(t ? span(t) : "0", x, bottom + 19);
  }
  // collector cycles: how many there were in each interval
  g.fillStyle = palette.dim;
  for (const [from, to, tall] of cycleBars(CYCLE_WIDTH, CYCLE_TALL))
    g.fillRect(xOf(from), bottom + 3, Math.max(1, xOf(to) - xOf(from) - 1), tall);
  g.strokeStyle = palette.line; g.beginPath(); g.moveTo(LEFT, bottom + .5); g.lineTo(w, bottom + .5); g.stroke();
  // peak and marks
  const [from, to] = data.peak_at ? label(g, xOf(data.peak_at), yOf(data.all.peak), "peak " + bytes(data.all.peak), w) : [w, w];
  g.textBaseline = "top";
  let until = -1;
  for (const [at, name] of data.marks) {
    const x = Math.round(xOf(at)) + .5;
    g.strokeStyle = palette.accent; g.setLineDash([2, 3]);
    g.beginPath(); g.moveTo(x, top - 4); g.lineTo(x, bottom); g.stroke(); g.setLineDash([]);
    const wide = g.measureText(name).width, left = x > w - 60 ? x - 4 - wide : x + 4;
    g.fillStyle = palette.accent; g.textAlign = "left";
    if (left > until && (left > to || left + wide < from)) { g.fillText(name, left, top - 14); until = left + wide + 10; }
  }
  // the range, and what is under the cursor
  if (state.range) {
    const [a, b] = state.range.map(xOf);
    g.fillStyle = palette.paper; g.globalAlpha = .72;
    g.fillRect(0, 0, a, bottom); g.fillRect(b, 0, w - b, bottom);
    g.globalAlpha = 1; g.fillStyle = palette.accent;
    g.fillRect(a - 1, top - 6, 2, bottom - top + 6); g.fillRect(b - 1, top - 6, 2, bottom - top + 6);
    for (const x of [a, b]) { g.beginPath(); g.arc(x, top - 6, 4, 0, 7); g.fill(); }
  }
  if (cursor !== null) {
    const x = Math.round(xOf(cursor)) + .5;
    g.strokeStyle = palette.ink; g.globalAlpha = .5;
    g.beginPath(); g.moveTo(x, 0); g.lineTo(x, bottom + 14); g.stroke(); g.globalAlpha = 1;
  }
}

// Returns from where to where it stands.
function label(g, x, y, text, w) {
  const wide = g.measureText(text).width, right = x + wide + 12 > w;
  g.fillStyle = palette.ink; g.beginPath(); g.arc(x, y, 3, 0, 7); g.fill();
  g.textAlign = right ? "right" : "left"; g.textBaseline = "middle";
  const tx = x + (right ? -7 : 7), ty = Math.max(y - 8, 8);
  g.lineWidth = 3; g.strokeStyle = palette.paper; g.strokeText(text, tx, ty);
  g.lineWidth = 1; g.fillText(text, tx, ty);
  return right ? [tx - wide - 4, tx + 4] : [tx - 4, tx + wide + 4];
}

function drawLegend() {
  const at = cursor === null ? null : stepAt(cursor);
  const list = [4, 0, 1, 2, 3, 5].map(k => make("span", {},
    make("i", { style: `background:${palette.kinds[k]};box-shadow:inset 0 0 0 1px ${palette.strong[k]}` }), kindNames[k],
    make("b", {}, bytes(at === null ? data.types[k].live : time.types[k][at]))));
  place("legend").replaceChildren(make("span", { class: "at" },
    at === null ? data.running ? "now" : "at the end" : `at ${span(cursor)}`, make("b", {}, bytes(at === null ? data.all.live : time.last[at]))), ...list);
}

// What happened between two moments, by the timeline.
function between([a, b]) {
  const i = stepAt(a), k = stepAt(b), before = name => i ? time[name][i - 1] : 0;
  const of = name => time[name][k] - before(name);
  return { made: of("made"), freed: of("freed"), allocs: of("allocs"), frees: of("frees"),
    cycles: time.cycles[k] - (i ? time.cycles[i - 1] : 0), grew: time.last[k] - (i ? time.last[i - 1] : 0),
    high: Math.max(...time.max.slice(i, k + 1)) };
}

function sayRange() {
  const r = state.range, p = place("between");
  place("whole").disabled = !r;
  const seconds = ns => String(+(ns / 1e9).toFixed(3));
  for (const [id, ns] of [["from", r ? r[0] : 0], ["to", r ? r[1] : lastNs]])
    if (document.activeElement !== place(id)) place(id).value = seconds(ns) + " s";
  const a = data.all, all = { made: a.made, freed: a.freed, cycles: a.cycles, grew: a.live, high: a.peak };
  const is = r ? between(r) : all, sign = is.grew > 0 ? "grew " : is.grew < 0 ? "shrank " : "grew ";
  const b = text => make("b", {}, text);
  p.replaceChildren("allocated ", b(bytes(is.made)), " \u00b7 freed ", b(bytes(is.freed)), ` \u00b7 ${sign}`, b(bytes(Math.abs(is.grew))),
    " \u00b7 at most ", b(bytes(is.high)), ` \u00b7 ${many(is.cycles, "collector cycle")}`);
}

function setRange(a, b) {
  if (a > b) [a, b] = [b, a];
  change({ range: b - a < lastNs / 2000 || (a <= 0 && b >= lastNs) ? null : [Math.max(0, a), Math.min(b, lastNs)] });
}

function seconds(text) { // "1.5", "1.5 s", "200 ms", "2:30"
  const m = /^\s*(?:(\d+):)?(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|min)?\s*$/.exec(text);
  return m ? ((m[1] || 0) * 60 + +m[2] * ({ ms: 1e-3, min: 60 }[m[3]] || 1)) * 1e9 : null;
}

function startTimeline() {
  readTime();
  const at = e => nsOf(e.clientX - chart.getBoundingClientRect().left);
  const grip = e => {
    if (!state.range) return null;
    const x = e.clientX - chart.getBoundingClientRect().left, near = state.range.map(ns => Math.abs(xOf(ns) - x));
    return Math.min(...near) < 8 ? state.range[near[0] < near[1] ? 1 : 0] : null;
  };
  chart.onpointerdown = e => {
    if (e.button) return;
    drag = { from: grip(e) ?? at(e), x: e.clientX, far: false };
    chart.setPointerCapture(e.pointerId);
  };
  chart.onpointermove = e => {
    cursor = at(e);
    if (drag && Math.abs(e.clientX - drag.x) > 3) drag.far = true;
    if (drag && drag.far) setRange(drag.from, cursor);
    else drawTimeline();
    drawLegend();
  };
  chart.onpointerup = () => { drag = null; };
  chart.onpointerleave = () => { cursor = null; drawTimeline(); drawLegend(); };
  chart.ondblclick = () => change({ range: null });
  chart.onkeydown = e => {
    const step = lastNs / (e.shiftKey ? 10 : 100), now = cursor ?? 0;
    if (e.key === "ArrowRight") cursor = Math.min(lastNs, now + step);
    else if (e.key === "ArrowLeft") cursor = Math.max(0, now - step);
    else if (e.key === "Home") cursor = 0;
    else if (e.key === "End") cursor = lastNs;
    else if (e.key === "[") setRange(now, state.range ? Math.max(state.range[1], now) : lastNs);
    else if (e.key === "]") setRange(state.range ? Math.min(state.range[0], now) : 0, now);
    else if (e.key === "Escape") { if (!state.range) return; change({ range: null }); }
    else return;
    e.preventDefault(); e.stopPropagation();
    drawTimeline(); drawLegend();
  };
  for (const id of ["from", "to"])
    place(id).onchange = () => {
      const ns = ["from", "to"].map(k => seconds(place(k).value));
      for (const [i, k] of ["from", "to"].entries()) place(k).classList.toggle("bad", ns[i] === null);
      if (ns[0] !== null && ns[1] !== null) { place(id).blur(); setRange(ns[0], ns[1]); }
    };
  place("range").onsubmit = e => { e.preventDefault(); document.activeElement.blur(); };
  place("whole").onclick = () => change({ range: null });
  watch(f => { if (time && "range" in f) { drawTimeline(); sayRange(); } });
}
