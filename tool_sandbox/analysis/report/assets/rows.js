// Conversations as columns: 36,000 rows are filtered, sorted and added up in a few milliseconds.

function prepareRows(index) {
  const rows = index.rows;
  state.size = (rows.run || []).length;
  state.order = Array.from({ length: state.size }, (_, row) => row);
  state.searchable = index.scenarios.name.map((name, scenario) => {
    const goal = index.goals[index.names.bases[index.scenarios.base[scenario]]] || "";
    return `${name}\n${goal}`.toLowerCase();
  });
  state.byPlace = new Map();
  for (let row = 0; row < state.size; row++) state.byPlace.set(`${rows.run[row]}/${directoryOf(row)}`, row);
  state.runNumbers = new Map(index.runs.map((run, number) => [run.id, number]));
}

// A run with the figures by which it is ranked: those over what all runs played, where that is less than all.
function ranked(run) {
  const { common } = state.index;
  return common && common.scenarios ? { ...run, figures: common.runs[state.runNumbers.get(run.id)] } : run;
}

function isRanked(row) { return !state.index.common?.scenarios || state.index.rows.common[row]; }

function commonNote() {
  const { common } = state.index;
  return common ? h("p", { class: "notice" }, `These runs did not play the same scenarios: ${common.scenarios ? "numbers of runs are " : ""}${common.text}.`) : null;
}

function runOf(row) { return state.index.runs[state.index.rows.run[row]]; }
function scenarioOf(row) { return state.index.rows.scenario[row]; }
function nameOf(row) { return state.index.scenarios.name[scenarioOf(row)]; }
function directoryOf(row) {
  const rest = state.index.rows.directory[row];
  return rest.startsWith("=") ? rest.slice(1) : nameOf(row) + rest;
}
function baseOf(row) { return state.index.names.bases[state.index.scenarios.base[scenarioOf(row)]]; }
function familyOf(row) { return state.index.names.families[state.index.scenarios.family[scenarioOf(row)]]; }
function augmentationOf(row) { return state.index.names.augmentations[state.index.scenarios.augmentation[scenarioOf(row)]]; }
function outcomeOf(row) { return state.index.names.outcomes[state.index.rows.outcome[row]]; }
function goalOf(row) { return state.index.goals[baseOf(row)] || ""; }

// How scripted users are told what they have opened the conversation with.
const OPENING = /^You have just said: "([^]*?)" You want exactly that\.\s*/;

// Where lines are short: the opening request alone; elsewhere with all that the user was told besides.
function requestOf(row) { return OPENING.exec(goalOf(row))?.[1] ?? goalOf(row); }
function briefOf(row) { return goalOf(row).replace(OPENING, (_, request) => `“${request}” `).trim(); }

function rowAt(run, directory) {
  const row = state.byPlace.get(`${state.runNumbers.get(run)}/${directory}`);
  return row === undefined ? null : row;
}

function kindOf(row) {
  const rows = state.index.rows;
  if (!rows.evaluated[row]) return "excluded";
  if (rows.success[row]) return "success";
  return rows.score[row] > 0 ? "partial" : "failure";
}

// Marks that tell more than the score, as the filter names them.
const MARKS = {
  open: { text: "open", column: "open" },
  side_effects: { text: "side effects", column: "side_effects" },
  minefield: { text: "minefield hit", column: "minefield" },
  findings: { text: "user findings", column: "findings" },
  tool_errors: { text: "tool errors", column: "tool_errors" },
  invalid_calls: { text: "invalid calls", column: "invalid_calls" },
};

// What makes scenarios of the hard tier hard; those of the core tier have none.
function axes() { return state.index.names.axes.filter(Boolean); }

