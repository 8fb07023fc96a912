import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Node } from "acorn";
import { fingerprintOf } from "./fingerprint.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";

/** Number of iterations that are counted at a time. */
const STEPS_PER_REPORT = 256;
const STEP = `if(++$steps>=${STEPS_PER_REPORT})$report();`;

/** The first lines of counted code: `limitWork` sets the function that receives the counted steps. */
export const COUNTING_HEAD = `let $steps=0,$limits={takeSteps(){},takeBytes(){},inflate(){},leaveForm(){},leaveAnnotations(){},leaveImage(){},paint(){}};
const $report=()=>{const steps=$steps;$steps=0;$limits.takeSteps(steps)};
export function limitWork(limits){$limits=limits}
`;

/** Text that is put into a program at a place. */
export interface Insertion {
  at: number;
  text: string;
}

/**
 * Writes a copy of a library that counts its work to `dist`. Does nothing when the copy is up to date.
 * @param makers paths of the programs that make it
 */
export async function writeCountedCopy(
  fileName: string,
  { source, makers, count }: { source: string; makers: string[]; count: (source: string) => string },
): Promise<void> {
  const folder = join(PROJECT_ROOT, "dist");
  const output = join(folder, fileName);
  const mark = `// ${await fingerprintOf([source, ...makers, import.meta.filename])}\n`;
  const known = await readFile(output, "utf8").catch(() => "");
  if (known.startsWith(mark)) return;
  const counting = count(await readFile(source, "utf8"));
  await mkdir(folder, { recursive: true });
  // Written beside and renamed, as several programs may build at once.
  const draft = `${output}.${process.pid}`;
  await writeFile(draft, mark + counting);
  await rename(draft, output);
}

/** Makes a loop count its iterations. */
export function inLoop(loop: Node): Insertion[] {
  const body = child(loop, "body");
  if (body.type === "BlockStatement") return [{ at: body.start + 1, text: STEP }];
  return [
    { at: body.start, text: `{${STEP}` },
    { at: body.end, text: "}" },
  ];
}

/** Returns the start of the body of a loop, inside of its braces, which `inLoop` adds where there are none. */
export function loopStart(loop: Node): number {
  const body = child(loop, "body");
  return body.type === "BlockStatement" ? body.start + 1 : body.start;
}

export function isLoop({ type }: Node): boolean {
  return /^(For|ForIn|ForOf|While|DoWhile)Statement$/.test(type);
}

/** Puts all insertions into a program. */
export function insert(source: string, insertions: Insertion[]): string {
  const parts: string[] = [];
  let end = 0;
  // Of two insertions at one place the later found, which is the inner one, comes second.
  for (const { at, text } of insertions.toSorted((a, b) => a.at - b.at)) {
    parts.push(source.slice(end, at), text);
    end = at;
  }
  return parts.join("") + source.slice(end);
}

/** Visits a program's nodes, each before those in it. */
export function walk(node: Node, visit: (node: Node) => "enter" | "skip"): void {
  if (visit(node) === "skip") return;
  for (const value of Object.values(node)) {
    for (const item of Array.isArray(value) ? value : [value]) if (isNode(item)) walk(item, visit);
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

export function isMethod(node: Node): boolean {
  return node.type === "MethodDefinition";
}

/** Returns the name of a method. */
export function nameOfKey(method: Node): string {
  return String(field(child(method, "key"), "name"));
}

export function field(node: Node, name: string): unknown {
  return Reflect.get(node, name);
}

export function child(node: Node, name: string): Node {
  const value = field(node, name);
  if (!isNode(value)) throw new Error(`${node.type} has no ${name}`);
  return value;
}

export function children(node: Node, name: string): Node[] {
  const value = field(node, name);
  return Array.isArray(value) ? value.filter(isNode) : [];
}
