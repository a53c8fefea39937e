// The browser of the page: choices, keys, addresses such as #/run/item and #/run/item/run beside.
const KEPT = "staract-report";
const THEMES = { "": "as the system", light: "light", dark: "dark" };
let kept = { theme: "", single: true };
try { kept = { ...kept, ...JSON.parse(localStorage.getItem(KEPT)) }; } catch { /* nothing is kept here */ }

function keep(change) {
  kept = { ...kept, ...change };
  try { localStorage.setItem(KEPT, JSON.stringify(kept)); } catch { /* it holds until the page is closed */ }
}

function theme(name) {
  if (name in THEMES) keep({ theme: name });
  document.documentElement.dataset.theme = kept.theme;
  at("theme").textContent = `Theme: ${THEMES[kept.theme]}`;
}

function nextTheme() {
  const names = Object.keys(THEMES);
  theme(names[(names.indexOf(kept.theme) + 1) % names.length]);
}

function select(label, options, key) {
  const made = element("select", {}, ...options.map(([value, said]) => element("option", { value }, ...shownPlain(said))));
  at("filters").append(element("label", {}, element("span", {}, label, ...(key ? [" ", element("kbd", {}, key)] : [])), made));
  return made;
}

// An option holds text alone: what is not seen is spelled out in it without its frame.
function shownPlain(text) {
  return [shown(text).map((part) => (typeof part === "string" ? part : part.textContent)).join("")];
}

