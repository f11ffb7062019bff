// Heat maps: categories by runs, families by augmentations.

views.maps = (parts, query) => {
  const measure = query.get("measure") === "score" ? "score" : "success";
  const run = query.get("run") || "";
  const rows = run ? chosen(new URLSearchParams({ run })) : state.order;
  return {
    title: "Heat maps",
    content: [
      h("header", { class: "page-head" }, h("h1", {}, "Heat maps"),
        h("p", { class: "lead" }, "Blue is high, orange is low; the number says how high, in per cent. A cell opens its conversations.")),
      h("div", { class: "bar" },
        select("Show", "measure", [["success", "success rate"], ["score", "mean score"]], measure),
        state.index.runs.length > 1 ? select("Families of", "run", [["", "all runs"], ...state.index.runs.map((one) => [one.id, one.label])], run) : null),
      categoryMap(state.order, measure, Infinity),
      axisMap(state.order, measure),
      failureTable(rows, run),
      familyMap(rows, measure, run),
    ],
  };
};

function select(label, key, options, value) {
  const change = (event) => { setQuery({ [key]: event.target.value }); render({ keepsPlace: true }).then(() => document.querySelector(`select[name="${key}"]`)?.focus()); };
  return h("label", { class: "field" }, h("span", {}, label), h("select", { name: key, onchange: change }, options.map(([option, text]) => h("option", { value: option, selected: option === value }, text))));
}

function heatMap({ caption, rowTitles, columnTitles, cell, measure }) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "heat" }, h("caption", { class: "sr" }, caption),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "sr" }, "name")), columnTitles.map((title) => h("th", { scope: "col" }, breakable(title))))),
      h("tbody", {}, rowTitles.map((title, first) => h("tr", {}, h("th", { scope: "row" }, title), columnTitles.map((column, second) => {
        const { total, href } = cell(first, second);
        const value = rate(total, measure);
        const look = shade(value);
        if (!total || !total.count) return h("td", { class: "shade none" }, h("span", { class: "sr" }, "nothing"));
        return h("td", look, h("a", { href, title: `${title} · ${column}: ${percent(value)} of ${total.evaluated}`, "aria-label": `${title}, ${column}: ${percent(value)} of ${total.evaluated}` }, value === null ? "∅" : Math.round(100 * value)));
      }))))));
}

function categoryMap(rows, measure, most) {
  const { names, runs, scenarios } = state.index;
  const inCategory = scenarios.categories.map((list) => list.filter((category) => counts(list, category)));
  const totalAt = crossed(rows, (row) => inCategory[scenarioOf(row)], (row) => [state.index.rows.run[row]]);
  const categories = names.categories.map((name, number) => ({ name, number, size: runs.reduce((sum, _, run) => sum + (totalAt(number, run)?.count || 0), 0) })).filter((one) => one.size);
  categories.sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1));
  const shownOnes = categories.slice(0, most);
  return h("section", { class: "card" }, h("h2", {}, "Categories"),
    heatMap({
      caption: `${MEASURES[measure]} by category and run`, measure, rowTitles: shownOnes.map((one) => readable(one.name)), columnTitles: runs.map((run) => run.label),
      cell: (first, second) => ({ total: totalAt(shownOnes[first].number, second), href: link("conversations", [], { category: shownOnes[first].name, run: runs.length > 1 ? runs[second].id : null }) }),
    }),
    categories.length > shownOnes.length ? h("p", {}, h("a", { href: "#/maps" }, `All ${categories.length} categories, families and augmentations`)) : null, scaleKey());
}

function axisMap(rows, measure) {
  const { names, runs, scenarios } = state.index;
  if (!axes().length) return null;
  const totalAt = crossed(rows, (row) => [scenarios.axis[scenarioOf(row)]], (row) => [state.index.rows.run[row]]);
  return h("section", { class: "card" }, h("h2", {}, "Axes of the hard tier"),
    heatMap({
      caption: `${MEASURES[measure]} by axis and run`, measure, rowTitles: axes().map(readable), columnTitles: runs.map((run) => run.label),
      cell: (first, second) => ({ total: totalAt(names.axes.indexOf(axes()[first]), second), href: link("conversations", [], { axis: axes()[first], run: runs.length > 1 ? runs[second].id : null }) }),
    }), scaleKey());
}

// How conversations failed: a number per failure mode and axis, or tier where there is one alone.
function failureTable(rows, run) {
  const { names, scenarios } = state.index;
  const modes = names.failures.filter(Boolean).sort();
  if (!modes.length) return null;
  const key = axes().length ? "axis" : "tier";
  const parts = key === "axis" ? names.axes : names.tiers;
  const totalAt = crossed(rows, (row) => [state.index.rows.failure[row]], (row) => [scenarios[key][scenarioOf(row)]]);
  const cell = (mode, part) => {
    const total = totalAt(names.failures.indexOf(mode), parts.indexOf(part));
    return h("td", {}, total ? h("a", { href: link("conversations", [], { failure: mode, [key]: part, run }) }, count(total.count)) : "");
  };
  return h("section", { class: "card" }, h("h2", {}, "How conversations failed"),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Failure modes" },
      h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "failure mode"), parts.map((part) => h("th", { scope: "col" }, readable(part || "core"))))),
        h("tbody", {}, modes.map((mode) => h("tr", {}, h("th", { scope: "row" }, readable(mode)), parts.map((part) => cell(mode, part))))))));
}

function familyMap(rows, measure, run) {
  const { names, scenarios } = state.index;
  const totalAt = crossed(rows, (row) => [scenarios.family[scenarioOf(row)]], (row) => [scenarios.augmentation[scenarioOf(row)]]);
  const families = names.families.map((name, number) => ({ name, number })).sort((a, b) => (a.name < b.name ? -1 : 1));
  return h("section", { class: "card" }, h("h2", {}, "Families and augmentations"),
    heatMap({
      caption: `${MEASURES[measure]} by family and augmentation`, measure, rowTitles: families.map((one) => readable(one.name)), columnTitles: names.augmentations.map(readable),
      cell: (first, second) => ({ total: totalAt(families[first].number, second), href: link("conversations", [], { family: families[first].name, augmentation: names.augmentations[second], run }) }),
    }), scaleKey());
}

function scaleKey() {
  return h("p", { class: "scale", "aria-hidden": "true" }, h("span", {}, "0"), [0, 0.25, 0.5, 0.75, 1].map((value) => { const look = shade(value); return h("span", { ...look, class: "shade step" }); }), h("span", {}, "100"), h("span", { class: "shade none step" }), h("span", {}, "nothing played"));
}
