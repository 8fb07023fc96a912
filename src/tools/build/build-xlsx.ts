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
 * The same in loops that copy a repeated cell or column: 400,000 copies, the limit for the cells of all sheets, are within the steps
 * of a small file.
 */
const REPEAT = "$steps+=4;";
/** Names that SheetJS has for the cell or column. */
const COPIED = new Set<unknown>(["q", "csty", "coll"]);

/**
 * Returns the format by which a cell is written. Built-in formats of dates in East Asian languages (ECMA-376 part 1 § 18.8.30), those
 * of years of an era, `g`, and of days of the week, `aaa`, are not known to SheetJS: they become the format that the caller has for
 * dates.
 */
const KNOWN_FORMAT = String.raw`
const $knownFormat=(format,dates)=>{
if(!dates||typeof format!=="string"||!/[ag]|^m\/d\/yy$/i.test(format))return format;
if(format==="m/d/yy")return dates;
const signs=format.replace(/"[^"]*"|\[[^[\]]*\]|\\.|_./g,"").replace(/general|am\/pm|a\/p/gi,"");
return/g|a{3}/i.test(signs)?dates+(/h/i.test(signs)?" hh:mm":""):format;
};
`;

/**
 * Writes `dist/xlsx.mjs`, a copy of SheetJS that counts its work: a link over a whole sheet makes it fill in billions of
 * cells, and it cannot be stopped in any other way. The copy writes dates of East Asian formats as others.
 */
export async function buildXlsx(): Promise<void> {
  await writeCountedCopy("xlsx.mjs", { source: SOURCE, makers: [import.meta.filename], count: countLoops });
}

/** Makes every loop of a program report its iterations to what `limitWork` was given. @throws Error when there are hardly any. */
export function countLoops(source: string): string {
  const insertions: Insertion[] = [];
  const fills: Insertion[] = [];
  const repeats: Insertion[] = [];
  let loops = 0;
  const program = parse(source, { ecmaVersion: "latest", sourceType: "module" });
  walk(program, (node) => {
    if (isLoop(node)) {
      loops++;
      insertions.push(...inLoop(node));
      if (hasOwn(node, isEmptyCell)) fills.push({ at: loopStart(node), text: FILL });
      if (hasOwn(node, isCopy)) repeats.push({ at: loopStart(node), text: REPEAT });
    }
    return "enter";
  });
  insertions.push(knownFormat(program));
  if (fills.length === 0 || repeats.length === 0)
    throw new Error("SheetJS has changed, so the cells that it creates cannot be counted");
  if (loops < 500) throw new Error(`SheetJS has changed, so its work cannot be counted: it has ${loops} loops`);
  return COUNTING_HEAD + KNOWN_FORMAT + insert(source, [...insertions, ...fills, ...repeats]);
}

/** Changes the format in `SSF_format` behind the statement that finds it. @throws Error without that statement */
function knownFormat(program: Node): Insertion {
  const format = children(program, "body").find(
    (node) => node.type === "FunctionDeclaration" && field(child(node, "id"), "name") === "SSF_format",
  );
  const statements = format === undefined ? [] : children(child(format, "body"), "body");
  const found = statements.find(({ type }) => type === "SwitchStatement");
  if (found === undefined) throw new Error("SheetJS has changed, so formats of dates cannot be replaced");
  return { at: found.end, text: "sfmt=$knownFormat(sfmt,o.dateNF);" };
}

/** True for the innermost loop around a node of a kind. */
function hasOwn(loop: Node, isMeant: (node: Node) => boolean): boolean {
  let isFound = false;
  walk(child(loop, "body"), (node) => {
    isFound ||= isMeant(node);
    return isLoop(node) ? "skip" : "enter";
  });
  return isFound;
}

/** True for a copy of a cell or column, such as `dup(q)`. */
function isCopy(node: Node): boolean {
  if (node.type !== "CallExpression" || field(child(node, "callee"), "name") !== "dup") return false;
  return children(node, "arguments").some((argument) => COPIED.has(field(argument, "name")));
}

/** True for an empty cell, `{t: "z", v: undefined}`. */
function isEmptyCell(node: Node): boolean {
  if (node.type !== "ObjectExpression") return false;
  const [type, value, ...others] = children(node, "properties");
  if (type === undefined || value === undefined || others.length > 0) return false;
  return field(child(type, "value"), "value") === "z" && field(child(value, "value"), "name") === "undefined";
}