class Browser {
  constructor(store) {
    this.store = store;
    this.filters = new Filters(store);
    this.chosen = -1;
    this.list = new List(store, (number) => this.open(number, true));
    this.selects = this.filters.facets.map((facet) => {
      const made = select(facet.name, [["-1", "all"], ...facet.values.map((value, i) => [i, value])]);
      made.parentElement.hidden = facet.values.length < 2;
      made.addEventListener("change", () => { facet.chosen = Number(made.value); this.refresh(); });
      return made;
    });
    this.beside = select("Beside it", [["-1", "nothing"], ...store.runs.map((run, i) => [i, run.name])], "b");
    this.beside.addEventListener("change", () => this.setBeside(Number(this.beside.value)));
    this.paired = select("Of these pairs", Object.entries(PAIRED));
    this.paired.addEventListener("change", () => { this.filters.paired = this.paired.value; this.refresh(); });
    const clear = element("button", { type: "button" }, "Clear ", element("kbd", {}, "c"));
    clear.addEventListener("click", () => this.clear());
    at("filters").append(clear);
    this.beside.parentElement.hidden = store.runs.length < 2;
    at("search").addEventListener("input", () => {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.find(), 120);
    });
    at("filters").addEventListener("submit", (event) => event.preventDefault());
    addEventListener("hashchange", () => this.follow());
    for (const id of ["filters", "browser"]) at(id).hidden = false;
    this.refresh();
    this.open(-1);
    this.follow();
  }

  find() {
    clearTimeout(this.waiting);
    this.filters.search(at("search").value);
    this.refresh();
    this.highlight();
  }

  refresh() {
    const { found, counts } = this.filters.apply();
    this.paired.parentElement.hidden = this.filters.beside < 0;
    this.selects.forEach((made, f) => this.filters.facets[f].values.forEach((value, i) => {
      made.options[i + 1].textContent = `${shownPlain(value)[0]} (${counts[f][i].toLocaleString("en")})`;
    }));
    const all = this.store.tries.length.toLocaleString("en");
    at("count").textContent = `${found.length.toLocaleString("en")} of ${all} trajectories`;
    this.list.show(found, this.chosen);
  }

  clear() {
    this.filters.clear();
    at("search").value = "";
    [...this.selects, this.paired].forEach((made) => { made.selectedIndex = 0; });
    this.refresh();
    this.highlight();
  }

  setBeside(run) {
    this.filters.beside = run;
    this.beside.value = String(run);
    if (run < 0) { this.filters.paired = ""; this.paired.selectedIndex = 0; }
    this.refresh();
    this.open(this.chosen, true);
  }

  // The try of the run beside on the same item, if there is one.
  other(one) {
    const number = this.store.byItem[one[ITEM]].get(this.filters.beside);
    return number === undefined || one[RUN] === this.filters.beside ? null : this.store.tries[number];
  }

  // Shows a try; `told`: the address says so.
  open(number, told = false) {
    this.chosen = number;
    const box = at("episode"), one = this.store.tries[number];
    if (!one) {
      box.replaceChildren(element("p", { class: "hint" }, "Choose a trajectory: with the mouse, or with the keys j and k."));
      return;
    }
    const other = this.other(one);
    box.classList.toggle("two", Boolean(other));
    box.replaceChildren(...episode(this.store, one, other));
    if (told) history.replaceState(null, "", this.address(one, other));
    if (box.getBoundingClientRect().top < 0) box.scrollIntoView({ behavior: "instant" });
    this.highlight();
  }

  address(one, other) {
    const names = [this.store.run(one).name, this.store.items[one[ITEM]][0], ...(other ? [this.store.run(other).name] : [])];
    return `#/${names.map(encodeURIComponent).join("/")}`;
  }

  // Goes where the address points.
  follow() {
    if (!location.hash.startsWith("#/")) return;
    let names;
    try { names = location.hash.slice(2).split("/").map(decodeURIComponent); } catch { return; }
    const [run, item, beside] = [this.store.runNumbers.get(names[0]), this.store.itemNumbers.get(names[1]), this.store.runNumbers.get(names[2])];
    const number = this.store.byItem[item]?.get(run);
    if (number === undefined) { at("problem").textContent = "There is no such trajectory here."; return; }
    at("problem").textContent = "";
    this.chosen = number;
    this.setBeside(beside ?? -1);
    at("browse").scrollIntoView({ behavior: "instant" });
  }

  // Marks what was searched for in the trajectory.
  highlight() {
    if (!("highlights" in CSS)) return;
    const ranges = [], walk = document.createTreeWalker(at("episode"), NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node && this.filters.words?.length; node = walk.nextNode()) {
      const text = node.data.toLowerCase();
      if (text.length !== node.data.length) continue;  // places in it would be others
      for (const word of this.filters.words) {
        for (let place = text.indexOf(word); place >= 0; place = text.indexOf(word, place + word.length)) {
          ranges.push(new StaticRange({ startContainer: node, startOffset: place, endContainer: node, endOffset: place + word.length }));
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  }

  key(event) {
    const { key, target } = event;
    if (target === at("search") && (key === "Enter" || key === "Escape")) {
      event.preventDefault();
      this.find();
      at("list").focus();
      return true;
    }
    if (target === at("list") && this.list.moves(key)) this.list.go(this.list.place < 0 ? 0 : this.list.place + this.list.moves(key));
    else if (target === at("list") && key === "Enter") at("episode").focus();
    else if (!letters(event)) return false;
    else if (key === "j" || key === "k") this.list.go(this.list.place + (key === "j" ? 1 : -1));
    else if (key === "/") at("search").focus();
    else if (key === "b") this.beside.focus();
    else if (key === "c") this.clear();
    else if (key === "p") at("episode").querySelector(".parting:not(.words), .parting")?.focus();
    else return false;
    return true;
  }
}

// Whether a key is a command, and not a letter of a text or of a choice.
function letters(event) {
  return kept.single && !event.target.matches("input, select, textarea");
}

let browser = null;
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || at("help").open) return;
  if (browser && browser.key(event)) event.preventDefault();
  else if (letters(event) && event.key === "?") { event.preventDefault(); at("help").showModal(); }
  else if (letters(event) && event.key === "t") nextTheme();
});
at("theme").addEventListener("click", nextTheme);
at("keys").addEventListener("click", () => at("help").showModal());
at("single").addEventListener("change", (event) => keep({ single: event.target.checked }));
at("single").checked = kept.single;
document.querySelector(".tools").hidden = false;
theme();
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));

async function begin() {
  at("count").textContent = "Reading the trajectories\u2026";
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));  // the tables are seen first
  try {
    browser = new Browser(new Store(await unpacked(at("data").textContent)));
    at("data").remove();
  } catch (error) {
    at("count").textContent = "";
    at("problem").textContent = `The trajectories cannot be read: ${error.message}. It takes a browser of 2024 or later.`;
  }
}
begin();
