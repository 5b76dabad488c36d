// core.js - what the pages of runs share: what is shown of the data, colours, canvases.
// ---- what is shown ----------------------------------------------------------------------------

// `settle`, of each page by itself, has what follows from a change.
const state = { metric: null, unit: "bytes", tab: "flame", search: "", range: null, version: 0 };
const watchers = [];
const watch = f => watchers.push(f);
function change(fields) {
  Object.assign(state, fields);
  settle(fields);
  if ("metric" in fields || "unit" in fields || "range" in fields) state.version++;
  for (const f of watchers) f(fields);
}
const whereOf = (src, line) => line >= 0 ? `${src}:${line}` : src;
const total = c => c.reduce((a, n) => a + n, 0);

// ---- search -----------------------------------------------------------------------------------

const needle = () => state.search.trim().toLowerCase();
const matches = text => text.toLowerCase().includes(needle());
function lit(text) { // with what is searched for marked
  const what = needle(), at = what ? text.toLowerCase().indexOf(what) : -1;
  if (at < 0) return [text];
  return [text.slice(0, at), make("mark", {}, text.slice(at, at + what.length)), text.slice(at + what.length)];
}

// ---- drawing ----------------------------------------------------------------------------------

const css = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
let palette = {};
function readPalette() {
  palette = { kinds: [0, 1, 2, 3, 4, 5].map(k => css("k" + k)), strong: [0, 1, 2, 3, 4, 5].map(k => css("s" + k)) };
  for (const name of ["paper", "raise", "ink", "dim", "faint", "line", "soft", "accent", "accent-soft", "hit", "on", "grew", "shrank"]) palette[name] = css(name);
}
const SANS = 'system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif';

const mixes = new Map();
function mix(a, b, t) {
  const key = a + b + Math.round(t * 32);
  if (!mixes.has(key)) {
    const rgb = c => [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16)), [x, y] = [rgb(a), rgb(b)];
    mixes.set(key, "#" + x.map((v, i) => Math.round(v + (y[i] - v) * t).toString(16).padStart(2, "0")).join(""));
  }
  return mixes.get(key);
}

// A canvas as large as its place, in units of the page.
function canvasOf(stage, width, height) {
  const canvas = stage.querySelector("canvas"), ratio = window.devicePixelRatio || 1;
  const w = Math.round(width * ratio), h = Math.round(height * ratio);
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  canvas.style.width = width + "px"; canvas.style.height = height + "px";
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return g;
}
// A text in so much room: of a name the end tells more.
function fit(g, text, room) {
  const whole = g.measureText(text).width;
  if (whole <= room) return text;
  let keep = Math.floor(text.length * room / whole);
  while (keep > 1 && g.measureText("\u2026" + text.slice(-keep)).width > room) keep--;
  return keep > 1 ? "\u2026" + text.slice(-keep) : "";
}
