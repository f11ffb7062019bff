// The leaderboard: one line a run, sorted by any column.

const BOARD = [
  { key: "label", title: "Run", text: true, valueOf: (run) => run.label },
  { key: "success", title: "Success", valueOf: (run) => run.figures.success?.estimate ?? null, show: (run) => interval(run.figures.success) },
  { key: "score", title: "Score", valueOf: (run) => run.figures.score?.estimate ?? null, show: (run) => interval(run.figures.score) },
  { key: "floor", title: "Floor", help: "score of the best agent that does nothing useful", valueOf: (run) => floorOf(run, "score"), show: (run, value) => percent(value) },
  { key: "played", title: "Played", valueOf: (run) => run.played, show: (run) => (run.played === run.planned ? count(run.played) : `${count(run.played)} / ${count(run.planned)}`) },
  { key: "excluded", title: "Not counted", valueOf: (run) => run.figures.excluded / Math.max(1, run.played), show: (run, value) => percent(value) },
  { key: "turns", title: "Turns", valueOf: (run, rows) => sumOf(rows, "turn_count")?.mean ?? null, show: (run, value) => fixed(value, 1) },
  { key: "calls", title: "Tool calls", valueOf: (run, rows) => sumOf(rows, "tool_calls")?.mean ?? null, show: (run, value) => fixed(value, 1) },
  { key: "errors", title: "Tool errors", valueOf: (run, rows) => sumOf(rows, "tool_errors")?.mean ?? null, show: (run, value) => fixed(value, 2) },
  { key: "effects", title: "Side effects", help: "share of conversations", valueOf: (run, rows) => rows.filter((row) => state.index.rows.side_effects[row] > 0).length / Math.max(1, rows.length), show: (run, value) => percent(value) },
  { key: "cost", title: "Cost", help: "list price of the models of agent and user", valueOf: (run, rows) => sumOf(rows, "cost_usd")?.sum ?? null, show: (run, value) => dollars(value) },
  { key: "latency", title: "Latency", help: "seconds a conversation waited for the agent's model", valueOf: (run, rows) => sumOf(rows, "latency_s")?.mean ?? null, show: (run, value) => seconds(value) },
];

function interval(value) {
  return value ? [percent(value.estimate), h("small", {}, rangeText(value))] : "none";
}

views.board = (parts, query) => {
  const sort = query.get("sort") || "-success";
  const column = BOARD.find((one) => one.key === sort.replace("-", "")) || BOARD[1];
  const sign = sort.startsWith("-") ? -1 : 1;
  const byRun = state.index.runs.map(() => []);
  for (const row of state.order) if (isRanked(row)) byRun[state.index.rows.run[row]].push(row);
  const lines = state.index.runs.map(ranked).map((run, number) => ({ run, values: BOARD.map((one) => one.valueOf(run, byRun[number])) }));
  const at = BOARD.indexOf(column);
  lines.sort((a, b) => sign * (column.text ? a.values[at].localeCompare(b.values[at]) : (a.values[at] ?? -Infinity) - (b.values[at] ?? -Infinity)));
  const head = BOARD.map((one) => {
    const isHere = one === column;
    const next = isHere && sign < 0 ? one.key : isHere ? `-${one.key}` : one.text ? one.key : `-${one.key}`;
    return h("th", { scope: "col", class: one.text ? "text" : "", "aria-sort": isHere ? (sign < 0 ? "descending" : "ascending") : "none" },
      h("a", { href: link("board", [], { sort: next }), title: one.help || one.title }, one.title, isHere ? (sign < 0 ? " ▾" : " ▴") : ""));
  });
  return {
    title: "Leaderboard",
    content: [
      h("header", { class: "page-head" }, h("h1", {}, "Leaderboard"), h("p", { class: "lead" }, `Intervals cover 95 %; ${observationText(state.index.runs)}. Means are of one conversation; cost is of ${state.index.common?.scenarios ? "those compared" : "the whole run"}.`)),
      commonNote(),
      h("section", { class: "card scroll", tabindex: "0", role: "region", "aria-label": "Leaderboard" }, h("table", { class: "board" }, h("thead", {}, h("tr", {}, head)),
        h("tbody", {}, lines.map(({ run, values }) => h("tr", {}, BOARD.map((one, number) => (one.text
          ? h("th", { scope: "row" }, h("a", { href: link("conversations", [], { run: run.id }) }, breakable(run.label)))
          : h("td", { class: "number" }, one.show(run, values[number]))))))))),
      pairLinks(),
    ],
  };
};

function pairLinks() {
  const { runs } = state.index;
  if (runs.length < 2) return null;
  return h("p", { class: "dim" }, "Open a conversation and choose another run there to see both side by side.");
}
