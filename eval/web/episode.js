// A try as a person reads it, alone or beside another one of the same item.

function facts(store, one) {
  const rows = [["Outcome", [sign(store, one), `${OUTCOMES[store.outcome(one)]}, reward ${one[REWARD]}, ${store.end(one)}`]],
    ["Handed in", shown(store.text(one[ANSWER]) || "(nothing)")]];
  if (one[ERROR] && store.text(one[ERROR])) rows.push(["Error", shown(store.text(one[ERROR]))]);
  if (store.label(one)) rows.push(["Class", [`${store.label(one)}: `, ...shown(store.text(one[REASON]))]]);
  const { method, source, model } = store.run(one);
  rows.push(["Run", shown(`${method}, ${source}, ${model}`)]);
  const counts = COUNTED.map((name, i) => [name, one[COUNTS + i]]).filter(([, count]) => count >= 0);
  const told = counts.map(([name, count]) => `${count.toLocaleString("en")} ${name}`);
  rows.push(["Took", [[`${store.length(one)} steps`, ...told].join(", ")]]);
  return element("dl", { class: "facts" }, ...rows.flatMap(([name, said]) => [element("dt", {}, name), element("dd", {}, ...said)]));
}

function sign(store, one) {
  const outcome = store.outcome(one);
  return element("span", { class: `sign ${outcome}`, "aria-hidden": "true" }, SIGNS[outcome]);
}

// The parts of a step that are there.
function parts(store, one, step) {
  return PARTS.flatMap((name, part) => {
    const said = store.text(store.part(one, step, part));
    return said ? [element("div", { class: `part ${name}` }, element("b", {}, name[0].toUpperCase() + name.slice(1)), element("p", {}, ...shown(said)))] : [];
  });
}

function side(store, one, step, name) {
  const inside = step < store.length(one) ? parts(store, one, step) : [element("p", { class: "opinion" }, "(it had ended)")];
  return element("div", { class: "side", role: "group", "aria-label": name }, element("p", { class: "who" }, ...shown(name)), ...inside, ...opinion(store, one, step));
}

function opinion(store, one, step) {
  return one[LABEL] && one[LABEL_STEP] === step + 1 && store.length(one) > 1
    ? [element("p", { class: "opinion" }, `First opinion: ${store.label(one)}`)] : [];
}

// The first step at which two tries say or see something else; and the first at which they do something else.
function parting(store, one, other) {
  const longest = Math.max(store.length(one), store.length(other));
  const differ = (step, part) => store.part(one, step, part) !== store.part(other, step, part);
  let words = -1;
  for (let step = 0; step < longest; step++) {
    if (words < 0 && [0, 1, 2].some((part) => differ(step, part))) words = step;
    if (differ(step, 1)) return { words, actions: step };
  }
  return { words, actions: -1 };
}

function steps(store, one, other) {
  const apart = other && parting(store, one, other);
  const longest = Math.max(store.length(one), other ? store.length(other) : 0);
  return element("ol", { class: "steps" }, ...Array.from({ length: longest }, (_, step) => {
    const line = element("li", { class: "step" }, element("h4", {}, `Step ${step + 1}`));
    if (apart && step === apart.actions) line.append(mark("parting", "Here they part: they act differently"));
    else if (apart && step === apart.words) line.append(mark("parting words", "From here on they say or see something else"));
    const same = other && [0, 1, 2].every((part) => store.part(one, step, part) === store.part(other, step, part));
    if (!other) line.append(element("div", {}, ...parts(store, one, step), ...opinion(store, one, step)));
    else if (same) line.append(element("div", { class: "both", role: "group", "aria-label": "both" }, ...parts(store, one, step)));
    else line.append(side(store, one, step, store.run(one).name), side(store, other, step, store.run(other).name));
    return line;
  }));
}

function mark(name, told) {
  return element("p", { class: name, tabindex: "-1" }, told);
}

function episode(store, one, other) {
  const [name, question, gold, kind] = store.items[one[ITEM]];
  const about = [`Item ${name}`, store.text(kind), store.text(gold) ? `right answer: ${store.text(gold)}` : "judged by the environment"];
  const sides = [one, ...(other ? [other] : [])].map((tried) =>
    element("div", {}, element("p", { class: "who" }, ...shown(store.run(tried).name)), facts(store, tried)));
  const apart = other && parting(store, one, other);
  const same = apart && apart.words < 0 ? [element("p", { class: "parting words" }, "They are the same, word for word")] : [];
  return [
    element("h3", { class: "question" }, ...shown(store.text(question) || "(no question)")),
    element("p", { class: "item" }, ...shown(about.filter(Boolean).join(" \u00b7 "))),
    element("div", { class: "sides" }, ...sides), ...same, steps(store, one, other),
  ];
}
