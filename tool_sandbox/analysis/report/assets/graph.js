// Milestones as a graph in layers: an edge says what has to come first, light says how well each was met.

const NODE = { width: 136, height: 52, gapX: 26, gapY: 34 };

function worth(details, open) {
  const { milestones, minefields } = details;
  return [
    h("section", { class: "card" }, h("h2", {}, "Milestones"),
      milestones.length ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Graph of the milestones" }, graph(milestones, open)) : h("p", { class: "dim" }, "This scenario has none."),
      h("details", { open: !isNarrow() }, h("summary", {}, "What each asks for"), h("ol", { class: "checks" }, milestones.map((milestone) => milestoneLine(milestone, open, "milestone"))))),
    minefields.length ? h("section", { class: "card" }, h("h2", {}, "Minefields"), h("p", { class: "dim" }, "What must not happen."), h("ol", { class: "checks" }, minefields.map((minefield) => milestoneLine(minefield, open, "minefield")))) : null,
  ];
}

function layersOf(milestones) {
  const depth = new Map();
  const visit = (index, path) => {
    if (depth.has(index)) return depth.get(index);
    if (path.has(index)) return 0;
    const before = (milestones[index].after || []).filter((other) => milestones[other]);
    const value = before.length ? 1 + Math.max(...before.map((other) => visit(other, new Set(path).add(index)))) : 0;
    depth.set(index, value);
    return value;
  };
  milestones.forEach((_, index) => visit(index, new Set()));
  const layers = [];
  for (const [index, value] of [...depth].sort((a, b) => a[0] - b[0])) (layers[value] ||= []).push(index);
  // Each layer is ordered by where its predecessors are, so that few edges cross.
  for (let at = 1; at < layers.length; at++) {
    const place = new Map(layers[at - 1].map((index, position) => [index, position]));
    const centre = (index) => { const known = milestones[index].after.filter((other) => place.has(other)); return known.length ? known.reduce((sum, other) => sum + place.get(other), 0) / known.length : 0; };
    layers[at].sort((a, b) => centre(a) - centre(b) || a - b);
  }
  return layers;
}

function graph(milestones, open) {
  const layers = layersOf(milestones);
  const widest = Math.max(...layers.map((layer) => layer.length));
  const width = widest * (NODE.width + NODE.gapX) + NODE.gapX;
  const height = layers.length * (NODE.height + NODE.gapY) + 8;
  const at = new Map();
  layers.forEach((layer, level) => layer.forEach((index, position) => {
    const free = width - layer.length * (NODE.width + NODE.gapX) + NODE.gapX;
    at.set(index, { x: free / 2 + position * (NODE.width + NODE.gapX), y: 4 + level * (NODE.height + NODE.gapY) });
  }));
  const edges = milestones.flatMap((milestone, index) => (milestone.after || []).filter((other) => at.has(other)).map((other) => {
    const start = at.get(other), end = at.get(index), x = start.x + NODE.width / 2, y = start.y + NODE.height, toX = end.x + NODE.width / 2, middle = (y + end.y) / 2;
    return svg("path", { class: "edge", d: `M${x} ${y}C${x} ${middle} ${toX} ${middle} ${toX} ${end.y - 5}`, "marker-end": "url(#arrow)" });
  }));
  return svg("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "Milestones and their order" },
    svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", class: "arrow-head" }))),
    edges, milestones.map((milestone, index) => node(milestone, index, at.get(index), open)));
}

function showCheck(index) {
  const line = document.getElementById(`check-milestone-${index}`);
  line.closest("details").open = true;
  line.scrollIntoView({ block: "nearest" });
  line.focus({ preventScroll: true });
}

function node(milestone, index, { x, y }, open) {
  const value = milestone.similarity;
  const kind = value === null ? "unknown" : value >= 1 ? "full" : value > 0 ? "part" : "missed";
  const isLinked = milestone.message_index !== null && value > 0;
  const press = () => (isLinked ? open(milestone.message_index) : showCheck(index));
  const label = `Milestone ${index + 1}${milestone.name ? ` ${milestone.name}` : ""}: ${value === null ? "not known" : `similarity ${fixed(value)}`}${isLinked ? `, at message ${milestone.message_index}` : ""}`;
  return svg("g", { class: `node ${kind}`, transform: `translate(${x} ${y})`, tabindex: "0", role: "button", "aria-label": label, onclick: press, onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); press(); } } },
    svg("title", {}, label), svg("rect", { width: NODE.width, height: NODE.height, rx: 9 }),
    value > 0 && value < 1 ? svg("rect", { class: "share", width: NODE.width * value, height: 5, y: NODE.height - 5, rx: 2 }) : null,
    svg("text", { x: 12, y: 22 }, `${kind === "full" ? "●" : kind === "part" ? "◐" : kind === "missed" ? "○" : "?"} ${index + 1}`),
    svg("text", { x: NODE.width - 12, y: 22, "text-anchor": "end", class: "node-value" }, fixed(value)),
    svg("text", { x: 12, y: 41, class: "node-note" }, isLinked ? `message ${milestone.message_index}` : "not met"),
    svg("text", { x: NODE.width - 12, y: 41, "text-anchor": "end", class: "node-note" }, `× ${fixed(milestone.weight)}`));
}

function milestoneLine(milestone, open, kind) {
  const value = milestone.similarity;
  const isLinked = milestone.message_index !== null && value > 0;
  const isGood = kind === "milestone" ? value >= 1 : !(value > 0);
  const icon = kind === "minefield" ? (isGood ? "○" : "⚠") : value >= 1 ? "●" : value > 0 ? "◐" : "○";
  return h("li", { class: isGood ? "good" : "bad", id: `check-${kind}-${milestone.index}`, tabindex: "-1" },
    h("div", { class: "check-head" }, h("span", { "aria-hidden": "true" }, icon), h("strong", {}, ` ${milestone.index + 1} ${milestone.name || ""}`), h("span", { class: "number" }, fixed(value)),
      isLinked ? h("button", { class: "quiet", onclick: () => open(milestone.message_index) }, `message ${milestone.message_index}`) : null),
    h("ul", {}, milestone.checks.map((check) => h("li", {}, h("span", { class: "tag" }, readable(check.database || "")), " ", check.text, check.similarity !== null && check.similarity < 1 ? h("span", { class: "number dim" }, ` ${fixed(check.similarity)}`) : null,
      check.why ? h("div", { class: "why" }, check.why) : null))));
}
