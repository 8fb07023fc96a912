import { HELD_OUT_QUESTIONS, QUESTIONS } from "../site/made-up-web/questions.ts";
import { askMadeUpWeb, type Judged } from "./questions/ask-made-up-web.ts";

if (process.argv.includes("--help")) {
  console.log("npm run bench -- questions [--held-out] [--notes]\n\n  --held-out  the 20 questions that were set aside\n  --notes     prints each answer that is not right");
  process.exit(0);
} // prettier-ignore
const isHeldOut = process.argv.includes("--held-out");
const judged = await askMadeUpWeb(isHeldOut ? HELD_OUT_QUESTIONS : QUESTIONS);
const count = (verdict: Judged["verdict"]): number => judged.filter((each) => each.verdict === verdict).length;
const honest = judged.filter(
  ({ question, verdict }) => verdict === "not found" && question.answer === undefined,
).length;
console.log(
  `${judged.length} questions: ${count("right")} right, ${count("not found")} not found (${honest} of them rightly), ${count("wrong")} wrong; ` +
    `${judged.reduce((sum, { pagesRead }) => sum + pagesRead, 0)} pages read`,
);
if (process.argv.includes("--notes")) {
  for (const { question, verdict, result, pagesRead } of judged) {
    if (verdict === "right" || (verdict === "not found" && question.answer === undefined)) continue;
    console.log(
      `\n${verdict}: ${question.prompt} (${pagesRead} pages)\n  ${result.replaceAll("\n", "\n  ").slice(0, 600)}`,
    );
  }
}
process.exit(0);
