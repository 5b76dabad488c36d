// core.js - what all pages share: the data, what is shown of it, how numbers are written, colours.
const data = JSON.parse(document.getElementById("data").textContent);
const place = id => document.getElementById(id);
const word = i => data.words[i];

function make(tag, fields = {}, ...inside) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(fields)) {
    if (key === "class") e.className = value;
    else if (key.startsWith("on")) e[key] = value;
    else e.setAttribute(key, value);
  }
  e.append(...inside.filter(x => x !== null && x !== undefined));
  return e;
}

// ---- numbers ----------------------------------------------------------------------------------

function parts(n) { // of bytes: number, unit
  const unit = ["B", "KiB", "MiB", "GiB", "TiB"], sign = n < 0 ? "\u2212" : "";
  let u = 0;
  for (n = Math.abs(n); n >= 1023.95 && u < 4; n /= 1024) u++;
  return [sign + (u ? n.toFixed(1) : Math.round(n)), unit[u]];
}
const bytes = n => parts(n).join(" ");
const count = n => (n < 0 ? "\u2212" : "") + Math.abs(Math.round(n)).toLocaleString("en");
const many = (n, one, more = one + "s") => `${count(n)} ${n === 1 ? one : more}`;
function share(part, whole) {
  const p = whole > 0 ? part * 100 / whole : 0;
  return `${p !== 0 && p < 9.95 ? p.toFixed(1) : Math.round(p)} %`;
}
function span(ns) {
  const s = ns / 1e9;
  if (s < 1e-3) return `${Math.round(s * 1e6)} \u00b5s`;
  if (s < 1) return `${(s * 1e3).toFixed(s < .01 ? 1 : 0)} ms`;
  if (s < 60) return `${s.toFixed(s < 10 ? 2 : 1)} s`;
  if (s < 3600) return `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")} min`;
  return `${Math.floor(s / 3600)}:${String(Math.floor(s / 60 % 60)).padStart(2, "0")}:${String(Math.floor(s % 60)).padStart(2, "0")} h`;
}

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
