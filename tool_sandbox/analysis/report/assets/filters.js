// The filters above the table; each is part of the link.

function filters(query, refresh) {
  const { names, runs } = state.index;
  const apply = (changes) => { setQuery(changes); refresh(); };
  const choice = (key, label, options) => h("label", { class: "field" }, h("span", {}, label),
    h("select", { name: key, onchange: (event) => apply({ [key]: event.target.value }) }, h("option", { value: "" }, "any"),
      options.map(([value, text]) => h("option", { value, selected: query.get(key) === value }, text))));
  const number = (key, label) => h("label", { class: "field small" }, h("span", {}, label),
    h("input", { type: "number", name: key, min: "0", max: "1", step: "0.05", value: query.get(key) || "", oninput: (event) => apply({ [key]: event.target.value }) }));
  const alphabetical = (list) => list.slice().sort().map((name) => [name, readable(name)]);
  const search = h("input", { type: "search", name: "q", placeholder: "scenario or goal   ( / )", title: "Searches names of scenarios and what their users want, not the messages", value: query.get("q") || "", autocomplete: "off", spellcheck: "false", oninput: (event) => apply({ q: event.target.value }) });
  const marks = h("fieldset", { class: "marks" }, h("legend", {}, "with"), Object.entries(MARKS).map(([mark, { text }]) => h("label", {},
    h("input", { type: "checkbox", name: "with", value: mark, checked: query.getAll("with").includes(mark), onchange: () => apply({ with: [...marks.querySelectorAll("input:checked")].map((box) => box.value) }) }), text)));
  const clear = h("button", { type: "button", class: "quiet", onclick: () => go(link("conversations", [], query.get("sort") ? { sort: query.get("sort") } : {})) }, "Clear");
  const more = ["tier", "axis", "failure", "family", "augmentation", "category", "min", "max", "with"].some((key) => query.get(key));
  return h("form", { class: "filters", role: "search", "aria-label": "Filter conversations", onsubmit: (event) => event.preventDefault() },
    h("label", { class: "field wide" }, h("span", {}, "Search"), search),
    runs.length > 1 ? choice("run", "Run", runs.map((run) => [run.id, run.label])) : null,
    choice("result", "Result", [["success", "✓ success"], ["failed", "not successful"], ["partial", "◐ partly"], ["failure", "✕ score 0"], ["counted", "counted"], ["excluded", "∅ not counted"]]),
    choice("outcome", "Ended", alphabetical(names.outcomes)),
    h("details", { class: "more", open: more }, h("summary", {}, "More filters"),
      h("div", { class: "more-body" }, names.tiers.length > 1 ? choice("tier", "Tier", alphabetical(names.tiers)) : null, axes().length ? choice("axis", "Axis", alphabetical(axes())) : null, names.failures.some(Boolean) ? choice("failure", "Failed by", alphabetical(names.failures.filter(Boolean))) : null, choice("family", "Family", alphabetical(names.families)), choice("augmentation", "Augmentation", alphabetical(names.augmentations)), choice("category", "Category", alphabetical(names.categories)), number("min", "Score from"), number("max", "to"), marks)),
    clear);
}
