/**
 * Small changes of real documents, and odd numbers in small ones, the same at every run: none may crash a reader, or take more
 * than its budget.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import { isAppError } from "../../../../src/core/errors.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { type FileKind, readDocument } from "../../../../src/content/documents/read-document.ts";
import { NUMBERED_FILES, type NumberedFile } from "../../../hostile/numbered-files.ts";
import { isLong, sampleCount } from "../../../sample.ts";

const FOLDER = join(import.meta.dirname, "../../../fixtures/documents");
const CHANGES_PER_FILE = sampleCount(6, 3, 16);
const LIMITS = { steps: 1_000_000, bytes: 50_000_000 };
const CODES = new Set([
  "SCRAPE_DOCUMENT_PREFETCH_FAILED",
  "SCRAPE_PDF_PREFETCH_FAILED",
  "SCRAPE_UNSUPPORTED_FILE_ERROR",
  "SCRAPE_WORK_LIMIT",
]);
const KINDS: Record<string, FileKind> = { pdf: "pdf", doc: "doc", docx: "docx", epub: "epub", odp: "odp", ods: "ods", odt: "odt", ppt: "ppt", pptx: "pptx", rtf: "rtf", xls: "xls", xlsx: "xlsx" }; // prettier-ignore
const FILES = readdirSync(FOLDER).filter((name) => (name.split(".").at(-1) ?? "") in KINDS);

type Random = (below: number) => number;

/** A linear congruential generator with a fixed seed, as in Numerical Recipes. */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function changed(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random(bytes.length);
  const end = Math.min(bytes.length, at + 1 + random(64));
  const part = bytes.subarray(at, end);
  switch (random(6)) {
    case 0:
      return bytes.map((byte, index) => (index >= at && index < at + 3 ? random(256) : byte));
    case 1:
      return joined(bytes.subarray(0, at), bytes.subarray(end));
    case 2:
      return joined(bytes.subarray(0, end), ...Array.from({ length: 200 }, () => part), bytes.subarray(end));
    case 3:
      return bytes.slice(0, at);
    case 4:
      return withNumber(bytes, random);
    default:
      return joined(bytes.subarray(0, at), bytes.subarray(random(bytes.length)));
  }
}

/** One of the numbers in the text becomes a large one, or one below zero. */
function withNumber(bytes: Uint8Array, random: Random): Uint8Array {
  const text = Buffer.from(bytes).toString("latin1");
  const numbers = [...text.matchAll(/\d+/g)];
  const chosen = numbers[random(numbers.length)];
  if (chosen === undefined) return bytes;
  const put = ["-1", "0", "65536", "4294967295", "99999999999"][random(5)] ?? "";
  return Uint8Array.from(
    Buffer.from(text.slice(0, chosen.index) + put + text.slice(chosen.index + chosen[0].length), "latin1"),
  );
}

/** In archives a part is changed before it is packed: most changes of packed bytes are found by their checksum. */
function changedFile(bytes: Uint8Array, random: Random): Uint8Array {
  const isArchive = bytes[0] === 0x50 && bytes[1] === 0x4b;
  if (!isArchive || random(4) === 0) return changed(bytes, random);
  const parts = unzipSync(bytes);
  const names = Object.keys(parts).filter((name) => /\.(xml|rels|xhtml|opf|html)$/.test(name));
  const name = names[random(names.length)] ?? "";
  return zipSync({ ...parts, [name]: changed(parts[name] ?? new Uint8Array(), random) }, { level: 1 });
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

test.each(FILES)("%s, changed at random: what is read, or a code", async (name) => {
  const original = Uint8Array.from(readFileSync(join(FOLDER, name)));
  const kind = KINDS[name.split(".").at(-1) ?? ""] ?? "binary";
  const random = randomOf(name.length * 7_919);
  const ends: string[] = [];
  for (let time = 0; time < CHANGES_PER_FILE; time++) {
    const budget = new WorkBudget(LIMITS);
    const source = { url: "https://example.com/file", contentType: undefined, budget };
    const error: unknown = await readDocument(kind, changedFile(original, random), source).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    ends.push(error === undefined ? "read" : isAppError(error) ? error.code : `no code: ${String(error)}`);
    if (error !== undefined && !CODES.has(ends.at(-1) ?? "")) throw error;
    // A reader that recurses over the file's own nesting would end at the size of the stack.
    expect(String(Reflect.get(Object(error), "cause"))).not.toContain("Maximum call stack");
    // The piece of work that passes the limit counts as well.
    expect(budget.steps).toBeLessThan(LIMITS.steps * 1.2);
  }
  expect(ends).toHaveLength(CHANGES_PER_FILE);
});

const ODD_NUMBERS = ["-1", "1.5", "NaN", "1e308", "2147483648", "-2147483648", "", "0"];

/** Files with an odd number in each place: each number is in each place once. The long form has them one by one as well. */
function* oddFiles({ numbers, make }: NumberedFile): Generator<Uint8Array> {
  for (const [at, odd] of ODD_NUMBERS.entries()) {
    yield make((place) => ODD_NUMBERS[(place + at) % ODD_NUMBERS.length] ?? "");
    if (!isLong()) continue;
    for (let only = 0; only < numbers; only++) yield make((place) => (place === only ? odd : "1"));
  }
}

test.each(NUMBERED_FILES)("$kind with odd numbers: its text, within the budget", async (file) => {
  for (const bytes of oddFiles(file)) {
    const budget = new WorkBudget({ ...LIMITS, steps: 30_000 });
    const source = { url: "https://example.com/file", contentType: undefined, budget };
    const end = await readDocument(file.kind, bytes, source).then(
      ({ markdown }) => (markdown.includes("kept") ? "text" : markdown),
      (error: unknown) => (isAppError(error) ? error.code : String(error)),
    );
    expect(end).toBe("text");
    expect(budget.steps).toBeLessThan(30_000 * 1.2);
  }
});
