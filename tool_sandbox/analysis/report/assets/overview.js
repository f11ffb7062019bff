// The first thing to see: how good, how sure, against which floor, and where to look next.

const MEASURES = { success: "Success rate", score: "Mean score" };
const FLOOR_MARKS = ["▲", "△", "▴"];

views.overview = () => {
  const { runs } = state.index;
  return {
    title: "Overview",
    content: [
      h("header", { class: "page-head" }, h("h1", {}, state.index.title), h("p", { class: "lead" }, leadOf(runs))),
      runs.length === 0 ? emptyNote() : null,
      runs.some((run) => run.played < run.planned) ? progressOf(runs) : null,
      commonNote(),
      headline(runs.map(ranked)),
      h("section", { class: "columns" }, whereToLook(), endings()),
      runs.length ? axisMap(state.order, "success") : null,
      runs.length ? categoryMap(state.order, "success", 12) : null,
      asked(runs),
      leftOut(),
    ],
  };
};

function emptyNote() {
  return h("div", { class: "notice" }, "There is nothing here yet.");
}

function leadOf(runs) {
  const played = plural(state.size, "conversation");
  const scenarios = plural(state.index.scenarios.name.length, "scenario");
  return `${played} on ${scenarios} in ${plural(runs.length, "run")}.`;
}

function progressOf(runs) {
  return h("section", { class: "card progress", "aria-label": "Progress" }, runs.filter((run) => run.played < run.planned).map((run) =>
    h("div", { class: "progress-line" },
      h("span", { class: "progress-name" }, run.label),
      h("progress", { max: run.planned, value: run.played, "aria-label": `${run.label}: ${run.played} of ${run.planned}` }),
      h("span", { class: "number" }, `${count(run.played)} of ${count(run.planned)} played`))));
}

function headline(runs) {
  return h("section", { class: "card", "aria-labelledby": "headline" },
    h("h2", { id: "headline" }, "Scores"),
    runs.length === 1 ? bigNumbers(runs[0]) : null,
    Object.entries(MEASURES).map(([measure, title]) => forest(runs, measure, title)),
    floorLegend(runs),
    extremeNote(runs),
    passes(runs),
    runs.filter((run) => run.figures.refusal).map((run) =>
      h("p", { class: "notice bad" }, `${run.label}: no headline number. ${run.figures.refusal}${boundsOf(run.figures)}`)));
}

function bigNumbers(run) {
  const { figures } = run;
  const entry = (title, interval, note) => h("div", { class: "big" },
    h("div", { class: "big-title" }, title),
    h("div", { class: "big-number" }, interval ? percent(interval.estimate) : "none"),
    h("div", { class: "big-note" }, note));
  const range = (interval) => (interval && interval.low !== null ? `95 % interval ${rangeText(interval)}` : "");
  return h("div", { class: "bigs" },
    entry("Success rate", figures.success, [range(figures.success), floorText(run, "success")].filter(Boolean).join(" · ")),
    entry("Mean score", figures.score, [range(figures.score), floorText(run, "score")].filter(Boolean).join(" · ")),
    h("div", { class: "big" }, h("div", { class: "big-title" }, "Not counted"),
      h("div", { class: "big-number" }, count(figures.excluded)),
      h("div", { class: "big-note" }, `${percent(figures.excluded / Math.max(1, run.played))} ended by infrastructure or the user`, boundsOf(figures))));
}

function boundsOf(figures) {
  const bounds = figures.bounds && figures.bounds.success;
  return bounds && figures.excluded ? `; success is within ${percent(bounds[0])} and ${percent(bounds[1])} whatever they were` : "";
}

function rangeText(interval) {
  return interval && interval.low !== null ? `${(100 * interval.low).toFixed(1)}–${(100 * interval.high).toFixed(1)}` : "";
}

// The best that an agent without skill reaches.
function floorOf(run, measure) {
  const known = run.figures.floors.map((floor) => floor[measure]).filter((value) => typeof value === "number");
  return known.length ? Math.max(...known) : null;
}

function floorText(run, measure) {
  const floor = floorOf(run, measure);
  return floor === null ? "" : `floor ${(100 * floor).toFixed(1)}`;
}

