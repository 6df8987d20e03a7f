"use strict";
// The what-if form: predict again whenever an input changes.
function startWhatIf(box, data, predict) {
  const form = box.querySelector("form"), result = box.querySelector(".result");
  const start = new Map();
  const inputs = [...form.querySelectorAll("[name]")];
  inputs.forEach((input) => start.set(input, input.value));
  function rowOf() {
    const row = Object.create(null);
    inputs.forEach((input) => {
      const text = input.value.trim();
      const isNumber = input.dataset.kind === "number";
      const wrong = isNumber && text !== "" && !Number.isFinite(Number(text));
      input.setAttribute("aria-invalid", wrong);
      row[input.name] = text === "" || wrong ? null : isNumber ? Number(text) : text;
      input.classList.toggle("changed", input.value !== start.get(input));
    });
    return row;
  }
  function percent(share) { return (100 * share).toFixed(1) + " %"; }
  function number(value) { return Number(value.toPrecision(6)).toLocaleString("en"); }
  function element(name, className, text) {
    const found = document.createElement(name);
    if (className) found.className = className;
    if (text !== undefined) found.textContent = text;
    return found;
  }
  const first = predict(rowOf());
  function show() {
    const now = predict(rowOf());
    result.replaceChildren();
    if (now.probabilities) {
      result.append(element("div", "big", now.class === null ? "undecided" : String(now.class)));
      const bars = element("div", "bars");
      data.classes.forEach((name, i) => {
        const share = now.probabilities[i];
        const bar = element("div", "bar");
        bar.style.width = `${100 * (Number.isFinite(share) ? share : 0)}%`;
        bars.append(element("div", "name", name), bar, element("div", "", percent(share)));
      });
      result.append(bars);
      const changed = data.classes.map((name, i) => [name, first.probabilities[i], now.probabilities[i]]);
      const most = changed.sort((a, b) => Math.abs(b[2] - b[1]) - Math.abs(a[2] - a[1]))[0];
      const same = Math.abs(most[2] - most[1]) < 0.0005;
      result.append(element("p", "faint", same ? "At the first values of the form." :
        `${most[0]}: ${percent(most[1])} at the first values, ${percent(most[2])} now.`));
    } else {
      const values = Array.isArray(now.value) ? now.value : [now.value];
      const before = Array.isArray(first.value) ? first.value : [first.value];
      result.append(element("div", "big", values.map(number).join(", ")));
      const moved = values.map((v, i) => v - before[i]);
      result.append(element("p", "faint", moved.every((d) => d === 0) ? "At the first values of the form." :
        moved.map((d) => (d > 0 ? "+" : "") + number(d)).join(", ") + " from the first values."));
    }
  }
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(show));
  show();
}
// The threshold slider: counts and costs of the mistakes at a threshold of the probability.
function startThreshold(box, data) {
  const slider = box.querySelector("[name=threshold]"), out = box.querySelector("tbody");
  const costs = ["false_positive", "false_negative"].map((name) => box.querySelector(`[name=${name}]`));
  const thresholds = data.thresholds.map((t) => (t === null ? Infinity : t));
  function place(at) { // the last point whose threshold is at least the slider's
    let found = 0;
    thresholds.forEach((t, i) => { if (t >= at) found = i; });
    return found;
  }
  function counts(i) {
    const tp = data.tpr[i] * data.positives, fp = data.fpr[i] * data.negatives;
    return { tp, fp, fn: data.positives - tp, tn: data.negatives - fp };
  }
  function cost(i) {
    const c = counts(i);
    return c.fp * Number(costs[0].value) + c.fn * Number(costs[1].value);
  }
  function show() {
    const at = Number(slider.value), c = counts(place(at)), n = data.positives + data.negatives;
    const rows = [
      ["threshold", at.toFixed(2)],
      ["accuracy", ((c.tp + c.tn) / n).toFixed(3)],
      ["precision", c.tp + c.fp > 0 ? (c.tp / (c.tp + c.fp)).toFixed(3) : ""],
      ["recall", data.positives > 0 ? (c.tp / data.positives).toFixed(3) : ""],
      [`true ${data.positive} predicted ${data.negative}`, Math.round(c.fn)],
      [`true ${data.negative} predicted ${data.positive}`, Math.round(c.fp)],
      ["cost of the mistakes", Math.round(cost(place(at)) * 100) / 100],
    ];
    out.replaceChildren(...rows.map(([name, value]) => {
      const row = document.createElement("tr"), head = document.createElement("th"), cell = document.createElement("td");
      head.scope = "row";
      head.style.textAlign = "left";
      head.textContent = name;
      cell.textContent = value;
      cell.style.textAlign = "right";
      row.append(head, cell);
      return row;
    }));
  }
  box.querySelector("button").addEventListener("click", () => {
    let best = 0;
    thresholds.forEach((t, i) => { if (cost(i) < cost(best)) best = i; });
    slider.value = Math.min(1, thresholds[best]);
    show();
  });
  [slider, ...costs].forEach((input) => input.addEventListener("input", show));
  show();
}
