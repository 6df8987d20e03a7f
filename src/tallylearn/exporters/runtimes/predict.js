function read(row, name) {
  if (!Object.prototype.hasOwnProperty.call(row, name)) {
    throw new TypeError(`the row has no column ${JSON.stringify(name)}`);
  }
  const value = typeof row[name] === "string" ? row[name].trim() : row[name];
  const missing = value === undefined || value === null || Number.isNaN(value);
  return missing || MISSING.includes(value) ? null : value;
}

function number(row, name) {
  const value = read(row, name);
  if (value === null) return NaN;
  const found = Number(value);
  if (Number.isNaN(found)) {
    throw new TypeError(`column ${JSON.stringify(name)} has ${JSON.stringify(value)}: pass a number`);
  }
  return found;
}

function days(row, name) {
  const value = read(row, name);
  if (value === null || typeof value === "number") return value === null ? NaN : value;
  return instant(name, value) / 86400000;
}

function instant(name, value) {
  const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(value) || !/\d\d:\d\d/.test(value);
  const text = String(value).replace(" ", "T");
  const found = value instanceof Date ? value.getTime() : Date.parse(zoned ? text : `${text}Z`);
  if (Number.isNaN(found)) {
    throw new TypeError(`column ${JSON.stringify(name)} has ${JSON.stringify(value)}: pass a date`);
  }
  return found;
}

function datePart(row, name, part) {
  const value = read(row, name);
  if (value === null) return null;
  instant(name, value);
  const text = value instanceof Date ? value.toISOString() : String(value);
  const local = new Date(`${text.replace(" ", "T").replace(/(Z|[+-]\d\d:?\d\d)$/, "").slice(0, 19)}${text.length > 10 ? "Z" : ""}`);
  if (part === "weekday") return String((local.getUTCDay() + 6) % 7);
  const found = { year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate(), hour: local.getUTCHours() }[part];
  return part === "year" || part === "day" ? found : String(found).padStart(2, "0");
}

function partNumber(row, name, part) {
  const value = datePart(row, name, part);
  return value === null ? NaN : value;
}

function category(row, name) {
  const value = read(row, name);
  if (value === null || typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "number" ? numberText(value) : String(value);
}

function numeral(row, name) {
  const value = category(row, name);
  return value === null || Number.isNaN(Number(value)) ? value : numberText(Number(value));
}

function truth(row, name) {
  const value = category(row, name);
  const word = { 0: "False", 1: "True", false: "False", true: "True" }[String(value).toLowerCase()];
  return value === null || word === undefined ? value : word;
}

function numberText(value) {
  if (Number.isInteger(value)) return BigInt(value).toString();
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Math.abs(value) >= 1e-4) return String(value);
  return value.toExponential().replace(/e-(\d)$/, "e-0$1");
}

function fill(value, otherwise) {
  return Number.isNaN(value) ? otherwise : value;
}

function fillCategory(value, otherwise) {
  return value === null ? otherwise : value;
}

function isMissing(value) {
  return value === null || Number.isNaN(value) ? 1 : 0;
}

function equals(value, other) {
  return value === other ? 1 : 0;
}

function lookup(value, table, other, missing) {
  if (value === null) return missing;
  const found = table.get(value);
  return found === undefined ? other : found;
}

function binLabel(value, cuts, labels, closed) {
  if (Number.isNaN(value)) return null;
  let at = 0;
  while (at < cuts.length && (closed === "left" ? cuts[at] <= value : cuts[at] < value)) at += 1;
  return labels[at];
}

function clip(value, low, high) {
  return value < low ? low : value > high ? high : value;
}

function divide(numerator, denominator) {
  return numerator / denominator;
}

function power(base, exponent) {
  return Math.pow(base, exponent);
}

function gaussian(value, mean, deviation) {
  const away = (value - mean) / deviation;
  return -0.5 * away * away - Math.log(deviation) - 0.5 * Math.log(2 * Math.PI);
}

function words(row, name, shortest, longest) {
  const value = read(row, name);
  if (value === null) return null;
  const found = String(value).toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];
  const counts = new Map();
  for (let size = shortest; size <= longest; size += 1) {
    for (let at = 0; at + size <= found.length; at += 1) {
      const term = found.slice(at, at + size).join(" ");
      counts.set(term, (counts.get(term) || 0) + 1);
    }
  }
  return counts;
}

function wordSum(terms, table, binary) {
  let total = 0;
  for (const [term, count] of terms || []) {
    if (table.has(term)) total += table.get(term) * (binary ? 1 : count);
  }
  return total;
}

function wordCount(terms, listed) {
  return terms === null ? 0 : listed.reduce((n, word) => n + (terms.has(word) ? 1 : 0), 0);
}

function child(node, numbers, categories) {
  if (node.length === 5) {
    const value = numbers[node[0]];
    if (Number.isNaN(value)) return node[4];
    return value <= node[1] ? node[2] : node[3];
  }
  return lookup(categories[node[0]], node[1], node[2], node[3]);
}

function walk(tree, numbers, categories) {
  let at = 0;
  while (tree[at] !== null) {
    const next = child(tree[at], numbers, categories);
    if (next < 0) break;
    at = next;
  }
  return at;
}