// One line a run: estimate, interval, floors.
function forest(runs, measure, title) {
  const lines = runs.map((run) => {
    const interval = run.figures[measure];
    return h("div", { class: "forest-line" },
      h("a", { class: "forest-name", href: link("conversations", [], { run: run.id }) }, breakable(run.label)),
      track(run, measure, interval),
      h("span", { class: "forest-number number" }, interval ? percent(interval.estimate) : "none",
        h("small", {}, [rangeText(interval), floorText(run, measure)].filter(Boolean).map((text) => [h("span", {}, text), " "]))));
  });
  return h("div", { class: "forest" }, h("h3", {}, title), lines,
    h("div", { class: "forest-line axis", "aria-hidden": "true" }, h("span", { class: "forest-name" }), h("span", { class: "ticks" }, [0, 25, 50, 75, 100].map((tick) => h("span", {}, tick + " %"))), h("span", { class: "forest-number" })));
}

function track(run, measure, interval) {
  const at = (value) => `${Math.max(0, Math.min(100, 100 * value))}%`;
  const label = interval ? `${run.label}: ${percent(interval.estimate)}` : `${run.label}: no number`;
  return h("span", { class: "track", role: "img", "aria-label": label },
    run.figures.floors.map((floor, number) => (floor[measure] === null || floor[measure] === undefined ? null
      : h("span", { class: "floor", style: { left: at(floor[measure]) }, title: `${floor.name}: ${percent(floor[measure])}` }, FLOOR_MARKS[number % 3]))),
    interval && interval.low !== null ? h("span", { class: "range", style: { left: at(interval.low), width: at(interval.high - interval.low) } }) : null,
    interval ? h("span", { class: "dot", style: { left: at(interval.estimate) } }) : null);
}

// A point at the end of the scale looks certain, and its interval then looks like a mistake.
function extremeNote(runs) {
  const isExtreme = ({ figures }) => ["success", "score"].some((measure) => figures[measure] && [0, 1].includes(figures[measure].estimate) && figures[measure].low !== null);
  return runs.some(isExtreme) ? h("p", { class: "legend" }, `All or nothing has an interval too: what happened in none of the ${runs.some(isOfOneFamily) ? "scenarios" : "families"} that were played can still happen in the next one.`) : null;
}

function isOfOneFamily(run) { return run.figures.clustered_by === "base_scenario"; }

// What intervals are clustered by: within one family they speak of its scenarios alone.
function observationText(runs) {
  const some = runs.filter(isOfOneFamily);
  if (!some.length) return "a family of scenarios counts as one observation";
  const whose = some.length < runs.length ? ` (${some.map((run) => run.label).join(", ")})` : "";
  return `${whose ? "a family of scenarios counts as one observation; " : ""}where there is one family alone${whose}, a base scenario counts as one, and the interval is for that family only`;
}

function floorLegend(runs) {
  const floors = (runs.find((run) => run.figures.floors.length) || { figures: { floors: [] } }).figures.floors;
  return h("p", { class: "legend" }, h("span", {}, h("span", { class: "key-dot" }), " estimate with 95 % interval; ", observationText(runs)),
    floors.map((floor, number) => h("span", {}, `${FLOOR_MARKS[number % 3]} floor: ${floor.name}`)),
    floors.length || state.index.common ? null : h("span", {}, "no floor was measured for these runs"));
}

// With several trials: the chance of any, and of every, success in k of them.
function passes(runs) {
  const most = Math.max(0, ...runs.map((run) => run.figures.passes.length));
  if (most < 2) return null;
  const cell = (value) => h("td", {}, value ? [percent(value.estimate), " ", h("small", { class: "whole" }, rangeText(value))] : "–");
  const lines = runs.flatMap((run) => [["any", "pass@k"], ["all", "pass^k"]].map(([key, title]) => h("tr", {}, h("th", { scope: "row" }, breakable(run.label), ", ", title), Array.from({ length: most }, (_, at) => cell(run.figures.passes[at]?.[key])))));
  return [h("h3", {}, "In k trials: at least one success (pass@k), nothing but successes (pass^k)"), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "pass@k" },
    h("table", { class: "facts" }, h("thead", {}, h("tr", {}, h("th", {}, h("span", { class: "sr" }, "run")), Array.from({ length: most }, (_, at) => h("th", { scope: "col" }, `k = ${at + 1}`)))), h("tbody", {}, lines)))];
}

