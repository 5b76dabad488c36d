// treemap.js - the lines of the program as areas, those of a file together.
const map = place("treemap");
let tiles = [], tileChosen = -1, tileHovered = -1;

function drawTreemap() {
  if (state.tab !== "treemap" && !printing) return;
  const w = map.clientWidth, h = map.clientHeight, g = canvasOf(map, w, h), c = figures("sites")[column()];
  const files = new Map();
  let all = 0;
  for (let i = 0; i < c.length; i++) {
    if (c[i] <= 0) continue;
    const src = i < siteRows ? word(sites.src[i]) : "others";
    if (!files.has(src)) files.set(src, { name: src, sum: 0, kids: [] });
    const f = files.get(src);
    f.sum += c[i]; all += c[i];
    f.kids.push({ site: i, sum: c[i] });
  }
  const list = [...files.values()].sort((a, b) => b.sum - a.sum);
  tiles = [];
  g.textBaseline = "middle";
  squarify(list, all, 0, 0, w, h, (f, x, y, fw, fh) => {
    const head = fh > 44 && fw > 60 ? 20 : 0;
    g.fillStyle = palette.soft; g.fillRect(x, y, fw - 2, fh - 2);
    if (head) {
      g.font = "600 12px " + SANS; g.fillStyle = palette.ink;
      const name = fit(g, f.name, fw - 14);
      g.fillText(name, x + 6, y + 11);
      const used = g.measureText(name).width;
      g.font = "12px " + SANS; g.fillStyle = palette.dim;
      if (fw - used > 90) g.fillText(figure(f.sum), x + 14 + used, y + 11);
    }
    f.kids.sort((a, b) => b.sum - a.sum);
    squarify(f.kids, f.sum, x + 1, y + head, fw - 4, fh - head - 3, (k, kx, ky, kw, kh) => {
      if (kw < 1 || kh < 1) return;
      tiles.push([k.site, kx, ky, kw, kh]);
      const is = needle() && k.site < siteRows && matches(`${siteWhere(k.site)} ${siteFunc(k.site)}`);
      g.globalAlpha = needle() && !is ? .35 : 1;
      g.fillStyle = is ? palette.hit : k.site < siteRows ? palette.kinds[siteType(k.site)] : palette.line;
      g.fillRect(kx, ky, Math.max(kw - 1, .5), Math.max(kh - 1, .5));
      if (kw > 44 && kh > 17) {
        g.fillStyle = is ? "#1f2126" : palette.on;
        const short = k.site < siteRows ? `${sites.line[k.site] >= 0 ? sites.line[k.site] : siteWhere(k.site)} ${siteFunc(k.site)}` : siteWhere(k.site);
        g.fillText(fit(g, short, kw - 10), kx + 5, ky + Math.min(11, kh / 2));
        if (kh > 36) { g.globalAlpha *= .7; g.fillText(fit(g, figure(k.sum), kw - 10), kx + 5, ky + 27); }
      }
      g.globalAlpha = 1;
    });
  });
  for (const [site, colour, line] of [[tileHovered, palette.ink, 1], [tileChosen, palette.accent, 2]]) {
    const t = tiles.find(r => r[0] === site);
    if (t) { g.strokeStyle = colour; g.lineWidth = line; g.strokeRect(t[1] + .5, t[2] + .5, Math.max(t[3] - 2, 1), Math.max(t[4] - 2, 1)); }
  }
  const say = place("treemap-say"), i = tileHovered >= 0 ? tileHovered : tileChosen;
  if (!all) say.textContent = "Nothing of it here.";
  else if (i < 0) say.replaceChildren(make("strong", {}, unitWord(all)), ` in ${many(tiles.length, "line")} of ${many(list.length, "file")}; colours as in the timeline`);
  else say.replaceChildren(make("strong", {}, siteWhere(i)), ` ${siteFunc(i)}`, make("br"), `${unitWord(c[i])}, ${share(c[i], all)} of all`,
    i < siteRows ? `, mostly ${kindNames[siteType(i)]}` : "");
}

function startTreemap() {
  const at = e => {
    const box = map.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
    const t = tiles.find(r => x >= r[1] && x < r[1] + r[3] && y >= r[2] && y < r[2] + r[4]);
    return t ? t[0] : -1;
  };
  map.onmousemove = e => { const i = at(e); map.style.cursor = i >= 0 ? "pointer" : ""; if (i !== tileHovered) { tileHovered = i; drawTreemap(); } };
  map.onmouseleave = () => { tileHovered = -1; drawTreemap(); };
  map.onclick = e => { const i = at(e); if (i >= 0 && i < siteRows) openSource(i); };
  map.onkeydown = e => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (e.key === "Enter" && tileChosen >= 0 && tileChosen < siteRows) openSource(tileChosen);
    else if (e.key === "Escape" && tileChosen >= 0) tileChosen = -1;
    else if (step && tiles.length) {
      const from = tiles.find(t => t[0] === tileChosen), middle = t => [t[1] + t[3] / 2, t[2] + t[4] / 2];
      let best = from ? tileChosen : tiles[0][0], near = Infinity;
      for (const t of from ? tiles : []) {
        const [fx, fy] = middle(from), [x, y] = middle(t), ahead = (x - fx) * step[0] + (y - fy) * step[1];
        const far = ahead + 2 * (Math.abs((x - fx) * step[1]) + Math.abs((y - fy) * step[0]));
        if (ahead > 1 && far < near) { near = far; best = t[0]; }
      }
      tileChosen = best; tileHovered = -1;
    } else return;
    e.preventDefault(); e.stopPropagation();
    drawTreemap();
  };
  watch(f => { if (!("tab" in f) || f.tab === "treemap") drawTreemap(); });
}
