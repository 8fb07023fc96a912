import "./content/quiet-wrangler.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SERVING_NATIVE } from "../../src/tools/service/wrangler.ts";
import { buildAssets } from "../../src/tools/build/build-assets.ts";
import { percentile } from "./content/percentile.ts";
import { checkAssertion } from "./documents/check-assertion.ts";
import { type DocumentCase, readCases } from "./documents/document-cases.ts";
import { type GoldScore, scoreGold } from "./documents/markdown-parts.ts";
import { measureFiles } from "./documents/read-files.ts";
import { measureScans } from "./documents/read-scans.ts";
import { type MeasuredReaders, type MeasuredReading, openReaders } from "./documents/measured-readers.ts";
import { table } from "./load/table.ts";

const HELP = `npm run bench -- documents --data DIR [--suite pdf] [--reader orbweaver] [--notes]
  Reads the files of DIR/manifest.json inside workerd, beside @firecrawl/pdf-inspector-wasm and the text of unpdf for PDFs:
  rules that hold, words, order, table rows and headings against gold markdown, the median ms and CPU ms of a page, and the most MB. Every third case, by the
  hash of its name, is kept aside: its totals are shown apart.
  Scans and pictures (the suites ocr and ocr-image, and a letter in four orientations) are read by a service with a browser.
  --suite PREFIX   only suites whose names begin so      --reader NAME  only this reader
  --files DIR      instead of suites, reads every file below DIR, and prints bytes, pages, steps, CPU ms, MB and the end of each
  --no-scans       leaves scans and pictures out     --scans-only   reads nothing else
  --notes          rules that fail, and files with words below 0.95, of cases that are not kept aside`;

const READERS = ["orbweaver", "pdf-inspector-wasm", "unpdf text"];
const MAX_SECONDS = 10;
const MAX_MB = 100;
const MAX_NOTE = 300;
/** Words F1 that a reading should have. */
const WORDS_WANTED = 0.95;

const { values } = parseArgs({
  options: {
    data: { type: "string", default: process.env["ORBWEAVER_BENCH_DATA"] ?? "" },
    suite: { type: "string", default: "" },
    reader: { type: "string", default: "" },
    files: { type: "string", default: "" },
    notes: { type: "boolean", default: false },
    "no-scans": { type: "boolean", default: false },
    "scans-only": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help || (values.files === "" && !existsSync(join(values.data, "manifest.json")))) {
  console.log(values.help ? HELP : `--data names a folder with manifest.json.\n\n${HELP}`);
  process.exit(values.help ? 0 : 1);
}

interface Result {
  item: DocumentCase;
  reading: MeasuredReading;
}

for (const [name, value] of Object.entries(SERVING_NATIVE)) process.env[name] ??= value;
await buildAssets();
const cases = values.files === "" ? readCases(values.data, values.suite) : [];
if (values.files !== "") await measureFiles(values.files);
else if (!values["scans-only"]) await measureReaders();
if (values.files === "" && !values["no-scans"] && "ocr-image".startsWith(values.suite) && values.reader === "")
  await measureScans(cases);

async function measureReaders(): Promise<void> {
  const readers = await openReaders();
  try {
    await readCasesBy(readers);
  } finally {
    await readers.close();
  }
}

async function readCasesBy(readers: MeasuredReaders): Promise<void> {
  for (const reader of READERS.filter((name) => values.reader === "" || name === values.reader)) {
    const results: Result[] = [];
    for (const item of cases) {
      if (reader !== "orbweaver" && !item.name.endsWith(".pdf")) continue;
      results.push({ item, reading: await readers.read(reader, item.name, readFileSync(item.path)) });
    }
    printReader(reader, results);
    if (values.notes) printFailures(results);
  }
}

function printReader(reader: string, results: readonly Result[]): void {
  const suites = [...new Set(results.map(({ item }) => item.suite))];
  const rows = suites.flatMap((suite) =>
    [false, true].flatMap((isKeptAside) => {
      const part = results.filter(({ item }) => item.suite === suite && item.isKeptAside === isKeptAside);
      return part.length === 0 ? [] : [rowOf(`${suite}${isKeptAside ? ", kept aside" : ""}`, part)];
    }),
  );
  const head = [
    "suite",
    "files",
    "rules",
    "words",
    "order",
    "rows",
    "headings",
    "ms a page",
    "CPU ms a page",
    "MB",
    "slow",
    "failed",
  ];
  if (suites.length > 1) rows.push(rowOf("all", results));
  console.log(`\n${reader}\n\n${table(head, rows)}`);
  const kinds = ["present", "absent", "order", "table"].map((type) => `${type} ${held(results, type)}`);
  console.log(`\nrules: ${kinds.join(", ")}`);
}

function rowOf(name: string, results: readonly Result[]): (string | number)[] {
  const scores = results.flatMap(scoresOf);
  const mean = (numbers: (number | undefined)[]): number => {
    const known = numbers.filter((value) => value !== undefined);
    return known.length === 0 ? Number.NaN : known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  const isSlow = ({ reading }: Result): boolean => reading.ms > MAX_SECONDS * 1000 || reading.megabytes > MAX_MB;
  return [
    name,
    results.length,
    held(results),
    mean(scores.map(({ words }) => words)),
    mean(scores.map(({ order }) => order)),
    mean(scores.map(({ rows }) => rows)),
    mean(scores.map(({ headings }) => headings)),
    percentile(
      results.map(({ reading }) => reading.ms / reading.pages),
      50,
    ),
    percentile(
      results.map(({ reading }) => reading.cpuMs / reading.pages),
      50,
    ),
    Math.max(...results.map(({ reading }) => reading.megabytes)),
    results.filter(isSlow).length,
    results.filter(({ reading }) => reading.error === "untyped" || reading.error === "no answer").length,
  ];
}

function scoresOf({ item, reading }: Result): GoldScore[] {
  return item.asserts.flatMap(({ type, gold }) =>
    type === "gold_markdown" ? [scoreGold(reading.markdown, gold ?? "")] : [],
  );
}

function held(results: readonly Result[], type?: string): string {
  const checked = results.flatMap(({ item, reading }) =>
    item.asserts
      .filter((rule) => type === undefined || rule.type === type)
      .map((rule) => checkAssertion(rule, reading.markdown, reading.metadata)),
  );
  const known = checked.filter((holds) => holds !== undefined);
  return known.length === 0 ? "–" : `${known.filter(Boolean).length}/${known.length}`;
}

function printFailures(results: readonly Result[]): void {
  for (const { item, reading } of results) {
    if (item.isKeptAside) continue;
    if (reading.error !== "") console.log(`${item.id}: ${reading.error}`);
    for (const { words, rows } of scoresOf({ item, reading })) {
      if (words < WORDS_WANTED) console.log(`${item.id}: words ${words.toFixed(3)}, rows ${rows?.toFixed(3) ?? "–"}`);
    }
    for (const rule of item.asserts) {
      if (checkAssertion(rule, reading.markdown, reading.metadata) === false)
        console.log(`${item.id}: ${JSON.stringify(rule).slice(0, MAX_NOTE)}`);
    }
  }
}
