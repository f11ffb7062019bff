// All conversations, filtered and sorted. Only the rows in sight are in the document, so 36,000 scroll as fast as 30.

const COLUMNS = [
  { key: "verdict", title: "", sort: "success", cell: (row) => verdict(kindOf(row)) },
  { key: "scenario", title: "Scenario", sort: "scenario", cell: (row) => [h("span", { class: "name" }, breakable(baseOf(row))), h("span", { class: "goal" }, [state.index.rows.open[row] ? "open" : "", ...trialWords(row), readable(augmentationOf(row)), requestOf(row)].filter(Boolean).join(" · "))] },
  { key: "score", title: "Score", sort: "score", cell: (row) => [meter(state.index.rows.score[row], ""), h("span", { class: "number" }, fixed(state.index.rows.score[row]))] },
  { key: "run", title: "Run", sort: "run", cell: (row) => breakable(runOf(row).label), isShown: () => state.index.runs.length > 1 },
  { key: "outcome", title: "Ended", sort: "outcome", cell: (row) => readable(outcomeOf(row)) },
  { key: "turns", title: "Turns", sort: "turn_count", cell: (row) => count(state.index.rows.turn_count[row]), isNumber: true },
  { key: "calls", title: "Calls", sort: "tool_calls", cell: (row) => count(state.index.rows.tool_calls[row]), isNumber: true },
  { key: "errors", title: "Errors", sort: "tool_errors", cell: (row) => zeroless(state.index.rows.tool_errors[row]), isNumber: true },
  { key: "effects", title: "Side effects", sort: "side_effects", cell: (row) => zeroless(state.index.rows.side_effects[row]), isNumber: true },
  { key: "cost", title: "Cost", sort: "cost_usd", cell: (row) => dollars(state.index.rows.cost_usd[row]), isNumber: true, isShown: () => sumOf(state.order, "cost_usd") !== null },
];

const PRINTED = 500;

function zeroless(number) { return number ? count(number) : "·"; }

function trialWords(row) {
  const { seed, trial } = state.index.rows;
  return [seed[row] ? `seed ${seed[row]}` : "", runOf(row).trials > 1 ? `trial ${trial[row]}` : ""];
}

views.conversations = (parts, query) => {
  const table = makeTable();
  const refresh = () => table.show(listed(current.query));
  const content = [
    h("header", { class: "page-head tight" }, h("h1", {}, "Conversations"), table.summary),
    filters(query, refresh),
    table.element,
  ];
  return { title: "Conversations", content, ready: () => { refresh(); table.begin(); }, cleanUp: table.end };
};

function listed(query) {
  const sort = query.get("sort") || "";
  state.list = sorted(chosen(query), sort.replace(/^-/, ""), sort.startsWith("-"));
  state.listQuery = query.toString();
  return state.list;
}

