import type { Addresses, ProviderParts } from "../index.ts";
import { createOwnIndex } from "../providers/web/own-index.ts";
import { createArxivPapers } from "./arxiv-papers.ts";
import { createCrossrefPapers } from "./crossref-papers.ts";
import { createOpenalexPapers } from "./openalex-papers.ts";
import { createOwnPapers } from "./own-papers.ts";
import type { PaperSource } from "./paper.ts";
import { createPubmedPapers } from "./pubmed-papers.ts";

/** Every source of papers that this deployment can ask. */
export function buildPaperSources(parts: ProviderParts, at: Addresses): PaperSource[] {
  const { pages, clock, admit, log, indexRetentionMs: retentionMs } = parts;
  return [
    createOpenalexPapers(parts, at("openalex", "https://api.openalex.org")),
    createArxivPapers(parts, at("arxiv", "https://export.arxiv.org")),
    createCrossrefPapers(parts, at("crossref", "https://api.crossref.org")),
    createPubmedPapers(parts, at("pubmed", "https://eutils.ncbi.nlm.nih.gov")),
    ...(retentionMs === 0 ? [] : [createOwnPapers(createOwnIndex({ pages, clock, retentionMs, admit, log }))]),
  ];
}
