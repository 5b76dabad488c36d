// basics.js - what every page begins with, also that of a heap: its data, elements, how numbers are written.
let data = JSON.parse(document.getElementById("data").textContent);
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
