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
/** Bytes of a copy besides its characters. */
const COPY_BYTES = 100;
/**
 * Ends the copies of an OpenDocument row at the last row that is read, and counts the bytes of a row whose first cell is far to the
 * right: `R` and `C` are the position of the cell, `rpt` is the number of the copy.
 */
const REPEATED_ROW = `if(opts.sheetRows&&R+rpt>=opts.sheetRows)break;
$limits.takeBytes(12*Math.max(0,C-((ws["!data"]||[])[R+rpt]||[]).length));`;
/** Spaces that one element of OpenDocument stands for (ODF 1.3 part 3 § 6.1.3): its count may be that of gigabytes. */
const MAX_SPACES = 100;
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

/** Counts the bytes of a value that is copied by way of its JSON. */
const COPYING = `
const $copied=(json)=>{$limits.takeBytes(json.length+${COPY_BYTES});return json};
`;

/**
 * Writes `dist/xlsx.mjs`, a copy of SheetJS that counts its work: a link over a whole sheet makes it fill in billions of
 * cells, and it cannot be stopped in any other way. The copy writes dates of East Asian formats as others, and limits the spaces
 * that are written as a count.
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
  insertions.push(knownFormat(program), ...countedCopies(program), ...fewSpaces(program), repeatedRows(program));
  if (fills.length === 0 || repeats.length === 0)
    throw new Error("SheetJS has changed, so the cells that it creates cannot be counted");
  if (loops < 500) throw new Error(`SheetJS has changed, so its work cannot be counted: it has ${loops} loops`);
  return COUNTING_HEAD + KNOWN_FORMAT + COPYING + insert(source, [...insertions, ...fills, ...repeats]);
}

/** Changes the format in `SSF_format` behind the statement that finds it. @throws Error without that statement */
function knownFormat(program: Node): Insertion {
  const statements = children(child(functionNamed(program, "SSF_format"), "body"), "body");
  const found = statements.find(({ type }) => type === "SwitchStatement");
  if (found === undefined) throw new Error("SheetJS has changed, so formats of dates cannot be replaced");
  return { at: found.end, text: "sfmt=$knownFormat(sfmt,o.dateNF);" };
}

/** Counts the bytes of what `dup` copies. */
function countedCopies(program: Node): Insertion[] {
  const call = callIn(
    functionNamed(program, "dup"),
    (callee) => callee.type === "MemberExpression" && nameOf(child(callee, "property")) === "stringify",
  );
  return around(call, "$copied(", ")");
}

/** Limits the copies of a row in `parse_content_xml`. @throws Error without the one loop that makes them */
function repeatedRows(program: Node): Insertion {
  const loops: Node[] = [];
  walk(functionNamed(program, "parse_content_xml"), (node) => {
    if (node.type === "ForStatement" && hasOwn(node, isCopy)) loops.push(node);
    return "enter";
  });
  const [loop, ...others] = loops;
  if (loop === undefined || others.length > 0) throw new Error("SheetJS has changed, so its rows cannot be limited");
  return { at: loopStart(loop), text: REPEATED_ROW };
}

/** Limits the spaces that `parse_text_p` writes for one element. */
function fewSpaces(program: Node): Insertion[] {
  const call = callIn(functionNamed(program, "parse_text_p"), (callee) => nameOf(callee) === "parseInt");
  return around(call, "Math.min(", `,${MAX_SPACES})`);
}

function around({ start, end }: Node, before: string, after: string): Insertion[] {
  return [
    { at: start, text: before },
    { at: end, text: after },
  ];
}

function functionNamed(program: Node, name: string): Node {
  const found = children(program, "body").find(
    (node) => node.type === "FunctionDeclaration" && nameOf(child(node, "id")) === name,
  );
  if (found === undefined) throw new Error(`SheetJS has changed: it has no function ${name}`);
  return found;
}

/** Returns the one call of a kind in a function. @throws Error when there is none, or several */
function callIn(inside: Node, isCallee: (callee: Node) => boolean): Node {
  const calls: Node[] = [];
  walk(inside, (node) => {
    if (node.type === "CallExpression" && isCallee(child(node, "callee"))) calls.push(node);
    return "enter";
  });
  const [only, ...others] = calls;
  if (only === undefined || others.length > 0)
    throw new Error("SheetJS has changed, so its copies or spaces cannot be limited");
  return only;
}

function nameOf(node: Node): unknown {
  return field(node, "name");
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
  if (node.type !== "CallExpression" || nameOf(child(node, "callee")) !== "dup") return false;
  return children(node, "arguments").some((argument) => COPIED.has(field(argument, "name")));
}

/** True for an empty cell, `{t: "z", v: undefined}`. */
function isEmptyCell(node: Node): boolean {
  if (node.type !== "ObjectExpression") return false;
  const [type, value, ...others] = children(node, "properties");
  if (type === undefined || value === undefined || others.length > 0) return false;
  return field(child(type, "value"), "value") === "z" && field(child(value, "value"), "name") === "undefined";
}
