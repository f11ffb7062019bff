// Served pages: which runs there are, and what has happened since the last look.

views.runs = async () => {
  const listing = await fetchJson("api/runs");
  const { runs, folder } = listing;
  state.listing = JSON.stringify(listing);
  // The choice outlives a redrawing of the list.
  const picked = (state.picked ||= new Set(new URLSearchParams(location.search).getAll("run")));
  const open = () => { const query = new URLSearchParams([...picked].map((id) => ["run", id])); location.assign(`${location.pathname}?${query}#/overview`); };
  const button = h("button", { type: "button", class: "primary", disabled: picked.size === 0, onclick: open }, "Open those chosen");
  const choose = (ids, isOn) => { ids.forEach((id) => (isOn ? picked.add(id) : picked.delete(id))); button.disabled = picked.size === 0; };
  const groups = new Map();
  for (const run of runs) groups.set(run.group, [...(groups.get(run.group) || []), run]);
  const line = (run) => h("tr", {}, h("td", {}, h("input", { type: "checkbox", "aria-label": `choose ${run.id}`, checked: picked.has(run.id), onchange: (event) => choose([run.id], event.target.checked) })),
    h("th", { scope: "row" }, h("a", { href: `?${new URLSearchParams({ run: run.id })}#/overview` }, run.agent), h("span", { class: "goal" }, run.id)), h("td", {}, run.user), h("td", {}, run.started.slice(0, 16).replace("T", " ")),
    h("td", {}, h("progress", { max: run.planned, value: run.played, "aria-label": "played" }), " ", h("span", { class: "number" }, `${count(run.played)} of ${count(run.planned)}`)));
  return {
    title: "Runs",
    content: [
      h("header", { class: "page-head" }, h("h1", {}, "Runs"), h("p", { class: "lead" }, `${plural(runs.length, "run")} in ${folder}`)),
      runs.length ? [...groups].map(([group, members]) => h("section", { class: "card" },
        h("h2", {}, group || "Runs", members.length > 1 ? h("a", { class: "quiet", href: `?${new URLSearchParams(members.map((run) => ["run", run.id]))}#/overview` }, ` open all ${members.length}`) : null),
        h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": group || "Runs" }, h("table", { class: "board runs" }, h("tbody", {}, members.map(line)))))) : emptyNote(),
      runs.length ? h("p", {}, button) : null,
    ],
  };
};

function follow() {
  if (!isServed()) return;
  let version = state.index.version, isGone = false;
  const look = async () => {
    const began = performance.now();
    let wait = 2000;
    try {
      const query = new URLSearchParams(location.search);
      query.set("after", version);
      const index = await fetchJson(`api/index?${query}`);
      if (isGone) setStatus("");
      isGone = false;
      if (current.view === "runs" && JSON.stringify(await fetchJson("api/runs")) !== state.listing) await render({ keepsPlace: true });
      if (index.version !== version) {
        version = index.version;
        state.index = index;
        prepareRows(index);
        if (state.redraw) state.redraw();
        else if (["overview", "board", "maps"].includes(current.view)) await render({ keepsPlace: true });
      }
    } catch {
      setStatus("The server has gone; what is here stays as it is.");
      isGone = true;
      wait = 5000;
    }
    // A large run takes longer to sum up; the server is left alone nine tenths of the time.
    setTimeout(look, Math.max(wait, 9 * (performance.now() - began)));
  };
  setTimeout(look, 1000);
}

function setStatus(text, { isGood = false } = {}) {
  const status = document.getElementById("status");
  status.classList.toggle("good", isGood);
  if (status.textContent !== text) status.textContent = text;
}
