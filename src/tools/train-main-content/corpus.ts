/** Reads a data set of pages with gold texts: DIR/index.json, DIR/gold.json.br, DIR/html/ID.html.br. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

export interface CorpusPage {
  id: string;
  url: string;
  type: string;
  /** The registrable domain, as far as it can be derived without a list. */
  site: string;
  fold: number;
  gold: string;
}

export const FOLDS = 5;

interface IndexEntry {
  id: string;
  url?: string;
  type: string;
}

export function readCorpus(directory: string): CorpusPage[] {
  const index = JSON.parse(readFileSync(join(directory, "index.json"), "utf8")) as IndexEntry[];
  const golds = JSON.parse(readBrotli(join(directory, "gold.json.br"))) as Record<string, { text?: string }>;
  return index.flatMap(({ id, url = "", type }) => {
    const gold = golds[id]?.text;
    const site = siteOf(url);
    return gold === undefined ? [] : [{ id, url, type, site, fold: foldOf(site || id), gold }];
  });
}

export function readPageHtml(directory: string, id: string): string {
  return readBrotli(join(directory, "html", `${id}.html.br`));
}

function readBrotli(path: string): string {
  return brotliDecompressSync(readFileSync(path)).toString("utf8");
}

/** Two labels of the host name, three where the second is a short one such as "co" in "co.uk". */
export function siteOf(url: string): string {
  if (!URL.canParse(url)) return "";
  const labels = new URL(url).hostname.split(".");
  const shortSecond = labels.length > 2 && (labels.at(-2) ?? "").length <= 3 && (labels.at(-1) ?? "").length === 2;
  return labels.slice(shortSecond ? -3 : -2).join(".");
}

/** All pages of a site are in one fold; which one depends on the name alone. */
function foldOf(site: string): number {
  return (createHash("sha1").update(`fold ${site}`).digest()[0] ?? 0) % FOLDS;
}
