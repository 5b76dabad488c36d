// heapmap.js - the heap by addresses, of a program that runs: a cell has the colour of the type that has most of its
// bytes, the stronger the fuller it is. Read like text: addresses rise to the right, then downwards.
const CELL_MOST = 16, heapStage = make("div", { id: "heap-map", tabindex: "0", role: "application", "aria-label": "Heap map: arrows move, escape goes back" }, make("canvas"));
let mapCells = [], mapWide = 1, mapSide = 1, mapChosen = -1, mapHovered = -1; // both in bytes from the map's beginning
const cellAt = from => from < 0 ? -1 : Math.floor(from / data.map.cell);

// `cells`: of each which types it has, as bits, then the bytes of each of these, and its blocks; 0 of an empty one.
function readMap() {
  const { cell = 0, bytes = 0, cells = [] } = data.map || {};
  mapCells = [];
  for (let i = 0; i < cells.length;) {
    const kinds = cells[i++], held = [0, 1, 2, 3, 4, 5].map(k => kinds >> k & 1 ? cells[i++] : 0);
    mapCells.push({ held, live: total(held), kind: held.indexOf(Math.max(...held)), blocks: kinds ? cells[i++] : 0, size: Math.min(cell, bytes - mapCells.length * cell) });
  }
}

function drawMap() {
  place("heap").style.display = mapCells.length ? "" : "none";
  const w = heapStage.clientWidth, h = heapStage.clientHeight, g = canvasOf(heapStage, w, h), wide = side => Math.max(Math.floor(w / side), 1);
  for (mapSide = CELL_MOST; mapSide > 2 && wide(mapSide) * Math.floor(h / mapSide) < mapCells.length;) mapSide--;
  mapWide = wide(mapSide);
  const square = i => [i % mapWide * mapSide, Math.floor(i / mapWide) * mapSide, mapSide - 1, mapSide - 1];
  mapCells.forEach((c, i) => {
    g.fillStyle = c.live ? mix(palette.soft, palette.kinds[c.kind], .3 + .7 * c.live / c.size) : palette.soft;
    g.fillRect(...square(i));
  });
  g.lineWidth = 2;
  for (const [from, colour] of [[mapHovered, palette.ink], [mapChosen, palette.accent]]) {
    g.strokeStyle = colour;
    if (mapCells[cellAt(from)]) g.strokeRect(...square(cellAt(from)));
  }
  sayMap();
}

function sayMap() {
  if (!mapCells.length) return;
  const c = mapCells[cellAt(mapHovered)] || mapCells[cellAt(mapChosen)], b = n => make("b", {}, bytes(n)), put = (...list) => place("heap-say").replaceChildren(...list);
  if (!c) put(b(data.map.cell), " a cell \u00b7 ", b(data.map.bytes), ` of addresses, ${share(mapCells.reduce((a, m) => a + m.live, 0), data.map.bytes)} of it live`);
  else if (!c.live) put("nothing lives in these ", b(c.size));
  else put(c.blocks ? many(c.blocks, "block") + " in " : "inside a block, ", b(c.size), ...c.held.map((n, k) => [n, k]).filter(([n]) => n).sort((x, y) => y[0] - x[0])
    .flatMap(([n, k]) => [` \u00b7 ${kindNames[k]} `, b(n)]));
}

function startMap() {
  place("time").after(make("section", { id: "heap", "aria-label": "The heap by addresses" },
    make("div", { class: "bar" }, make("h2", {}, "Heap map"), make("p", { id: "heap-say" })), heapStage));
  const at = e => {
    const box = heapStage.getBoundingClientRect(), x = Math.floor((e.clientX - box.left) / mapSide), i = Math.floor((e.clientY - box.top) / mapSide) * mapWide + x;
    return x < mapWide && mapCells[i] ? i * data.map.cell : -1;
  };
  heapStage.onmousemove = e => { const is = at(e); if (is !== mapHovered) { mapHovered = is; drawMap(); } };
  heapStage.onmouseleave = () => { mapHovered = -1; drawMap(); };
  heapStage.onclick = e => { mapChosen = at(e); drawMap(); };
  heapStage.onkeydown = e => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -mapWide, ArrowDown: mapWide }[e.key], to = mapChosen < 0 ? 0 : cellAt(mapChosen) + step;
    if (e.key === "Escape" && mapChosen >= 0) mapChosen = -1;
    else if (!step) return;
    else if (mapCells[to]) mapChosen = to * data.map.cell;
    e.preventDefault(); e.stopPropagation();
    mapHovered = -1;
    drawMap();
  };
  place("keys").lastChild.before(make("p", {}, "In the heap map a cell is so many bytes of addresses. Its colour is the type that has most of them, the stronger the more of the cell lives. Ranges of addresses in use stand one after the other."));
  readMap();
  alsoDrawn.push(drawMap);
  drawMap();
}
startMap();
