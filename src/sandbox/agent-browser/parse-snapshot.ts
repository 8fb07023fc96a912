import type { ElementRef } from "../../core/sessions/workspace.ts";

export interface SnapshotOptions {
  interactiveOnly: boolean;
  compact: boolean;
  maxDepth: number;
}

export interface Snapshot {
  text: string;
  refs: Record<string, ElementRef>;
  /** Frames that the snapshot shows, outer ones first. */
  iframes: SnapshotFrame[];
}

export interface SnapshotFrame {
  /** Indices among the frames that the snapshot shows, outermost first. */
  path: number[];
  driverRef: string;
}

const INTERACTIVE_ROLES = new Set([
  "button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "option", "menuitem",
  "menuitemcheckbox", "menuitemradio", "slider", "spinbutton", "switch", "tab", "treeitem",
]); // prettier-ignore
/** Found by their role; other elements, when they can be clicked, by their text. */
export const TEXT_ROLE = "text";

interface Line {
  depth: number;
  role: string;
  name: string;
  /** Attributes in brackets, without the driver's own. */
  attributes: string[];
  isClickable: boolean;
  /** Text behind the colon. */
  text: string;
  driverRef: string | undefined;
}

interface Frame {
  depth: number;
  path: number[];
  iframes: number;
}

/**
 * Reads the driver's accessibility snapshot (YAML, one element a line) and gives the elements names of our own, `e1`
 * and so on, with which they can be found again later.
 */
export function parseSnapshot(yaml: string, options: SnapshotOptions): Snapshot {
  const refs: Record<string, ElementRef> = {};
  const counts = new Map<string, number>();
  const frames: Frame[] = [{ depth: -1, path: [], iframes: 0 }];
  const shown: string[] = [];
  const iframes: SnapshotFrame[] = [];
  let number = 0;
  for (const raw of yaml.split("\n")) {
    const line = parseLine(raw);
    if (line === undefined) continue;
    while (frames.length > 1 && (frames.at(-1)?.depth ?? -1) >= line.depth) frames.pop();
    const frame = frames.at(-1) ?? { depth: -1, path: [], iframes: 0 };
    if (line.role === "iframe") {
      const path = [...frame.path, frame.iframes++];
      frames.push({ depth: line.depth, path, iframes: 0 });
      if (line.driverRef !== undefined) iframes.push({ path, driverRef: line.driverRef });
    }
    const found = toRef(line, frame.path, counts);
    if (!isShown(line, options)) continue;
    const ref = found === undefined ? undefined : `e${++number}`;
    if (ref !== undefined && found !== undefined) refs[ref] = found;
    shown.push(format(line, ref, options));
  }
  return { text: shown.join("\n"), refs, iframes };
}

function parseLine(raw: string): Line | undefined {
  const match = /^( *)- (.*)$/.exec(raw);
  if (match === null) return undefined;
  const [, indent = "", rest = ""] = match;
  const body = unquote(rest);
  const parts = /^([a-zA-Z]+)(?: ("(?:[^"\\]|\\.)*"))?((?: \[[^\]]*\])*)(?:: ?(.*))?$/.exec(body);
  if (parts === null) return undefined;
  const [, role = "", quoted, brackets = "", text = ""] = parts;
  const attributes = [...brackets.matchAll(/\[([^\]]*)\]/g)].map(([, attribute = ""]) => attribute);
  return {
    depth: indent.length / 2,
    role,
    name: quoted === undefined ? "" : String(JSON.parse(quoted)),
    attributes: attributes.filter((attribute) => !/^(ref=|cursor=)/.test(attribute)),
    isClickable: attributes.includes("cursor=pointer"),
    text: text.replace(/^"(.*)"$/, "$1"),
    driverRef: attributes.find((attribute) => attribute.startsWith("ref="))?.slice("ref=".length),
  };
}

/** A key with characters that are special in YAML is in single quotes, followed by the colon. */
function unquote(rest: string): string {
  const quoted = /^'((?:[^']|'')*)'(.*)$/.exec(rest);
  return quoted === null ? rest : (quoted[1] ?? "").replaceAll("''", "'") + (quoted[2] ?? "");
}

/**
 * Counts a line, and returns how its element is found again. Lines without a reference of the driver count as well: their
 * elements take no clicks, and locators find them nevertheless.
 */
function toRef(line: Line, frames: number[], counts: Map<string, number>): ElementRef | undefined {
  const { role, name, text, driverRef, isClickable } = line;
  if (role === "iframe") return undefined;
  const byText = !INTERACTIVE_ROLES.has(role) && name === "";
  const ofText = countOf(counts, [frames, TEXT_ROLE, name === "" ? text : name]);
  const ofRole = countOf(counts, [frames, `role ${role}`, name]);
  if (driverRef === undefined || (byText && (text === "" || !isClickable))) return undefined;
  return byText
    ? { role: TEXT_ROLE, name: text, nth: ofText, frames, driverRef }
    : { role, name, nth: ofRole, frames, driverRef };
}

/** Returns how often a key was counted before. */
function countOf(counts: Map<string, number>, parts: unknown[]): number {
  const key = JSON.stringify(parts);
  const before = counts.get(key) ?? 0;
  counts.set(key, before + 1);
  return before;
}

function isShown(line: Line, { interactiveOnly, compact, maxDepth }: SnapshotOptions): boolean {
  if (line.depth > maxDepth) return false;
  const isInteractive = INTERACTIVE_ROLES.has(line.role) || (line.isClickable && line.text !== "");
  if (interactiveOnly) return isInteractive;
  return !compact || isInteractive || line.name !== "" || line.text !== "";
}

function format(line: Line, ref: string | undefined, { interactiveOnly, compact }: SnapshotOptions): string {
  const indent = interactiveOnly || compact ? "" : "  ".repeat(line.depth);
  const name = line.name === "" ? "" : ` ${JSON.stringify(line.name)}`;
  const attributes = line.attributes.map((attribute) => ` [${attribute}]`).join("");
  const text = line.text === "" ? "" : `: ${line.text}`;
  return `${indent}- ${line.role}${name}${ref === undefined ? "" : ` [ref=${ref}]`}${attributes}${text}`;
}
