// Every view is a link: #/view/part/part?key=value.

const views = {};
let current = { view: "overview", parts: [], query: new URLSearchParams() };
let cleanUp = null;

function link(view, parts = [], query = {}) {
  const words = [view, ...parts].map(encodeURIComponent).join("/");
  const search = query instanceof URLSearchParams ? new URLSearchParams(query) : new URLSearchParams();
  if (!(query instanceof URLSearchParams)) {
    for (const [key, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value]) if (one !== null && one !== undefined && one !== "") search.append(key, one);
    }
  }
  const text = search.toString();
  return `#/${words}${text ? `?${text}` : ""}`;
}

function toConversation(row, query = {}) {
  return link("conversation", [runOf(row).id, directoryOf(row)], query);
}

function readHash() {
  const [path, search = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const words = path.split("/").filter(Boolean).map((word) => { try { return decodeURIComponent(word); } catch { return word; } });
  return { view: words[0] || "overview", parts: words.slice(1), query: new URLSearchParams(search) };
}

// Changes the query of the view that is open; the table redraws itself and is not built anew.
function setQuery(changes, { isNew = false } = {}) {
  const query = new URLSearchParams(current.query);
  for (const [key, value] of Object.entries(changes)) {
    query.delete(key);
    for (const one of Array.isArray(value) ? value : [value]) if (one !== null && one !== undefined && one !== "") query.append(key, one);
  }
  current = { ...current, query };
  const hash = link(current.view, current.parts, query);
  history[isNew ? "pushState" : "replaceState"](null, "", location.pathname + location.search + hash);
  markNavigation();
}

function go(hash) {
  if (location.hash === hash) render();
  else location.hash = hash;
}

let drawing = 0;

async function render({ keepsPlace = false } = {}) {
  const mine = ++drawing;
  current = readHash();
  const main = document.getElementById("main");
  const view = Object.hasOwn(views, current.view) ? views[current.view] : views.missing;
  try {
    const drawn = await view(current.parts, current.query);
    if (mine !== drawing) return;
    if (cleanUp) cleanUp();
    cleanUp = drawn.cleanUp || null;
    replace(main, drawn.content);
    document.title = drawn.title ? `${drawn.title} · ${state.index.title}` : state.index.title;
    if (!keepsPlace) { window.scrollTo(0, 0); setStatus(""); }
    if (drawn.ready) drawn.ready();
    if (!keepsPlace && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
  } catch (error) {
    if (mine !== drawing) return;
    replace(main, h("div", { class: "notice bad", role: "alert" }, h("h1", {}, "This cannot be shown"), h("p", {}, error.message)));
  }
  markNavigation();
}

function markNavigation() {
  for (const anchor of document.querySelectorAll(".top nav a")) {
    const isHere = anchor.dataset.views.split(" ").includes(current.view);
    if (isHere) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
}

views.missing = () => ({
  title: "Not found",
  content: h("div", { class: "notice" }, h("h1", {}, "There is no such view"), h("p", {}, h("a", { href: "#/overview" }, "Back to the overview"))),
});
