/**
 * `npm run bench -- quality [--data DIR] [--work DIR] [--sources a,b] [--others | --no-others]`: which kinds of HTML come
 * out as markdown that means the same, and how much of the main content is found, beside Readability and Defuddle. DIR, or
 * the variable ORBWEAVER_BENCH_DATA, is the folder that `npm run train` reads.
 */
import { parseArgs } from "node:util";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { measureMainContent } from "./main-content.ts";
import { measureMarkdown } from "./markdown-cases.ts";

const HELP = `No pages to measure on. Say where they are with --data DIR or ORBWEAVER_BENCH_DATA: the folder that
"npm run train" reads, or one of its data sets (index.json, gold.json.br, html/ID.html.br).`;

const { values: options } = parseArgs({
  options: {
    data: { type: "string", default: process.env["ORBWEAVER_BENCH_DATA"] ?? "" },
    work: { type: "string", default: join(tmpdir(), "train-main-content") },
    sources: { type: "string", default: "" },
    others: { type: "boolean", default: true },
  },
  allowNegative: true,
});

console.log(`${measureMarkdown()}\n`);
if (options.data === "") {
  console.error(HELP);
  process.exit(2);
}
const sources = options.sources.split(",").filter(Boolean);
await measureMainContent({ data: options.data, work: options.work, sources, withOthers: options.others });
