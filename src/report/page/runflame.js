// runflame.js - the flame graph of a run: which figure it is of, and what its colours say.
const COLOURS = [["type", "By type"], ["lives", "By what lives"], ["file", "By file"]];
const graphKey = column, siteCount = () => tables.sites.whole.live.length;
const graphValues = () => figures(treeKind)[column()], graphOthers = () => null;
const kindOf = site => site < 0 ? 5 : siteType(site);
const frameWords = f => [unitWord(f.total)];
const nothingWords = () => state.metric.id === "grew" ? "Nothing grew in this range." : "Nothing of it here.";
const openFrame = site => openSource(site), openWord = data.files ? "source" : "line";

// The type of which most was made below each.
function kindsBelow(own, n) {
  const sums = Array.from({ length: 6 }, () => new Float64Array(n)), best = new Uint8Array(n), name = column();
  const typeOf = new Map(), type = s => { if (!typeOf.has(s)) typeOf.set(s, s < 0 ? 5 : siteType(s, name)); return typeOf.get(s); };
  for (let i = n - 1; i >= 0; i--) {
    sums[type(siteOf(i))][i] += positive(own[i]);
    let most = -1;
    for (let k = 0; k < 6; k++) {
      if (sums[k][i] > most) { most = sums[k][i]; best[i] = k; }
      if (i) sums[k][nodes.parent[i]] += sums[k][i];
    }
  }
  return best;
}

function frameColour(f) {
  if (colours === "type") return palette.kinds[f.kind];
  if (colours === "file") return fileColour(f);
  // how much of what was made here is still there
  const s = f.site, c = tables.sites.whole;
  const lives = s >= 0 && c.made[s] ? c.live[s] / c.made[s] : 0;
  return mix(palette.soft, palette.kinds[0], .12 + .88 * Math.sqrt(lives));
}
