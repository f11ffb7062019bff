// The index (a table of all conversations) is there at once; details are decoded, or fetched, when they are opened.

const state = { index: null, pages: new Map(), views: new Map(), live: null };

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function embedded(id) {
  const element = document.getElementById(id);
  return element === null ? null : element.textContent;
}

async function fetchJson(path, options = {}) {
  const answer = await fetch(path, { cache: "no-store", ...options });
  if (!answer.ok) throw new Error((await answer.text()) || `the server answered ${answer.status}`);
  return answer.json();
}

function post(path, value) {
  return fetchJson(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
}

function isServed() {
  return document.getElementById("index") === null;
}

async function loadIndex() {
  const text = embedded("index");
  state.index = text === null ? await fetchJson("api/index" + location.search) : await inflate(text);
  prepareRows(state.index);
}

async function readPage(number) {
  if (!state.pages.has(number)) {
    if (state.pages.size > 12) state.pages.delete(state.pages.keys().next().value);
    state.pages.set(number, inflate(embedded(`page-${number}`)));
  }
  return state.pages.get(number);
}

async function readDetails(row) {
  if (!isServed()) {
    const page = state.index.rows.page[row];
    return page < 0 ? null : (await readPage(page))[state.index.rows.slot[row]];
  }
  const query = new URLSearchParams({ run: runOf(row).id, directory: directoryOf(row) });
  return fetchJson(`api/conversation?${query}`);
}

function readTheme() {
  try { return localStorage.getItem("tool_sandbox-theme"); } catch { return null; }
}

function applyTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function switchTheme() {
  const theme = isDark() ? "light" : "dark";
  applyTheme(theme);
  try { localStorage.setItem("tool_sandbox-theme", theme); } catch { /* a page from disk may not keep anything */ }
}
