import { join } from "node:path";
import { type Node, parse } from "acorn";
import {
  child,
  children,
  field,
  inLoop,
  insert,
  type Insertion,
  isLoop,
  isMethod,
  isNode,
  loopStart,
  nameOfKey,
  walk,
  writeCountedCopy,
} from "./counted-copy.ts";
import { PDFJS_HEAD } from "./pdfjs-head.ts";
import { inPageRequest, isPageCountsCleanup } from "./pdfjs-pages.ts";
import { prunePdfjs } from "./prune-pdfjs.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";

const SOURCE = join(PROJECT_ROOT, "node_modules/unpdf/dist/pdfjs.mjs");
/** Steps that a call counts besides its loops: it may allocate, look things up, or start a chain of promises. */
const CALL = "$steps+=4;";
const ASYNC_CALL = "$steps+=200;";
/** Steps that an iteration counts in functions that fill lists from ranges, whose lengths come from the file. */
const FILL = "$steps+=16;";
const FILLERS = new Set([
  "extractWidths",
  "mapBfRange",
  "mapCidRange",
  "parseFDSelect",
  "parseCharsets",
  "readCmapTable",
  "getSampleArray",
]);
/** Steps that each character counts of a glyph that stands for more than a ligature: a font may map one to any number of them. */
const LONG_GLYPH = "$steps+=16*Math.max(0,arguments[0].length-4);";
/** Steps that unpacking one stream counts besides its bytes: pdf.js begins with all streams of a page at once. */
const UNPACKING = "$steps+=16000;$limits.takeBytes(0,0);";
/**
 * Methods whose results are never used, and what they return instead. Text under annotations makes pdf.js interpret the
 * page once more and compare each glyph with each annotation; a tiling is copied for each area that it fills. `handleText` puts
 * glyphs with their outlines into the list of drawing operations, of which only paths and images are read.
 */
const UNUSED: [string, string][] = [
  ["overlaysTextContent", "return false;"],
  ["hasTextContent", "return false;"],
  ["handleTilingType", "return;"],
  ["handleText", "return [];"],
];
/** The part of a pattern of pdf.js for marks, whose glyphs it takes to have no width. */
const MARKS = String.raw`\p{Mn}`;
/** Marks of Indian and South-East Asian scripts: glyphs of half letters and ligatures are often called so, and have a width. */
const WIDE_MARKS = String.raw`[\u0900-\u0DFF\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF]`;
/** Steps that a call counts besides its loops: `loadFont` is called where a font is selected, and evaluates each that it does not know. */
const COSTS: [string, string][] = [
  ["loadFont", "$steps+=60;"],
  ["preEvaluateFont", "$steps+=12000;"],
];
/**
 * Methods that report what is left out. An image is never decoded; its place stays in the list of operations, with its width and
 * height in pixels.
 */
const REPORTS: [string, string][] = [
  ["buildPaintImageXObject", "$limits.leaveImage();$placed(arguments[0]);if(arguments[0].operatorList)return;"],
  // Called for each operator: stroke to closeEOFillStroke, endInlineImage and paintXObject paint.
  ["preprocessCommand", "if(arguments[0]>=20&&arguments[0]<=27||arguments[0]>=65&&arguments[0]<=66)$limits.paint();"],
];
const METHODS = new Map([...UNUSED, ...COSTS, ...REPORTS]);
/**
 * States of the interpreter. A saved state becomes the prototype of the next one, so that each look at one that is saved n times
 * goes through n objects; a copy that holds all values itself does the same.
 */
const STATES = new Set(["EvalState", "TextState"]);

/** Parts that hand messages, pages and results between the two halves of pdf.js. */
const CARRIERS = new Set([
  "LoopbackPort",
  "MessageHandler",
  "PDFWorker",
  "PDFDocumentLoadingTask",
  "PDFDocumentProxy",
  "PDFPageProxy",
  "WorkerTransport",
  "PDFObjects",
]);

/**
 * Writes `dist/pdfjs.mjs`, a copy of pdf.js that counts its work. pdf.js has no limits of its own: a file of some kilobytes
 * makes it decode gigabytes or run for minutes, and it has no interface by which it could be stopped. Parts that reading text
 * does not need are left out. Does nothing when the copy is up to date.
 */
