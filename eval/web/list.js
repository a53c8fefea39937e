// The tries that were found, of which only those in sight are in the page.
const ROW = 58, MORE = 6;

class List {
  constructor(store, choose) {
    this.store = store;
    this.found = [];
    this.place = -1;
    this.choose = choose;
    this.box = at("list");
    this.box.addEventListener("scroll", () => requestAnimationFrame(() => this.draw()), { passive: true });
    this.box.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) this.go(Number(row.dataset.place));
    });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  // Other tries; the chosen one stays, where it is among them.
  show(found, chosen) {
    this.found = found;
    this.place = found.indexOf(chosen);
    at("room").style.height = `${found.length * ROW}px`;
    this.box.scrollTop = Math.max(0, (this.place - 2) * ROW);
    this.draw();
  }

  draw() {
    const from = Math.max(0, Math.floor(this.box.scrollTop / ROW) - MORE);
    const to = Math.min(this.found.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + MORE);
    at("room").replaceChildren(...this.found.slice(from, to).map((number, i) => this.row(number, from + i)));
    const inSight = this.place >= from && this.place < to;
    if (inSight) this.box.setAttribute("aria-activedescendant", `row${this.place}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  row(number, place) {
    const { store } = this, one = store.tries[number];
    const about = [store.run(one).name, store.label(one) || OUTCOMES[store.outcome(one)], store.end(one), store.kind(one)];
    const said = store.question(one).slice(0, 160).replace(/\s+/g, " ");
    const row = element("div", { class: "row", role: "option", id: `row${place}`, "data-place": place, "aria-posinset": place + 1,
      "aria-setsize": this.found.length, "aria-selected": String(place === this.place) },
      element("div", {}, sign(store, one), ...shown(said || store.items[one[ITEM]][0])),
      element("div", { class: "about" }, ...shown(about.filter(Boolean).join(" \u00b7 "))));
    row.style.top = `${place * ROW}px`;
    return row;
  }

  // Chooses the try at a place.
  go(place) {
    if (!this.found.length) return;
    this.place = Math.min(Math.max(0, place), this.found.length - 1);
    const top = this.place * ROW, { scrollTop, clientHeight } = this.box;
    if (top < scrollTop) this.box.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight) this.box.scrollTop = top + ROW - clientHeight;
    this.draw();
    this.choose(this.found[this.place]);
  }

  // How far a key of the list goes; 0: it is none.
  moves(key) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 1);
    return { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.found.length, End: this.found.length }[key] || 0;
  }
}
