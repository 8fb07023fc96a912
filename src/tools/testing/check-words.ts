import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "../service/wrangler.ts";
import { countQuestionStarts, findRetiredWords, retiredWordsOf } from "./retired-words.ts";

const GLOSSARY = "src/docs/glossary.md";
const TEXTS = ["README.md", "src/**/*.{ts,tsx,mjs,cjs,md,html}"];
/** The texts that name the retired words in order to retire them. */
const EXEMPT = [GLOSSARY, "src/tools/testing/retired-words.ts"];

/**
 * Comments that still begin with What, Whether or Who. The number only goes down: lower it with each comment that is
 * rewritten.
 */
const MAX_QUESTION_STARTS = 520;

/** Prints each retired word that the project's code or documents use, and exits with 1 when there is one. */
const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), "utf8");
const words = retiredWordsOf(read(GLOSSARY));
if (words.length === 0) throw new Error(`${GLOSSARY} retires no word: its tables have lost their third column`);
let count = 0;
let questionStarts = 0;
for (const path of globSync(TEXTS, { cwd: PROJECT_ROOT })) {
  if (EXEMPT.includes(path)) continue;
  const text = read(path);
  questionStarts += countQuestionStarts(text);
  for (const { line, word, instead } of findRetiredWords(text, words)) {
    count++;
    console.log(`${path}:${line}: "${word}" is retired. Use: ${instead}.`);
  }
}
if (questionStarts > MAX_QUESTION_STARTS) {
  count++;
  console.log(
    `${questionStarts} comments begin with What, Whether or Who, and ${MAX_QUESTION_STARTS} did before. Begin with a verb or a noun phrase.`,
  );
}
process.exitCode = count === 0 ? 0 : 1;