export async function buildPdfjs(): Promise<void> {
  await writeCountedCopy("pdfjs.mjs", {
    source: SOURCE,
    makers: [
      import.meta.filename,
      ...["prune-pdfjs.ts", "pdfjs-head.ts", "pdfjs-pages.ts"].map((name) => join(import.meta.dirname, name)),
    ],
    count: (source) => prunePdfjs(countWork(source)),
  });
}

/**
 * Makes every loop of a program report its iterations, with the calls between them, and every buffer of decoded data the bytes by
 * which it grows, to what `limitWork` was given. @throws Error when the program has no such buffers, because pdf.js has changed.
 */
export function countWork(source: string): string {
  const insertions: Insertion[] = [];
  const fillers: Insertion[] = [];
  const found = {
    fillers: 0,
    loops: 0,
    buffers: 0,
    streams: 0,
    inflations: 0,
    ports: 0,
    states: 0,
    forms: 0,
    annotations: 0,
    pageCounts: 0,
    actualTexts: 0,
    marks: 0,
    glyphs: 0,
    pages: 0,
    methods: new Set<string>(),
  };
  walk(parse(source, { ecmaVersion: "latest", sourceType: "module" }), (node) => {
    const name = classNameOf(node);
    if (name === "LoopbackPort") {
      const changes = inPort(node, source);
      found.ports += changes.length;
      insertions.push(...changes);
    }
    // These must not break off, or the other half would wait forever.
    if (CARRIERS.has((name ?? "").replace(/\$\d+$/, ""))) return "skip";
    if (STATES.has(name ?? "")) {
      const copies = inState(node);
      found.states += copies.length;
      insertions.push(...copies);
    }
    const turns = inPageRequest(node, source);
    found.pages += turns.length;
    insertions.push(...turns);
    if (isDecompression(node)) {
      const inflates = inflation(node, source);
      if (inflates !== "") found.inflations++;
      insertions.push({ at: child(node, "block").start + 1, text: UNPACKING + inflates });
    }
    if (isPageCountsCleanup(node)) {
      found.pageCounts++;
      insertions.push({ at: node.start, text: "false&&" });
    }
    const mark = markOfContent(node);
    if (mark !== undefined) {
      found.actualTexts++;
      const props = source.slice(mark.props.start, mark.props.end);
      insertions.push({ at: mark.item.end - 1, text: `,actualText:$actualText(${props})` });
    }
    if (isMarkPattern(node)) {
      found.marks++;
      const { start } = node;
      insertions.push({ at: start + source.slice(start, node.end).indexOf(MARKS), text: `(?!${WIDE_MARKS})` });
    }
    if (isOfGlyph(node)) {
      found.glyphs++;
      insertions.push({ at: child(node, "body").start + 1, text: LONG_GLYPH });
    }
    if (isCopy(node)) insertions.push({ at: node.start, text: "$copied(" }, { at: node.end, text: ")" });
    if (isLoop(node)) {
      found.loops++;
      insertions.push(...inLoop(node));
      if (node.type === "ForOfStatement" && field(node, "await") === true) {
        found.streams++;
        insertions.push(...inStream(node));
      }
    }
    if (isFiller(node)) {
      found.fillers++;
      fillers.push(...inFiller(node));
    }
    const forms = outerForms(node);
    if (forms !== undefined) {
      found.forms++;
      insertions.push({ at: child(child(node, "value"), "body").start + 1, text: `$nested(${forms});` });
    }
    const annotations = annotationsOf(node);
    if (annotations !== undefined) {
      found.annotations++;
      insertions.push({ at: annotations.start, text: "$annotations(" }, { at: annotations.end, text: ")" });
    }
    const first = isMethod(node) ? METHODS.get(nameOfKey(node)) : undefined;
    if (first !== undefined) {
      found.methods.add(nameOfKey(node));
      insertions.push({ at: child(child(node, "value"), "body").start + 1, text: first });
    }
    if (/Function/.test(node.type)) insertions.push(...inFunction(node));
    if (isBufferGrowth(node)) {
      found.buffers++;
      insertions.push(...inBufferGrowth(node, source));
    }
    return "enter";
  });
  const isKnown =
    found.buffers === 1 &&
    // The end of a promise, and a clone.
    found.ports === 2 &&
    found.states === STATES.size &&
    found.streams > 0 &&
    found.inflations === 1 &&
    found.annotations === 1 &&
    found.pageCounts === 1 &&
    found.actualTexts === 1 &&
    found.marks === 1 &&
    found.glyphs === 1 &&
    found.pages === 1 &&
    found.methods.size === METHODS.size &&
    found.fillers >= FILLERS.size;
  if (found.loops < 1_000 || !isKnown) {
    throw new Error(
      `pdf.js has changed, so its work cannot be counted: ${JSON.stringify({ ...found, methods: [...found.methods] })}`,
    );
  }
  // At the same place the braces of a loop come before what is counted in them.
  return PDFJS_HEAD + insert(source, [...insertions, ...fillers]);
}

