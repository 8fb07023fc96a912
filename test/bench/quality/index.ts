/**
 * `npm run bench -- quality [--data DIR]`: which kinds of HTML come out as markdown that means the same, and how much of the
 * main content is found. DIR, or the variable ORBWEAVER_BENCH_DATA, is a data set of pages with gold texts, or a folder of
 * such data sets.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { measureMainContent } from "./main-content.ts";
import { measureMarkdown } from "./markdown-cases.ts";

const HELP = `No pages to measure on. Say where they are with --data DIR or ORBWEAVER_BENCH_DATA.

A data set is a folder of
  index.json      [{ "id": "0001", "url": "https://…", "type": "article" }, …]
  gold.json.br    { "0001": { "text": "…" }, … }, Brotli-compressed
  html/0001.html.br
The Web Content Extraction Benchmark (WCXB, CC-BY-4.0) can be brought into this form.`;

const { values: options } = parseArgs({ options: { data: { type: "string" } } });
const directory = options.data ?? process.env["ORBWEAVER_BENCH_DATA"];
console.log(`${measureMarkdown()}\n`);
const dataSets = directory === undefined ? [] : findDataSets(directory);
if (dataSets.length === 0) {
  console.error(HELP);
  process.exit(2);
}
for (const dataSet of dataSets) console.log(`${measureMainContent(dataSet, basename(dataSet))}\n`);

function findDataSets(path: string): string[] {
  if (existsSync(join(path, "index.json"))) return [path];
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .map((name) => join(path, name))
    .filter((inner) => existsSync(join(inner, "index.json")));
}