function makeTable() {
  const columns = COLUMNS.filter((column) => !column.isShown || column.isShown());
  const head = h("div", { class: "grid-head", role: "row" });
  const space = h("div", { class: "grid-space" });
  // Head and rows scroll sideways together; what stands to the left stays in sight.
  const body = h("div", { class: "grid-body", tabindex: "-1" }, h("div", { class: "grid-inner", role: "presentation" }, h("div", { class: "grid-top", role: "rowgroup" }, head), h("div", { role: "rowgroup" }, space)));
  const element = h("section", { class: "grid", role: "grid", tabindex: "0", "aria-label": "Conversations; j and k move, Enter opens" }, body);
  element.style.setProperty("--columns", columns.map((column) => `var(--w-${column.key})`).join(" "));
  const summary = h("p", { class: "lead", role: "status" });
  const height = () => (isNarrow() ? 64 : 46);
  let rows = [], active = 0, first = -1, last = -1;

  function drawHead() {
    const sort = current.query.get("sort") || "";
    replace(head, columns.map((column) => {
      const isHere = sort.replace("-", "") === column.sort;
      const isText = ["scenario", "run", "outcome"].includes(column.sort);
      const next = isHere ? (sort.startsWith("-") === isText ? "" : sort.startsWith("-") ? column.sort : `-${column.sort}`) : isText ? column.sort : `-${column.sort}`;
      const press = () => { setQuery({ sort: next }); show(listed(current.query)); head.querySelector(`[data-key="${column.key}"]`).focus(); };
      return h("span", { role: "columnheader", class: `c-${column.key}${column.isNumber ? " number" : ""}`, "aria-sort": isHere ? (sort.startsWith("-") ? "descending" : "ascending") : "none" },
        h("button", { "data-key": column.key, onclick: press, "aria-label": `sort by ${column.title || "success"}` }, column.title || "✓", isHere ? (sort.startsWith("-") ? " ▾" : " ▴") : ""));
    }));
  }

  function line(row, at, size) {
    return h("a", { role: "row", id: `row-${at}`, "aria-selected": String(at === active), class: at === active ? "row active" : "row", href: toConversation(row), title: nameOf(row), "aria-rowindex": at + 2, tabindex: "-1", style: { top: `${at * size}px` } },
      columns.map((column) => h("span", { role: "gridcell", class: `c-${column.key}${column.isNumber ? " number" : ""}` }, column.cell(row))));
  }

  function draw(isForced) {
    const size = height();
    const from = Math.max(0, Math.floor(body.scrollTop / size) - 8);
    const to = Math.min(rows.length, Math.ceil((body.scrollTop + body.clientHeight) / size) + 8);
    if (!isForced && from === first && to === last) return;
    [first, last] = [from, to];
    space.style.height = `${rows.length * size}px`;
    replace(space, rows.slice(from, to).map((row, offset) => line(row, from + offset, size)));
    // The focus stays on the table; this tells those who hear it which row the keys have reached.
    if (active >= from && active < to) element.setAttribute("aria-activedescendant", `row-${active}`);
    else element.removeAttribute("aria-activedescendant");
  }

  function show(next, kept = state.lastOpened ?? -1) {
    rows = next;
    active = Math.max(0, rows.indexOf(kept));
    element.setAttribute("aria-rowcount", String(rows.length + 1));
    const total = empty();
    for (const row of rows) add(total, row);
    summary.textContent = rows.length ? `${plural(rows.length, "conversation")} · success ${percent(rate(total, "success"))} · score ${percent(rate(total, "score"))}` : "No conversation is like that. Take a filter away.";
    drawHead();
    body.scrollTop = active > 5 ? (active - 3) * height() : 0;
    draw(true);
  }

  function move(step) {
    active = Math.max(0, Math.min(rows.length - 1, active + step));
    const size = height();
    if (active * size < body.scrollTop) body.scrollTop = active * size;
    const below = head.offsetHeight + (active + 1) * size - body.clientHeight;
    if (below > body.scrollTop) body.scrollTop = below;
    draw(true);
  }

  // On paper there is nothing to scroll.
  function drawForPaper() {
    space.style.height = "auto";
    const left = rows.length - PRINTED;
    replace(space, rows.slice(0, PRINTED).map((row, at) => line(row, at, 0)), left > 0 ? h("p", { class: "dim" }, `… and ${count(left)} more; filter them to print those that matter`) : null);
  }

  const onResize = () => draw(true);
  body.addEventListener("scroll", () => requestAnimationFrame(() => draw(false)));
  const keyboard = {
    j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), PageDown: () => move(10), PageUp: () => move(-10),
    Home: () => move(-rows.length), End: () => move(rows.length), Enter: () => { if (rows.length) go(toConversation(rows[active])); },
  };
  return {
    element, summary, show,
    begin() { addEventListener("resize", onResize); addEventListener("beforeprint", drawForPaper); addEventListener("afterprint", onResize); state.keys = keyboard; state.redraw = () => { const place = body.scrollTop; show(listed(current.query), rows[active]); body.scrollTop = place; }; draw(true); },
    end() { removeEventListener("resize", onResize); removeEventListener("beforeprint", drawForPaper); removeEventListener("afterprint", onResize); state.keys = null; state.redraw = null; },
  };
}
