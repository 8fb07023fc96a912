import { join } from "node:path";
import { parse } from "acorn";
import { COUNTING_HEAD, inLoop, insert, type Insertion, isLoop, walk, writeCountedCopy } from "./counted-copy.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";

const SOURCE = join(PROJECT_ROOT, "node_modules/@e965/xlsx/xlsx.mjs");

/**
 * Writes `dist/xlsx.mjs`, a copy of SheetJS that counts its work: a link over a whole sheet makes it fill in billions of
 * cells, and it cannot be stopped in any other way.
 */
export async function buildXlsx(): Promise<void> {
  await writeCountedCopy("xlsx.mjs", { source: SOURCE, maker: import.meta.filename, count: countLoops });
}

/** Makes every loop of a program report its turns to what `limitWork` was given. @throws Error when there are hardly any. */
export function countLoops(source: string): string {
  const insertions: Insertion[] = [];
  let loops = 0;
  walk(parse(source, { ecmaVersion: "latest", sourceType: "module" }), (node) => {
    if (isLoop(node)) {
      loops++;
      insertions.push(...inLoop(node));
    }
    return "enter";
  });
  if (loops < 500) throw new Error(`SheetJS has changed, so its work cannot be counted: it has ${loops} loops`);
  return COUNTING_HEAD + insert(source, insertions);
}