function isFiller(node: Node): boolean {
  if (node.type !== "MethodDefinition" && node.type !== "FunctionDeclaration") return false;
  return FILLERS.has(String(field(child(node, node.type === "MethodDefinition" ? "key" : "id"), "name")));
}

function inFiller(filler: Node): Insertion[] {
  const insertions: Insertion[] = [];
  walk(filler, (node) => {
    if (isLoop(node)) insertions.push({ at: loopStart(node), text: FILL });
    return "enter";
  });
  return insertions;
}

/** `saveLastChar(text)` is called for each glyph of a text that is read, with its characters. */
function isOfGlyph(node: Node): boolean {
  return node.type === "FunctionDeclaration" && field(child(node, "id"), "name") === "saveLastChar";
}

/** `new Set(other)` takes as long as the other set is large. */
function isCopy(node: Node): boolean {
  if (node.type !== "NewExpression" || children(node, "arguments").length !== 1) return false;
  return ["Set", "Map"].includes(String(field(child(node, "callee"), "name")));
}

/** The parameter `prevRefs` of a method that interprets a stream: the forms that it is in. */
function outerForms(node: Node): string | undefined {
  if (node.type !== "MethodDefinition") return undefined;
  const [pattern] = children(child(node, "value"), "params");
  const properties = pattern?.type === "ObjectPattern" ? children(pattern, "properties") : [];
  const found = properties.find((each) => field(child(each, "key"), "name") === "prevRefs");
  return found === undefined ? undefined : String(field(child(child(found, "value"), "left"), "name"));
}

/** Returns the call that reads the list of a page's annotations, in the getter `annotations`. */
function annotationsOf(node: Node): Node | undefined {
  if (!isMethod(node) || field(node, "kind") !== "get" || nameOfKey(node) !== "annotations") return undefined;
  let list: Node | undefined;
  walk(child(node, "value"), (each) => {
    const [first] = each.type === "CallExpression" ? children(each, "arguments") : [];
    const isName = first?.type === "TemplateLiteral" || first?.type === "Literal";
    if (isName && field(child(each, "callee"), "property") !== undefined) list ??= each;
    return "enter";
  });
  return list;
}

/**
 * The object that pdf.js lists for the start of marked content, `{type: "beginMarkedContentProps", id, tag}`, and the expression
 * of its properties: the operand after the tag, whose class pdf.js asks for to find its number.
 */
function markOfContent(node: Node): { item: Node; props: Node } | undefined {
  if (node.type !== "SwitchCase" || field(node, "test") === null) return undefined;
  if (Reflect.get(Object(field(child(node, "test"), "property")), "name") !== "beginMarkedContentProps")
    return undefined;
  let [item, props]: (Node | undefined)[] = [];
  walk(node, (each) => {
    if (each.type === "ObjectExpression") item ??= each;
    if (each.type === "BinaryExpression" && field(each, "operator") === "instanceof") props ??= child(each, "left");
    return "enter";
  });
  return item === undefined || props === undefined ? undefined : { item, props };
}

/** The pattern by which pdf.js tells white space, marks and invisible signs apart. */
function isMarkPattern(node: Node): boolean {
  const pattern: unknown = Reflect.get(Object(field(node, "regex")), "pattern");
  return typeof pattern === "string" && pattern.includes(MARKS) && pattern.includes(String.raw`\p{Cf}`);
}

