// live.js - the page of a program that runs (lmp serve): new data each second, until the program or the server ends.
// Who holds the page, or presses a button of the mouse, has the figures of that moment until then.
const LOST = "The server does not answer: these are its last figures.", FULL = "Too many pages are open: this one has no new figures.";
const token = location.hash.slice(1), ASKS = [["pause", "Pause"], ["step", "Step"], ["collect", "Collect"], ["mark", "Mark"]];
let held = false, pressing = false, newest = null, ended = false, lost = "";

// A row of a table, by its words: where it stands changes.
const rowWords = (view, i) => i >= 0 ? view.words(i).join("\n") : null;
const rowOf = (view, words) => words === null ? -1 : Array.from({ length: view.rows }, (_, i) => i).find(i => rowWords(view, i) === words) ?? -1;

function take(next) {
  const views = Object.values(VIEWS), chosen = views.map(v => rowWords(v, v.chosen)), at = document.activeElement;
  const box = at.closest("main > section"), row = at.closest("tr.row"), view = row && VIEWS[box.id.slice(2)], focus = row && rowWords(view, +row.dataset.row);
  const tileWords = [tileChosen, tileHovered].map(i => rowWords(VIEWS.sites, i < siteRows ? i : -1));
  data = next;
  readRun(); readTime(); readMap(); treeKind = readTree();
  views.forEach((v, i) => { v.chosen = rowOf(v, chosen[i]); });
  [tileChosen, tileHovered] = tileWords.map(words => rowOf(VIEWS.sites, words));
  state.version++;
  head(); tools(); drawAll(); found();
  // What has the keys was made anew.
  const again = row ? `[data-row="${rowOf(view, focus)}"]` : at.dataset.sort ? `[data-sort="${at.dataset.sort}"]` : at.dataset.copy && "[data-copy]";
  if (box && again) box.querySelector(again)?.focus({ preventScroll: true });
  sayLive();
}
const takeNewest = () => {
  if (!newest || held || pressing) return;
  const next = newest;
  newest = null;
  take(next);
};

function sayLive() {
  const paused = data.ending === "paused", [tone, text] = ended ? ["over", `The program has ended: ${data.ending}.`] : lost ? ["over", lost]
    : held ? ["held", "Held: the program goes on."] : paused ? ["held", "The program is paused."] : ["on", "Live"];
  place("live-say").replaceChildren(make("i", { class: tone }), text);
  document.title = `${bytes(data.all.live)} \u00b7 ${data.program || "Lua"}`;
  place("hold").setAttribute("aria-pressed", held);
  place("hold").disabled = ended;
  for (const b of document.querySelectorAll("[data-ask]")) b.disabled = ended || lost === LOST || (b.dataset.ask === "step" && !paused);
  const pause = document.querySelector("[data-ask=pause], [data-ask=resume]");
  if (pause) { pause.dataset.ask = paused ? "resume" : "pause"; pause.textContent = paused ? "Resume" : "Pause"; }
}
function hold() {
  held = !held;
  takeNewest();
  sayLive();
}

async function ask(what) {
  const answer = await fetch("control/" + what, { method: "POST", headers: { Authorization: "Bearer " + token } }).catch(() => null);
  place("live-answer").textContent = !answer ? LOST : answer.ok ? "" : (await answer.text()).trim();
}

function startLive() {
  const button = (name, text) => make("button", { "data-ask": name, onclick: e => ask(e.target.dataset.ask) }, text);
  document.querySelector("header").after(make("div", { id: "live", class: "bar" }, make("span", { id: "live-say", role: "status" }),
    make("span", { class: "choose" }, make("span", { id: "live-answer", role: "alert" }),
      token ? make("span", { class: "group" }, ...ASKS.map(a => button(...a))) : null,
      make("button", { id: "hold", "aria-pressed": "false", onclick: hold }, "Hold ", make("kbd", {}, "space")))));
  place("keys").querySelector("dl").prepend(make("dt", {}, make("kbd", {}, "space")), make("dd", {}, "hold what is shown, or go on"));
  place("foot").textContent = "Served by lmp. This page asks it for new figures, and nobody else for anything.";
  if (token) history.replaceState(null, "", location.pathname); // it need not stay in sight; the browser's tab knows it
  document.addEventListener("pointerdown", () => { pressing = true; });
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => { pressing = false; setTimeout(takeNewest, 300); });
  document.addEventListener("keydown", e => {
    if (e.key !== " " || ["INPUT", "BUTTON"].includes(e.target.tagName) || place("keys").open) return;
    hold();
    e.preventDefault();
  });
  const source = new EventSource("events"), hear = e => { lost = ""; newest = JSON.parse(e.data); takeNewest(); };
  source.onmessage = hear;
  source.addEventListener("end", e => { ended = true; held = false; source.close(); hear(e); });
  source.onerror = () => { lost = source.readyState === EventSource.CLOSED ? FULL : LOST; sayLive(); };
  sayLive();
}
startLive();
