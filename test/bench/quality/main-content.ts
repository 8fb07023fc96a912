/** Scores pages with gold texts, each by a model that has not seen its site, beside other extractors. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadModel, type MainContentModel, unpackModel } from "../../../src/content/main-content/model/load-model.ts";
import { readSegmentPages, readSources } from "../../../src/tools/train-main-content/corpus.ts";
import {
  blockExtractor,
  type Extractor,
  markdownExtractor,
  scorePages,
  scoreSegments,
} from "../../../src/tools/train-main-content/evaluate.ts";
import { formatReferences, formatScores } from "../../../src/tools/train-main-content/score-table.ts";
import type { UnnamedModel } from "../../../src/tools/train-main-content/train-model.ts";
import { otherExtractors } from "./other-extractors.ts";

interface Measured {
  /** Folder of the pages. */
  data: string;
  /** Folder where the training program has left the models of the folds. */
  work: string;
  /** Names of sources; all when empty. */
  sources: readonly string[];
  withOthers: boolean;
}

export async function measureMainContent({ data, work, sources, withOthers }: Measured): Promise<void> {
  const pages = readSources(data).filter(({ source }) => sources.length === 0 || sources.includes(source));
  const segments = readSegmentPages(data);
  const models = readModels(work);
  const extractors: [string, Extractor][] = [
    ["chosen blocks", blockExtractor(models)],
    ["markdown", markdownExtractor(models)],
    ...(withOthers ? await otherExtractors() : []),
  ];
  for (const [name, extract] of extractors) {
    console.log(`${formatScores(name, scorePages(pages, extract), scoreSegments(segments, extract))}\n`);
  }
  console.log(formatReferences());
}

/** Returns the models by held-out fold, or else the shipped one, whose scores on pages that it has learned say little. */
function readModels(work: string): MainContentModel[] {
  const path = join(work, "fold-models.json");
  if (existsSync(path)) {
    console.log("Each page is read by a model that has not seen its site.\n");
    return (JSON.parse(readFileSync(path, "utf8")) as UnnamedModel[]).map((model) => unpackModel(model));
  }
  console.log(
    `The shipped model reads pages that it has learned from: these are not held-out scores. For those, write the models of the
folds to ${path} first: npm run train -- --data DIR --dry\n`,
  );
  return [loadModel()];
}