function chosen(query) {
  const { rows, names, scenarios } = state.index;
  const tests = [];
  const oneOf = (key, known, valueOf) => {
    if (!query.get(key)) return;
    const wanted = new Set(query.getAll(key).map((name) => known.indexOf(name)));
    tests.push((row) => wanted.has(valueOf(row)));
  };
  oneOf("run", state.index.runs.map((run) => run.id), (row) => rows.run[row]);
  oneOf("family", names.families, (row) => scenarios.family[scenarioOf(row)]);
  oneOf("augmentation", names.augmentations, (row) => scenarios.augmentation[scenarioOf(row)]);
  oneOf("tier", names.tiers, (row) => scenarios.tier[scenarioOf(row)]);
  oneOf("axis", names.axes, (row) => scenarios.axis[scenarioOf(row)]);
  oneOf("failure", names.failures, (row) => rows.failure[row]);
  oneOf("outcome", names.outcomes, (row) => rows.outcome[row]);
  if (query.get("category")) {
    const wanted = names.categories.indexOf(query.get("category"));
    const hits = scenarios.categories.map((list) => counts(list, wanted));
    tests.push((row) => hits[scenarioOf(row)]);
  }
  if (query.get("result")) {
    const wanted = query.get("result");
    const groups = { failed: (row) => rows.evaluated[row] && !rows.success[row], counted: (row) => rows.evaluated[row] };
    tests.push(Object.hasOwn(groups, wanted) ? groups[wanted] : (row) => kindOf(row) === wanted);
  }
  if (query.get("min")) tests.push((row) => rows.score[row] >= Number(query.get("min")));
  if (query.get("max")) tests.push((row) => rows.score[row] <= Number(query.get("max")));
  for (const mark of query.getAll("with")) {
    if (MARKS[mark]) tests.push((row) => rows[MARKS[mark].column][row] > 0);
  }
  const words = (query.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length) {
    const hits = state.searchable.map((text) => words.every((word) => text.includes(word)));
    tests.push((row) => hits[scenarioOf(row)]);
  }
  return tests.length ? state.order.filter((row) => tests.every((test) => test(row))) : state.order.slice();
}

// Variants with scrambled tools build on the one with three distraction tools and are not counted there again.
function counts(list, wanted) {
  const names = state.index.names.categories;
  if (!list.includes(wanted)) return false;
  const isScrambled = list.some((category) => /_(DESCRIPTION|NAME|TYPE)_SCRAMBLED$/.test(names[category]));
  return !(isScrambled && names[wanted] === "THREE_DISTRACTION_TOOLS");
}

const SORTS = {
  scenario: (row) => state.rankOfScenario[scenarioOf(row)],
  run: (row) => state.index.rows.run[row],
  family: (row) => state.index.scenarios.family[scenarioOf(row)],
  augmentation: (row) => state.index.scenarios.augmentation[scenarioOf(row)],
  outcome: (row) => state.index.rows.outcome[row],
};

function sorted(rows, key, isDescending) {
  // Where nothing else is asked for, what somebody has to decide comes first.
  if (!key) return rows.filter((row) => state.index.rows.open[row]).concat(rows.filter((row) => !state.index.rows.open[row]));
  if (!state.rankOfScenario || state.rankOfScenario.length !== state.index.scenarios.name.length) {
    const names = state.index.scenarios.name;
    const order = names.map((_, scenario) => scenario).sort((a, b) => (names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : a - b));
    state.rankOfScenario = [];
    order.forEach((scenario, rank) => { state.rankOfScenario[scenario] = rank; });
  }
  const column = state.index.rows[key];
  const valueOf = SORTS[key] || (column && ((row) => (column[row] === null ? -Infinity : column[row])));
  if (!valueOf) return rows;
  const values = new Map(rows.map((row) => [row, valueOf(row)]));
  const sign = isDescending ? -1 : 1;
  return rows.slice().sort((a, b) => sign * (values.get(a) - values.get(b) || 0) || a - b);
}

function add(total, row) {
  const rows = state.index.rows;
  total.count += 1;
  if (!rows.evaluated[row]) return;
  total.evaluated += 1;
  total.success += rows.success[row];
  total.score += rows.score[row];
}

function empty() { return { count: 0, evaluated: 0, success: 0, score: 0 }; }

function rate(total, measure) { return total && total.evaluated ? total[measure] / total.evaluated : null; }

// Totals by two keys at once: what a heat map shows.
function crossed(rows, rowKeys, columnKeys) {
  const totals = new Map();
  for (const row of rows) {
    for (const first of rowKeys(row)) {
      for (const second of columnKeys(row)) {
        const key = `${first}/${second}`;
        if (!totals.has(key)) totals.set(key, empty());
        add(totals.get(key), row);
      }
    }
  }
  return (first, second) => totals.get(`${first}/${second}`);
}

function sumOf(rows, column) {
  let sum = 0, known = 0;
  for (const row of rows) {
    const value = state.index.rows[column][row];
    if (value !== null) { sum += value; known += 1; }
  }
  return known ? { sum, known, mean: sum / known } : null;
}
