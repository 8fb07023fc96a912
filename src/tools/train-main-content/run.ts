/**
 * Trains the main-content model: `npm run train -- --data DIR [--work DIR] [--python PROGRAM] [--dry]`.
 *
 * DIR holds index.json, gold.json.br and html/ID.html.br. Needs Python 3 with numpy and xgboost (Debian: python3-xgboost).
 * Folds are by site: no score that is printed or stored was reached on a site that the trees had seen. `--dry` measures
 * and writes no model.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CASCADE } from "../../content/branding/cascade.ts";
import { packOdds } from "../../content/main-content/model/packed-odds.ts";
import { loadDataset } from "./dataset.ts";
import { scoreFolds } from "./evaluate.ts";
import { learnOdds } from "./learn-odds.ts";
import { packTrees, type Tree } from "./pack-model.ts";
import { f1ByType, formatScores, meanF1, round } from "./score-table.ts";
import { describeRows, LEARNED_DOUBT, PARAMETERS, writeBlockRows, writeContextRows } from "./training-rows.ts";

const MODEL_PATH = join(import.meta.dirname, "../../content/main-content/model/main-content.json");
const TRAIN_PROGRAM = join(import.meta.dirname, "train.py");

const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    work: { type: "string", default: join(tmpdir(), "train-main-content") },
    python: { type: "string", default: process.env["PYTHON"] ?? "/usr/bin/python3" },
    dry: { type: "boolean", default: false },
  },
});

if (options.data === undefined) {
  console.error("Say where the pages are: npm run train -- --data DIR");
  process.exit(2);
}
train(options.data, options.work);

function train(data: string, work: string): void {
  mkdirSync(work, { recursive: true });
  const dataset = loadDataset(data);
  console.log(`${dataset.pages.length} pages of ${dataset.tallies.size} sites, ${dataset.rowCount} blocks`);
  writeFileSync(join(work, "rows.json"), JSON.stringify(describeRows(dataset)));
  writeBlockRows(dataset, work);
  runPython("first", work);
  writeContextRows(dataset, work);
  runPython("second", work);
  const scores = scoreFolds(dataset, work);
  console.log(formatScores("held-out folds, by site", scores, "with references"));
  if (options.dry) return;
  const model = {
    provenance: {
      dataSet: "WCXB, Web Content Extraction Benchmark, development set (Murrough Foley)",
      dataLicence: "CC-BY-4.0",
      pages: dataset.pages.length,
      sites: dataset.tallies.size,
      program: "src/tools/train-main-content/run.ts",
      trained: new Date().toISOString().slice(0, 10),
      parameters: PARAMETERS,
      cascade: CASCADE,
      learnedDoubt: LEARNED_DOUBT,
      heldOutWordF1: {
        allPages: round(meanF1(scores)),
        pagesWithGoldText: round(meanF1(scores.filter(({ reachable }) => reachable))),
        ...f1ByType(scores),
      },
    },
    firstPass: packTrees(readTrees(work, "first")),
    secondPass: packTrees(readTrees(work, "second")),
    odds: packOdds(learnOdds(dataset.tallies.values(), -1)),
  };
  writeFileSync(MODEL_PATH, `${JSON.stringify(model, null, 1)}\n`);
  console.log(`${MODEL_PATH}: ${statSync(MODEL_PATH).size} bytes`);
}

function runPython(pass: "first" | "second", work: string): void {
  const startMs = Date.now();
  // Waiting threads that spin would starve whatever else the machine does.
  const env = { ...process.env, OMP_WAIT_POLICY: "PASSIVE" };
  execFileSync(options.python, [TRAIN_PROGRAM, pass, work], { stdio: "inherit", env });
  console.log(`${pass} pass trained in ${Math.round((Date.now() - startMs) / 1000)} s`);
}

function readTrees(work: string, name: string): Tree[] {
  return JSON.parse(readFileSync(join(work, `${name}.json`), "utf8")) as Tree[];
}