function whereToLook() {
  const entries = [
    ["Open: something said is unclear", { with: "open" }], ["Failed", { result: "failed" }], ["Partly done", { result: "partial" }], ["With side effects", { with: "side_effects" }],
    ["Minefield hit", { with: "minefield" }], ["With tool errors", { with: "tool_errors" }], ["User did something wrong", { with: "findings" }], ["Not counted", { result: "excluded" }],
  ];
  return h("div", { class: "card" }, h("h2", {}, "Where to look"), h("ul", { class: "links" }, entries.map(([text, query]) => {
    const number = chosen(new URLSearchParams(query)).length;
    return h("li", {}, number ? h("a", { href: link("conversations", [], query) }, text) : h("span", { class: "dim" }, text), h("span", { class: "number" }, count(number)));
  })));
}

const BINS = [["0", 0, 0], ["up to 0.25", 0.0001, 0.25], ["to 0.5", 0.2501, 0.5], ["to 0.75", 0.5001, 0.75], ["below 1", 0.7501, 0.9999], ["1", 1, 1]];

function histogram() {
  const numbers = BINS.map(([, low, high]) => chosen(new URLSearchParams({ result: "counted", min: low, max: high })).length);
  const most = Math.max(1, ...numbers);
  return [h("h3", {}, "Scores of single conversations"), h("ul", { class: "links bars" }, BINS.map(([text, low, high], at) =>
    h("li", {}, numbers[at] ? h("a", { href: link("conversations", [], { result: "counted", min: low, max: high }) }, text) : h("span", { class: "dim" }, text), meter(numbers[at] / most, `${text}: ${numbers[at]}`), h("span", { class: "number" }, count(numbers[at])))))];
}

function endings() {
  const totals = new Map();
  for (const row of state.order) totals.set(outcomeOf(row), (totals.get(outcomeOf(row)) || 0) + 1);
  const most = Math.max(1, ...totals.values());
  return h("div", { class: "card" }, h("h2", {}, "How they ended"), h("ul", { class: "links bars" }, [...totals].sort((a, b) => b[1] - a[1]).map(([outcome, number]) =>
    h("li", {}, h("a", { href: link("conversations", [], { outcome }) }, readable(outcome)), meter(number / most, `${outcome}: ${number}`), h("span", { class: "number" }, count(number))))), histogram());
}

function asked(runs) {
  const facts = [
    ["Agent", (run) => run.agent], ["User", (run) => run.user], ["Started", (run) => (run.started || "").slice(0, 16).replace("T", " ")],
    ["Suite", (run) => suiteOf(run)], ["Rules", (run) => run.profile || "those of the scenario"], ["Services", (run) => run.services],
    ["Seeds", (run) => (run.seeds || []).join(", ")], ["Trials", (run) => run.trials], ["Conversations", (run) => `${count(run.played)} of ${count(run.planned)}`],
    ["Package", (run) => run.package_version], ["Commit", (run) => (run.git_sha || "").slice(0, 12)], ["Directory", (run) => run.id],
  ];
  return h("section", { class: "card" }, h("h2", {}, "What was asked"), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What was asked" },
    h("table", { class: "facts" }, h("tbody", {}, facts.map(([title, valueOf]) =>
      h("tr", {}, h("th", { scope: "row" }, title), runs.map((run) => h("td", {}, breakable(valueOf(run) || "–")))))))));
}

function suiteOf(run) {
  if (!run.suite) return "none";
  return [run.suite.name, run.suite.version, (run.suite.content_hash || "").slice(0, 8)].filter(Boolean).join(" ");
}

function leftOut() {
  const details = state.index.details;
  if (!details || details.kept === details.total) return null;
  return h("p", { class: "notice" }, `The file holds the details of ${count(details.kept)} of ${count(details.total)} conversations, failed ones first, to stay below ${details.limit_mb} MB. Scores and the table are of all. tool_sandbox view shows every one.`);
}
