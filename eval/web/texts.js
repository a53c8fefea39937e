"use strict";
// Elements, and texts in them. What models and pages wrote is set as text, wherever it comes from.
const at = (id) => document.getElementById(id);
// Control characters but tab and line feed, and what turns or hides text: the same as in markup.py.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\ud800-\udfff]/gu;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// A text, with a spelling of what is not seen set apart from letters that only look like one.
function shown(text) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(UNSEEN)) {
    if (found.index > from) parts.push(text.slice(from, found.index));
    const spelled = "\\u" + found[0].codePointAt(0).toString(16).padStart(4, "0");
    parts.push(element("span", { class: "unseen" }, spelled));
    from = found.index + found[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

// The data of the page: base64 of gzip of JSON.
async function unpacked(packed) {
  const letters = atob(packed);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// A try is a list of numbers: these, and then thought, action and observation of each step as numbers of texts.
const RUN = 0, ITEM = 1, OUTCOME = 2, END = 3, LABEL = 4, LABEL_STEP = 5, REASON = 6, REWARD = 7, ANSWER = 8, ERROR = 9, COUNTS = 10, STEPS = 14;
const COUNTED = ["calls", "prompt tokens", "completion tokens", "invalid actions"];
const OUTCOMES = { success: "solved", failure: "not solved", failed: "infrastructure failed" };
const SIGNS = { success: "\u2713", failure: "\u2717", failed: "!" };
const PARTS = ["thought", "action", "observation"];

// What a page holds, with names for the numbers.
class Store {
  constructor(data) {
    Object.assign(this, data);
    this.byItem = this.items.map(() => new Map());
    this.tries.forEach((one, i) => this.byItem[one[ITEM]].set(one[RUN], i));
    this.runNumbers = new Map(this.runs.map((run, i) => [run.name, i]));
    this.itemNumbers = new Map();
    this.items.forEach((item, i) => this.itemNumbers.set(item[0], i));
  }
  run(one) { return this.runs[one[RUN]]; }
  text(number) { return this.texts[number]; }
  question(one) { return this.texts[this.items[one[ITEM]][1]]; }
  outcome(one) { return this.outcomes[one[OUTCOME]]; }
  end(one) { return this.ends[one[END]].replaceAll("_", " "); }
  label(one) { return this.labels[one[LABEL]]; }
  kind(one) { return this.texts[this.items[one[ITEM]][3]]; }
  length(one) { return (one.length - STEPS) / 3; }
  // The number of the text of a part of a step; of a step that was not there, -1.
  part(one, step, part) { return step < this.length(one) ? one[STEPS + 3 * step + part] : -1; }
}
