/**
 * Trains the main-content model: `npm run train -- --data DIR [--work DIR] [--threads 2] [--dry] [--sources a,b]`.
 *
 * DIR holds `wcxb-dev/` (index.json, gold.json.br, html/ID.html.br), `main-content-extra/NAME.jsonl.gz` and, to measure
 * only, `segments-dev/pages.jsonl.gz`. Folds are by site: no score that is printed or stored was reached on a site that
 * the trees had seen. The same data gives the same model. `--dry` measures and writes no model.
 */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CASCADE } from "../../content/main-content/cascade.ts";
import { unpackModel } from "../../content/main-content/model/load-model.ts";
import { readSegmentPages, readSources } from "./corpus.ts";
import { type Dataset, loadDataset } from "./dataset.ts";
import { blockExtractor, type PageScore, scorePages, scoreSegments } from "./evaluate.ts";
import { sumSegments } from "./metrics.ts";
import { f1ByType, formatReferences, formatScores, meanF1, round } from "./score-table.ts";
import { sourceNamed, TYPE_WEIGHTS } from "./sources.ts";
import { LEARNED_DOUBT, PARAMETERS, trainModels } from "./train-model.ts";

const MODEL_PATH = join(import.meta.dirname, "../../content/main-content/model/main-content.json");

const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    work: { type: "string", default: join(tmpdir(), "train-main-content") },
    threads: { type: "string", default: "2" },
    sources: { type: "string", default: "" },
    dry: { type: "boolean", default: false },
  },
});

if (options.data === undefined) {
  console.error("Say where the pages are: npm run train -- --data DIR");
  process.exit(2);
}
await train(options.data, options.work);

async function train(data: string, work: string): Promise<void> {
  const startMs = Date.now();
  const log = (line: string) => console.log(`${Math.round((Date.now() - startMs) / 1000)} s: ${line}`);
  mkdirSync(work, { recursive: true });
  const everything = readSources(data);
  const names = options.sources.split(",").filter(Boolean);
  const used = names.length === 0 ? everything : everything.filter(({ source }) => names.includes(source));
  const dataset = loadDataset(used, join(work, "labels.json"));
  log(`${dataset.pages.length} pages of ${dataset.tallies.size} sites labelled`);
  const models = await trainModels(dataset, { threads: Number(options.threads), log });
  writeFileSync(join(work, "fold-models.json"), JSON.stringify(models.byFold));
  const extract = blockExtractor(models.byFold.map((model) => unpackModel(model)));
  const scores = scorePages(everything, extract);
  const segments = scoreSegments(readSegmentPages(data), extract);
  log("scored");
  console.log(`\n${formatScores("held-out folds, by site", scores, segments)}\n\n${formatReferences()}`);
  if (options.dry) return;
  const heldOut = describeScores(scores, sumSegments(segments).f1);
  writeFileSync(
    MODEL_PATH,
    `${JSON.stringify({ provenance: describe(dataset, heldOut), ...models.whole }, null, 1)}\n`,
  );
  console.log(`${MODEL_PATH}: ${statSync(MODEL_PATH).size} bytes`);
}

function describe(dataset: Dataset, heldOutF1: unknown) {
  const pagesBySource = Map.groupBy(dataset.pages, ({ source }) => source);
  return {
    sources: [...pagesBySource].map(([name, pages]) => {
      const { about, licence, weight } = sourceNamed(name);
      return { name, about, licence, weight, pages: pages.length, learned: pages.filter(isLearned).length };
    }),
    pages: dataset.pages.length,
    sites: dataset.tallies.size,
    program: "src/tools/train-main-content/run.ts",
    parameters: PARAMETERS,
    typeWeights: TYPE_WEIGHTS,
    cascade: CASCADE,
    learnedDoubt: LEARNED_DOUBT,
    heldOutF1,
  };
}

function isLearned({ weights }: Dataset["pages"][number]): boolean {
  return weights.some((weight) => weight > 0);
}

function describeScores(scores: readonly PageScore[], segments: number) {
  const bySource = Map.groupBy(scores, ({ source }) => source);
  const own = scores.filter(({ source }) => source === "wcxb");
  return {
    bySource: Object.fromEntries([...bySource].map(([name, group]) => [name, round(meanF1(group))])),
    segments: round(segments),
    wcxbWithGoldText: round(meanF1(own.filter(({ reachable }) => reachable))),
    wcxbByType: f1ByType(own),
  };
}