function mix(tree, weights, numbers, categories, outcomes) {
  const total = outcomes[0].map(() => 0);
  const waiting = [[0, 1]];
  while (waiting.length) {
    const [at, part] = waiting.pop();
    const node = tree[at];
    const kids = node === null ? [] : children(node);
    const missing = node !== null && isMissing(node.length === 5 ? numbers[node[0]] : categories[node[0]]);
    const next = node === null ? -1 : child(node, numbers, categories);
    if (missing) {
      const whole = kids.reduce((sum, kid) => sum + weights[kid], 0);
      for (const kid of kids) waiting.push([kid, part * (weights[kid] / whole)]);
    } else if (next < 0) {
      outcomes[at].forEach((outcome, i) => { total[i] += part * outcome; });
    } else {
      waiting.push([next, part]);
    }
  }
  return total;
}

function children(node) {
  const every = node.length === 5 ? node.slice(2) : [...node[1].values(), node[2], node[3]];
  return [...new Set(every)].filter((kid) => kid >= 0).sort((a, b) => a - b);
}

function distances(metric, p, numbers, examples) {
  if (metric === "cosine") return cosine(numbers, examples);
  return examples.map((example) => {
    let total = 0;
    numbers.forEach((value, j) => {
      const apart = Math.abs(value - example[j]);
      if (metric === "chebyshev") total = Math.max(total, apart);
      else if (metric === "manhattan") total += apart;
      else total += metric === "euclidean" ? apart * apart : Math.pow(apart, p);
    });
    if (metric === "euclidean") return Math.sqrt(total);
    return metric === "minkowski" ? Math.pow(total, 1 / p) : total;
  });
}

function cosine(numbers, examples) {
  const unit = (row) => {
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
    return row.map((value) => value / length);
  };
  const u = unit(numbers);
  return examples.map((example) => {
    const v = unit(example);
    const apart = u.reduce((sum, value, j) => sum + (value - v[j]) * (value - v[j]), 0) / 2;
    if (apart < 1e-31 * u.length) return 0;
    return Number.isNaN(apart) ? 1 : apart;
  });
}

function gower(scale, numbers, categories, known, exampleNumbers, exampleCategories) {
  return exampleNumbers.map((example, i) => {
    let total = 0;
    let shared = 0;
    numbers.forEach((value, j) => {
      const apart = Math.abs(value - example[j]) / scale[j];
      if (!Number.isNaN(apart)) {
        total += apart;
        shared += 1;
      }
    });
    categories.forEach((value, j) => {
      const other = exampleCategories[i][j];
      if (value === null || other === null || (known.length && !known[j].has(value))) return;
      total += value === other ? 0 : 1;
      shared += 1;
    });
    return shared > 0 ? total / shared : Infinity;
  });
}

function nearest(distances) {
  return distances.reduce((best, one) => Math.min(best, one), Infinity);
}

function neighbours(distances, k, weights, ties) {
  const sorted = [...distances].sort((a, b) => a - b);
  const reach = sorted[k - 1] * (1 + 1e-12);
  let near = distances.map((_, i) => i).filter((i) => distances[i] <= reach);
  near.sort((a, b) => distances[a] - distances[b] || a - b);
  let group = 0;
  const ordered = near.map((example, at) => {
    if (at === 0 ? distances[example] > Infinity : distances[example] > distances[near[at - 1]] * (1 + 1e-12)) group += 1;
    return [group, example];
  });
  ordered.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  near = ordered.map((pair) => pair[1]);
  if (ties === "first") near = near.slice(0, k);
  const d = near.map((i) => distances[i]);
  if (weights === "uniform") return near.map((i) => [i, 1]);
  if (d.includes(0)) return near.map((i) => [i, distances[i] === 0 ? 1 : 0]);
  const closest = nearest(d);
  const power = weights === "distance" ? 1 : 2;
  return near.map((i) => [i, Math.pow(closest / distances[i], power)]);
}

function votes(distances, labels, classes, k, weights, ties) {
  const total = new Array(classes).fill(0);
  for (const [i, weight] of neighbours(distances, k, weights, ties)) total[labels[i]] += weight;
  const whole = total.reduce((sum, value) => sum + value, 0);
  return total.map((value) => value / whole);
}

function neighbourMean(distances, targets, k, weights, ties) {
  let total = 0;
  let whole = 0;
  for (const [i, weight] of neighbours(distances, k, weights, ties)) {
    total += weight * targets[i];
    whole += weight;
  }
  return total / whole;
}

function softmax(scores) {
  const best = Math.max(...scores);
  const slack = 1e-9 + 1e-14 * Math.abs(best);
  const tied = (score) => Math.abs(best) > 1e5 && score >= best - slack;
  const shares = scores.map((score) => Math.exp(tied(score) ? 0 : score - best));
  const whole = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / whole);
}

function fallback(vector, otherwise) {
  return vector.every((value) => value === -Infinity) ? otherwise : vector;
}

function matrixProduct(vector, matrix) {
  return matrix[0].map((_, j) => vector.reduce((sum, value, i) => sum + value * matrix[i][j], 0));
}

function select(vector, places) {
  return places.map((at) => (at < 0 ? 0 : vector[at]));
}

function oneHot(choice, classes) {
  return Array.from({ length: classes }, (_, i) => (i === choice ? 1 : 0));
}

function scaled(vector, weight) {
  return vector.map((value) => weight * value);
}

function added(vector, other, weight) {
  return vector.map((value, i) => value + weight * other[i]);
}

function argmax(scores, absolute, relative, largest, choose) {
  const best = Math.max(...scores);
  if (Number.isNaN(best)) return -1;
  let slack = absolute + relative * Math.abs(best);
  if (largest) slack += largest * Math.max(...scores.map(Math.abs));
  const tied = [];
  scores.forEach((score, i) => { if (score === best || score >= best - slack) tied.push(i); });
  if (choose === "undefined" && tied.length > 1) return -1;
  return choose === "last" ? tied[tied.length - 1] : tied[0];
}
