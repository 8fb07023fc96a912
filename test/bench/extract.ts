import { measureLies } from "./extract/measure-lies.ts";
import { measureExtraction, totalOf } from "./extract/measure.ts";

if (process.argv.includes("--help")) {
  console.log("npm run bench -- extract [--notes]\n\n  --notes  prints what is wrong on each page");
  process.exit(0);
}
const isVerbose = process.argv.includes("--notes");
const scores = measureExtraction();

console.log("Deterministic extraction, pages with known facts (test/fixtures/extract)\n");
console.log(`${"page".padEnd(34)}${"facts".padStart(6)}${"given".padStart(7)}${"right".padStart(7)}`);
for (const { page, expected, given, right, notes } of scores) {
  console.log(
    `${page.padEnd(34)}${String(expected).padStart(6)}${String(given).padStart(7)}${String(right).padStart(7)}`,
  );
  if (isVerbose) for (const note of notes) console.log(`    ${note}`);
}
const { precision, recall, given, expected } = totalOf(scores);
console.log(`\n${scores.length} pages, ${expected} facts, ${given} given`);
console.log(`field precision ${precision.toFixed(3)} (at least 0.95), recall ${recall.toFixed(3)} (at least 0.75)`);

const lies = await measureLies();
const count = (read: (score: (typeof lies)[number]) => number): number =>
  lies.reduce((sum, score) => sum + read(score), 0);
console.log(`\nThe same pages, read by a model that makes everything up: ${count((score) => score.lies)} values`);
console.log(`quotes that stand on no page: ${count((score) => score.fabricated)} (none)`);
console.log(`values that are not marked unverified: ${count((score) => score.believed.length)} (none)`);
