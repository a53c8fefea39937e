// Which tries are shown: by what is chosen of each facet, by the words searched for, and by how a run beside did.
const FACETS = [
  { name: "Outcome", of: (store, one) => OUTCOMES[store.outcome(one)] },
  { name: "Run", of: (store, one) => store.run(one).name },
  { name: "Method", of: (store, one) => store.run(one).method },
  { name: "Condition", of: (store, one) => store.run(one).condition },
  { name: "Model", of: (store, one) => store.run(one).model },
  { name: "Environment", of: (store, one) => store.run(one).environment },
  { name: "End", of: (store, one) => store.end(one) },
  { name: "Class", of: (store, one) => store.label(one) || "no opinion" },
  { name: "Kind of task", of: (store, one) => store.kind(one) || "none" },
];
const PAIRED = {
  "": "all of their items",
  differ: "one solved it, the other did not",
  first: "solved, not by the run beside",
  second: "not solved, but by the run beside",
  both: "both solved it",
  neither: "neither solved it",
};

class Filters {
  constructor(store) {
    this.store = store;
    this.facets = FACETS.map((facet) => {
      const numbers = new Map();
      const of = store.tries.map((one) => {
        const value = facet.of(store, one);
        if (!numbers.has(value)) numbers.set(value, numbers.size);
        return numbers.get(value);
      });
      return { name: facet.name, values: [...numbers.keys()], of: Int32Array.from(of), chosen: -1 };
    });
    this.hits = null;
    this.beside = -1;
    this.paired = "";
  }

  // Words that must all occur in a try, in any case; quotes make a phrase.
  search(query) {
    this.words = [...query.matchAll(/"([^"]+)"?|(\S+)/g)].map((found) => (found[1] || found[2]).toLowerCase());
    if (!this.words.length) { this.hits = null; return; }
    this.lower ||= this.store.texts.map((text) => text.toLowerCase());
    const { tries, items } = this.store;
    this.hits = new Uint8Array(tries.length).fill(1);
    for (const word of this.words) {
      const inTexts = Uint8Array.from(this.lower, (text) => text.includes(word));
      const inItems = Uint8Array.from(items, ([name, question, gold]) =>
        inTexts[question] || inTexts[gold] || name.toLowerCase().includes(word));
      tries.forEach((one, i) => { this.hits[i] &&= inItems[one[ITEM]] || this.inTry(one, inTexts); });
    }
  }

  inTry(one, inTexts) {
    if (inTexts[one[ANSWER]] || inTexts[one[ERROR]]) return 1;
    for (let i = STEPS; i < one.length; i++) if (inTexts[one[i]]) return 1;
    return 0;
  }

  // Whether a try has one beside it, and of the outcomes that are asked for.
  pairs(one) {
    if (this.beside < 0 || !this.paired) return true;
    const other = this.store.byItem[one[ITEM]].get(this.beside);
    if (other === undefined || one[RUN] === this.beside) return false;
    const [here, there] = [one, this.store.tries[other]].map((tried) => this.store.outcome(tried) === "success");
    return { differ: here !== there, first: here && !there, second: !here && there, both: here && there,
      neither: !here && !there }[this.paired];
  }

  // The numbers of the tries that are shown; and of each facet, how many there would be of each value.
  apply() {
    const found = [];
    const counts = this.facets.map((facet) => new Int32Array(facet.values.length));
    this.store.tries.forEach((one, i) => {
      if ((this.hits && !this.hits[i]) || !this.pairs(one)) return;
      let missed = -1;
      for (let f = 0; f < this.facets.length; f++) {
        const { chosen, of } = this.facets[f];
        if (chosen < 0 || of[i] === chosen) continue;
        if (missed >= 0) return;
        missed = f;
      }
      if (missed >= 0) { counts[missed][this.facets[missed].of[i]]++; return; }
      found.push(i);
      this.facets.forEach((facet, f) => counts[f][facet.of[i]]++);
    });
    return { found, counts };
  }

  clear() {
    this.facets.forEach((facet) => { facet.chosen = -1; });
    this.hits = null;
    this.words = [];
    this.paired = "";
  }
}
