// squarify.js - areas for a treemap, of a run and of a heap: `list` by `sum`, the largest first.

/* Squarified: each strip is laid along the shorter side, as long as that makes its tiles squarer. */
function squarify(list, sum, x, y, w, h, put) {
  for (let at = 0; at < list.length && w > 0 && h > 0 && sum > 0;) {
    const side = Math.min(w, h), scale = w * h / sum;
    let end = at, strip = 0, worst = Infinity;
    while (end < list.length) {
      const next = strip + list[end].sum, thick = next * scale / side;
      const first = list[at].sum * scale / thick, last = list[end].sum * scale / thick;
      const ratio = Math.max(first / thick, thick / first, last / thick, thick / last);
      if (ratio > worst) break;
      worst = ratio; strip = next; end++;
    }
    const thick = strip * scale / side;
    for (let along = 0; at < end; at++) {
      const length = list[at].sum / strip * side;
      if (w >= h) put(list[at], x, y + along, thick, length); else put(list[at], x + along, y, length, thick);
      along += length;
    }
    sum -= strip;
    if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
  }
}
