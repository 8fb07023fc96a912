import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "../service/wrangler.ts";
import { findRetiredNames, findRetiredWords, questionStarts, retiredWordsOf } from "./retired-words.ts";

const GLOSSARY = "src/docs/glossary.md";
const TEXTS = ["README.md", "src/**/*.{ts,tsx,mjs,cjs,md,html}"];
/** The texts that name the retired words in order to retire them. */
const EXEMPT = [GLOSSARY, "src/tools/testing/retired-words.ts"];

const CODE = /\.(?:ts|tsx)$/;

/** Prints each retired word or name and each comment that begins with a question word, and exits with 1 when there is one. */
const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), "utf8");
const words = retiredWordsOf(read(GLOSSARY));
if (words.length === 0) throw new Error(`${GLOSSARY} retires no word: its tables have lost their third column`);
let count = 0;
for (const path of globSync(TEXTS, { cwd: PROJECT_ROOT })) {
  if (EXEMPT.includes(path)) continue;
  const text = read(path);
  for (const line of questionStarts(text)) {
    count++;
    console.log(`${path}:${line}: begin the comment with a verb or a noun phrase, not with What, Whether or Who.`);
  }
  const names = CODE.test(path) ? findRetiredNames(path, text, words) : [];
  for (const { line, word, instead } of [...findRetiredWords(text, words), ...names]) {
    count++;
    console.log(`${path}:${line}: "${word}" is retired. Use: ${instead}.`);
  }
}
process.exitCode = count === 0 ? 0 : 1;
