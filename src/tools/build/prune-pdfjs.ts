import { type Node, parse } from "acorn";
import { child, children, field, insert, type Insertion } from "./counted-copy.ts";

/**
 * Classes of pdf.js that reading text never calls, by their names: painting, the editors of annotations, changed copies of a
 * file, XFA forms (`enableXfa` is off), decoded images (`maxImageSize` is 0) and PostScript in WebAssembly, which workerd refuses.
 */
const UNUSED_CLASSES = [
  "AnnotationEditor",
  "CanvasGraphics",
  "PDFEditor",
  "PDFImage",
  "PsWasmCompiler",
  "XFAFactory",
] as const;
/** The statement in which pdf.js offers all of itself to scripts of a page. */
const GLOBALS = /^globalThis\._pdfjsTestingUtils=.*globalThis\.pdfjsLib=/s;

/**
 * Removes what reading text does not need from the source of pdf.js, so that bundlers leave out a third of it: classes that are
 * never called lose their bodies, and every class is marked as one whose definition has no effects.
 * @throws Error when a part to remove is missing, because pdf.js has changed.
 */
export function prunePdfjs(source: string): string {
  const { body } = parse(source, { ecmaVersion: "latest", sourceType: "module" });
  const cuts: [start: number, end: number][] = [];
  const marks: Insertion[] = [];
  const missing = new Set<string>([...UNUSED_CLASSES, "globals"]);
  for (const statement of body) {
    if (statement.type === "ExpressionStatement" && GLOBALS.test(source.slice(statement.start, statement.end))) {
      missing.delete("globals");
      cuts.push([statement.start, statement.end]);
    }
    for (const { name, definition } of classesOf(statement)) {
      marks.push({ at: definition.start, text: "/*#__PURE__*/(()=>" }, { at: definition.end, text: ")()" });
      if (!missing.delete(name)) continue;
      const members = child(definition, "body");
      cuts.push([members.start + 1, members.end - 1]);
    }
  }
  if (missing.size > 0) throw new Error(`pdf.js has changed, so it cannot be pruned: ${[...missing].join(", ")}`);
  return withoutParts(source, cuts, marks);
}

/** The classes that a statement assigns, by the name of the class or of the variable. */
function classesOf(statement: Node): { name: string; definition: Node }[] {
  if (statement.type !== "VariableDeclaration") return [];
  return children(statement, "declarations").flatMap((declaration) => {
    const definition = field(declaration, "init") === null ? undefined : child(declaration, "init");
    if (definition?.type !== "ClassExpression") return [];
    const named = field(definition, "id") === null ? child(declaration, "id") : child(definition, "id");
    return [{ name: String(field(named, "name")), definition }];
  });
}

/** Applies insertions and cuts; no insertion lies within a cut. */
function withoutParts(source: string, cuts: [start: number, end: number][], marks: Insertion[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const [start, end] of [...cuts, [source.length, source.length] as const].toSorted(([a], [b]) => a - b)) {
    const here = marks.filter(({ at }) => at >= from && at <= start).map(({ at, text }) => ({ at: at - from, text }));
    parts.push(insert(source.slice(from, start), here));
    from = end;
  }
  return parts.join("");
}
