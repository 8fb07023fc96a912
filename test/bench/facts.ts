import { parseArgs } from "node:util";
import { measureFacts, type PageScore } from "./facts/measure.ts";
import { measureQuestions } from "./facts/measure-questions.ts";
import { sumFacts } from "./facts/score-facts.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    notes: { type: "boolean", default: false },
    half: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const folder = values.data ?? process.env["LABELLED_PAGES"];
if (folder === undefined || values.help) {
  console.error("npm run bench -- facts --data DIR (or LABELLED_PAGES=DIR) [--notes] [--half tuned]");
  process.exit(values.help ? 0 : 1);
}
const scores = measureFacts(folder).filter(({ half }) => values.half === undefined || half === values.half);
if (values.notes) {
  for (const { url, kind, notes } of scores) {
    if (notes.length > 0) console.log(`${kind.padEnd(14)}${url}\n    ${notes.join("\n    ")}`);
  }
}
const row = (name: string, part: readonly PageScore[]): void => {
  const { given, expected, right, precision, recall } = sumFacts(part);
  const counts = [part.length, expected, given, right].map((count) => String(count).padStart(9)).join("");
  console.log(`${name.padEnd(16)}${counts}${precision.toFixed(3).padStart(11)}${recall.toFixed(3).padStart(8)}`);
};
console.log("\n                    pages    facts    given    right  precision  recall");
for (const half of ["tuned", "further", "kept aside", "unseen"]) {
  const part = scores.filter((score) => score.half === half);
  if (part.length > 0) row(half, part);
}
for (const kind of new Set(scores.map((score) => score.kind)))
  row(
    kind,
    scores.filter((score) => score.kind === kind),
  );
row("all", scores);

const answers = (await measureQuestions(folder)).filter(
  ({ half }) => values.half === undefined || half === values.half,
);
if (values.notes) {
  for (const { outcome, question, url, given } of answers) {
    if (outcome !== "right") console.log(`${outcome}: ${question} (${url})\n    ${given.slice(0, 300)}`);
  }
}
console.log("\nquestions        asked    right  not found    wrong");
for (const half of ["tuned", "kept aside"]) {
  const part = answers.filter((answer) => answer.half === half);
  const count = (outcome: string): string =>
    String(part.filter((answer) => answer.outcome === outcome).length).padStart(9);
  if (part.length > 0)
    console.log(
      `${half.padEnd(13)}${String(part.length).padStart(9)}${count("right")}${count("not found")}  ${count("wrong")}`,
    );
}