/** `Object.create(this)` of a state becomes `$flat(this)`; what follows is never reached. */
function inState(state: Node): Insertion[] {
  const insertions: Insertion[] = [];
  walk(state, (node) => {
    const [first] = node.type === "CallExpression" ? children(node, "arguments") : [];
    const isCreate =
      first?.type === "ThisExpression" && field(child(child(node, "callee"), "property"), "name") === "create";
    if (isCreate) insertions.push({ at: node.start, text: "$flat(this)||" });
    return "enter";
  });
  return insertions;
}

/** The `try` in which a stream is unpacked: not even that is begun when nothing more may be unpacked. */
function isDecompression(node: Node): boolean {
  if (node.type !== "TryStatement") return false;
  let unpacks = false;
  walk(child(node, "block"), (each) => {
    unpacks ||= each.type === "NewExpression" && field(child(each, "callee"), "name") === "DecompressionStream";
    return "enter";
  });
  return unpacks;
}

/** Inflates a stream of a file at once, where its packed bytes are at hand: for the small ones of a page, a stream of the platform takes much longer. */
function inflation(decompression: Node, source: string): string {
  let packed = "";
  walk(decompression, (node) => {
    const isKey = node.type === "Property" && field(child(node, "key"), "name") === "compressed";
    if (isKey) packed = source.slice(child(node, "value").start, child(node, "value").end);
    return "enter";
  });
  return packed === ""
    ? ""
    : `if(arguments[0]==="deflate")return{decompressed:$limits.inflate(${packed}),compressed:${packed}};`;
}

/** The name of a class, in `class Name{…}` as well as in `var Name=class{…}`. */
function classNameOf(node: Node): string | undefined {
  const init = field(node, "init");
  const isClass =
    node.type.startsWith("Class") || (isNode(init) && init.type === "ClassExpression" && field(init, "id") === null);
  const id = field(node, "id");
  return isClass && isNode(id) ? String(field(id, "name")) : undefined;
}

/**
 * A receiver that breaks off must not be an unhandled rejection: what it waits for ends by itself. Pieces of text and of lists of
 * drawing operations are handed over as they are, since the sender only empties the lists that hold them; all else is cloned.
 */
function inPort(port: Node, source: string): Insertion[] {
  const insertions: Insertion[] = [];
  walk(port, (node) => {
    if (node.type !== "CallExpression") return "enter";
    const callee = child(node, "callee");
    if (Reflect.get(Object(field(callee, "property")), "name") === "then") {
      insertions.push({ at: node.end, text: ".catch(()=>{})" });
    }
    const [message] = children(node, "arguments");
    if (field(callee, "name") === "structuredClone" && message !== undefined) {
      insertions.push({ at: node.start, text: `$handed(${source.slice(message.start, message.end)})||` });
    }
    return "enter";
  });
  return insertions;
}

function inFunction(callee: Node): Insertion[] {
  const body = child(callee, "body");
  if (body.type !== "BlockStatement") return [];
  return [{ at: body.start + 1, text: field(callee, "async") === true ? ASYNC_CALL : CALL }];
}

/** The native decompression comes as a stream of pieces. */
function inStream(loop: Node): Insertion[] {
  const { start, end } = child(loop, "right");
  return [
    { at: start, text: "$pieces(" },
    { at: end, text: ")" },
  ];
}

/** `DecodeStream.ensureBuffer(length)` gives a buffer of at least that length, and doubles it when it has to grow. */
function isBufferGrowth(node: Node): boolean {
  if (node.type !== "MethodDefinition" || field(child(node, "key"), "name") !== "ensureBuffer") return false;
  // Decoders of images have one that does nothing.
  return children(child(child(node, "value"), "body"), "body").length > 0;
}

function inBufferGrowth(method: Node, source: string): Insertion[] {
  const value = child(method, "value");
  const [parameter] = children(value, "params");
  if (parameter === undefined) return [];
  const length = source.slice(parameter.start, parameter.end);
  return [{ at: child(value, "body").start + 1, text: `$grow(this.buffer.byteLength,${length});` }];
}
