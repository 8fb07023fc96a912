import { join } from "node:path";
import { type Node, parse } from "acorn";
import {
  child,
  children,
  COUNTING_HEAD,
  field,
  inLoop,
  insert,
  type Insertion,
  isLoop,
  loopStart,
  walk,
  writeCountedCopy,
} from "./counted-copy.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";

const SOURCE = join(PROJECT_ROOT, "node_modules/@e965/xlsx/xlsx.mjs");
/** Steps that an iteration counts in loops that create empty cells, whose number comes from the file. */
const FILL = "$steps+=32;";

/**
 * Writes `dist/xlsx.mjs`, a copy of SheetJS that counts its work: a link over a whole sheet makes it fill in billions of
 * cells, and it cannot be stopped in any other way.
 */
export async function buildXlsx(): Promise<void> {
  await writeCountedCopy("xlsx.mjs", { source: SOURCE, makers: [import.meta.filename], count: countLoops });
}

/** Makes every loop of a program report its iterations to what `limitWork` was given. @throws Error when there are hardly any. */
export function countLoops(source: string): string {
  const insertions: Insertion[] = [];
  const fills: Insertion[] = [];
  let loops = 0;
  walk(parse(source, { ecmaVersion: "latest", sourceType: "module" }), (node) => {
    if (isLoop(node)) {
      loops++;
      insertions.push(...inLoop(node));
      if (createsCells(node)) fills.push({ at: loopStart(node), text: FILL });
    }
    return "enter";
  });
  if (fills.length === 0) throw new Error("SheetJS has changed, so the cells that it creates cannot be counted");
  if (loops < 500) throw new Error(`SheetJS has changed, so its work cannot be counted: it has ${loops} loops`);
  return COUNTING_HEAD + insert(source, [...insertions, ...fills]);
}

/** True for the innermost loop around an empty cell, `{t: "z", v: undefined}`. */
function createsCells(loop: Node): boolean {
  let creates = false;
  walk(child(loop, "body"), (node) => {
    creates ||= isEmptyCell(node);
    return isLoop(node) ? "skip" : "enter";
  });
  return creates;
}

function isEmptyCell(node: Node): boolean {
  if (node.type !== "ObjectExpression") return false;
  const [type, value, ...others] = children(node, "properties");
  if (type === undefined || value === undefined || others.length > 0) return false;
  return field(child(type, "value"), "value") === "z" && field(child(value, "value"), "name") === "undefined";
}
