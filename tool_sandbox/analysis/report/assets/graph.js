// Milestones as a graph, a line each: an edge says what has to come first, light says how well each was met.

const ROW = 74;
const RAIL = { edge: 14, gap: 22, most: 96 };

// What a milestone is called: its name, else in short what its checks ask for.
function titleOf(node) {
  return node ? node.name || node.checks.map((check) => check.text.replace(/^a row is /, "").replace(/, still so at the end$/, "")).join("; ") : "";
}

function worth(details, open) {
  const { milestones, minefields } = details;
  const lines = (nodes, kind) => h("ol", { class: "checks" }, nodes.map((node) => milestoneLine(node, open, kind, details.clock)));
  return [
    h("section", { class: "card" }, h("h2", {}, "Milestones"),
      milestones.length ? graph(milestones, open, details.clock) : h("p", { class: "dim" }, "This scenario has none."),
      milestones.length ? h("details", { open: !isNarrow() }, h("summary", {}, "What each asks for"), lines(milestones, "milestone")) : null),
    minefields.length ? h("section", { class: "card" }, h("h2", {}, "Minefields"), h("p", { class: "dim" }, "What must not happen."), lines(minefields, "minefield")) : null,
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

function graph(milestones, open, clock) {
  const layers = layersOf(milestones);
  const gap = layers.length === 1 ? 0 : Math.min(RAIL.gap, RAIL.most / Math.max(1, ...layers.map((layer) => layer.length - 1)));
  const order = layers.flatMap((layer) => layer.map((index, lane) => ({ index, x: RAIL.edge + gap * lane })));
  const at = new Map(order.map(({ index, x }, line) => [index, { x, y: ROW * (line + 0.5) }]));
  const width = RAIL.edge + Math.max(...order.map(({ x }) => x));
  const edges = milestones.flatMap((milestone, index) => (milestone.after || []).filter((other) => at.has(other)).map((other) => {
    const start = at.get(other), end = at.get(index);
    // An edge past other lines bends aside, so that it does not seem to go through them.
    const aside = end.x === start.x && end.y - start.y > ROW ? 9 : 0;
    return svg("path", { class: "edge", d: `M${start.x} ${start.y + 9}C${start.x + aside} ${start.y + 30} ${end.x + aside} ${end.y - 30} ${end.x} ${end.y - 12}`, "marker-end": "url(#arrow)" });
  }));
  return h("div", { class: "graph", role: "group", "aria-label": "Milestones and their order" },
    svg("svg", { class: "rail", width, height: ROW * order.length, "aria-hidden": "true" },
      svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", class: "arrow-head" }))),
      edges, order.map(({ index, x }) => svg("circle", { class: `dot ${kindOfNode(milestones[index])}`, cx: x, cy: at.get(index).y, r: 7 }))),
    h("div", { class: "nodes" }, order.map(({ index }) => node(milestones[index], index, open, clock))));
}

function kindOfNode({ similarity }) { return similarity === null ? "unknown" : similarity >= 1 ? "full" : similarity > 0 ? "part" : "missed"; }

function showCheck(index) {
  const line = document.getElementById(`check-milestone-${index}`);
  line.closest("details").open = true;
  line.scrollIntoView({ block: "nearest" });
  line.focus({ preventScroll: true });
}

function node(milestone, index, open, clock) {
  const value = milestone.similarity;
  const isLinked = milestone.message_index !== null && value > 0;
  const press = () => (isLinked ? open(milestone.message_index) : showCheck(index));
  return h("button", { class: `node ${kindOfNode(milestone)}`, title: titleOf(milestone), onclick: press },
    h("span", { class: "node-title" }, `${index} `, h("span", { class: "node-name" }, phrase(titleOf(milestone), clock))),
    h("span", { class: "node-note" }, [value === null ? "not known" : `${fixed(value)}${milestone.weight === 1 ? "" : ` of weight ${fixed(milestone.weight)}`}`, isLinked ? `message ${milestone.message_index}` : "not met"].join(" · ")));
}

function milestoneLine(milestone, open, kind, clock) {
  const value = milestone.similarity;
  const isLinked = milestone.message_index !== null && value > 0;
  const isGood = kind === "milestone" ? value >= 1 : !(value > 0);
  const icon = kind === "minefield" ? (isGood ? "○" : "⚠") : value >= 1 ? "●" : value > 0 ? "◐" : "○";
  return h("li", { class: isGood ? "good" : "bad", id: `check-${kind}-${milestone.index}`, tabindex: "-1" },
    h("div", { class: "check-head" }, h("span", { "aria-hidden": "true" }, icon), h("strong", {}, ` ${milestone.index} ${milestone.name || ""}`), h("span", { class: "number" }, fixed(value)),
      isLinked ? h("button", { class: "quiet", onclick: () => open(milestone.message_index) }, `message ${milestone.message_index}`) : null),
    h("ul", {}, milestone.checks.map((check) => h("li", {}, h("span", { class: "tag" }, readable(check.database || "")), " ", phrase(check.text, clock), check.similarity !== null && check.similarity < 1 ? h("span", { class: "number dim" }, ` ${fixed(check.similarity)}`) : null,
      check.why ? h("div", { class: "why" }, phrase(check.why, clock)) : null))));
}
