// shell.js - what all pages have around their data: tabs, search, keys, light and dark, print. Of the page itself are
// TABS, KEYS, HOW, tools, drawAll, pressed, stageOf, onPaper.
let printing = false;

function drawTabs(size) {
  place("tabs").replaceChildren(...TABS.map(([id, name]) => make("button", { role: "tab", "data-tab": id, "aria-selected": state.tab === id, onclick: () => change({ tab: id }) },
    name, size[id] !== undefined ? make("small", {}, count(size[id])) : null)));
  for (const [id] of TABS) place("v-" + id).classList.toggle("on", state.tab === id);
}
function found() {
  place("found").textContent = !needle() ? "" : hits && hits.includes(1)
    ? `${share(hitShare, 1)} of ${state.metric.name.toLowerCase()} in or under ${many(hitFrames, "frame")}` : "not in the graph";
}

function theme(name) {
  document.documentElement.dataset.theme = name;
  place("theme").textContent = name === "dark" ? "Light" : "Dark";
  mixes.clear();
  readPalette();
  drawAll();
}

function keys() {
  place("keys").append(make("h2", {}, "Keys"), make("dl", {}, ...KEYS.flatMap(([list, text]) => [make("dt", {}, ...list.map(k => k === "\u2026" ? "\u2026 " : make("kbd", {}, k))), make("dd", {}, text)])),
    make("h2", {}, "How to read it"), ...HOW.map(text => make("p", {}, text)),
    make("button", { onclick: () => place("keys").close() }, "Close"));
  place("help").onclick = () => place("keys").showModal();
  document.addEventListener("keydown", e => {
    const typing = e.target.tagName === "INPUT";
    if (e.ctrlKey || e.metaKey || e.altKey || place("keys").open) return;
    if (e.key === "Escape" && typing) { if (e.target.id === "search") { e.target.value = ""; change({ search: "" }); } e.target.blur(); return; }
    if (e.key === "Enter" && e.target.id === "search") { e.target.blur(); if (state.tab === "flame") { flame.focus(); nextHit(false); } return; }
    if (typing) return;
    const tab = TABS[+e.key - 1], list = [...place("metrics").children];
    if (tab) {
      change({ tab: tab[0] });
      const stage = place(stageOf(tab[0]));
      if (stage) stage.focus({ preventScroll: true }); else document.activeElement.blur();
    }
    else if (e.key === "m") list[(list.findIndex(b => b.getAttribute("aria-pressed") === "true") + 1) % list.length].click();
    else if (e.key === "/") place("search").focus();
    else if (e.key === "?") place("keys").showModal();
    else if (e.key === "d") place("theme").click();
    else if (e.key === "i") { if (state.tab !== "flame") change({ tab: "flame" }); place("invert").click(); }
    else if ((e.key === "n" || e.key === "N") && state.tab === "flame") nextHit(e.key === "N");
    else if (e.key === "Escape" && state.search) { place("search").value = ""; change({ search: "" }); }
    else if (!pressed(e)) return;
    e.preventDefault();
  });
}

function startShell() {
  for (const [id, name] of TABS) place("v-" + id).dataset.title = name;
  // First, for what is on a tab is drawn as large as that is; what was found is known last.
  watchers.unshift(f => { if ("tab" in f || "metric" in f || "unit" in f || "range" in f) tools(); });
  watch(found);
  tools();
  keys();
  place("search").oninput = () => change({ search: place("search").value });
  const system = matchMedia("(prefers-color-scheme: dark)");
  place("theme").onclick = () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  system.onchange = () => theme(system.matches ? "dark" : "light");
  // A page that got longer is drawn as before: what is being clicked on must not be replaced.
  let settled = 0, room = "";
  new ResizeObserver(() => {
    const now = [document.documentElement.clientWidth, window.innerHeight].join();
    if (now === room) return;
    room = now;
    cancelAnimationFrame(settled);
    settled = requestAnimationFrame(drawAll);
  }).observe(document.body.parentElement);
  // On paper all of it stands below each other: it is drawn so before.
  const paper = on => { printing = on; document.body.classList.toggle("paper", on); onPaper(on); };
  window.onbeforeprint = () => { paper(true); document.documentElement.dataset.before = document.documentElement.dataset.theme; theme("light"); };
  window.onafterprint = () => { paper(false); theme(document.documentElement.dataset.before); };
  theme(system.matches ? "dark" : "light");
}
