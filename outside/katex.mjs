// Reads formulas from standard input as JSON, and writes what KaTeX makes of each as JSON.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const katex = createRequire(process.argv[2] + "/")("katex");
const found = JSON.parse(readFileSync(0, "utf8")).map((formula) => {
  try {
    const options = { displayMode: true, throwOnError: true, strict: "error", output: "mathml" };
    return { mathml: katex.renderToString(formula, options) };
  } catch (error) {
    return { error: error.message };
  }
});
process.stdout.write(JSON.stringify(found));
