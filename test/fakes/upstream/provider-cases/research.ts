import { recorded, type ProviderCase } from "../../../contracts/search-provider.ts";
import { createArxiv } from "../../../../src/search/providers/research/arxiv.ts";
import { createCrossref } from "../../../../src/search/providers/research/crossref.ts";
import { createOpenalex } from "../../../../src/search/providers/research/openalex.ts";
import { createPubmed } from "../../../../src/search/providers/research/pubmed.ts";
import { baseUrl, web } from "./shared.ts";

/** Providers of papers. */
export const RESEARCH_CASES: ProviderCase[] = [
  {
    name: "arxiv",
    place: "research",
    make: (http) => createArxiv(web(http), { baseUrl }),
    normal: [recorded("arxiv-research.xml")],
    empty: [recorded("arxiv-research-empty.xml")],
    hits: [
      {
        url: "https://arxiv.org/abs/2503.01234v2",
        title: "Acoustics of the harbour bell",
        description: "Edith Marrow, Jonas Pell. We measure how far a bell & its echo carry over water.",
        date: "2025-03-04T10:00:00Z",
      },
    ],
  },
  {
    name: "openalex",
    place: "research",
    make: (http) => createOpenalex(web(http), { baseUrl }),
    normal: [recorded("openalex-research.json")],
    empty: [recorded("openalex-research-empty.json")],
    hits: [
      {
        url: "https://journal.example/bells/4375",
        title: "Acoustics of the harbour bell",
        description: "Journal of Bells. We measure the bell the echo",
        date: "2025-03-04",
      },
      { url: "https://openalex.org/W2", title: "Tides", description: "", date: "2024-01-01" },
    ],
  },
  {
    name: "crossref",
    place: "research",
    make: (http) => createCrossref(web(http), { baseUrl }),
    normal: [recorded("crossref-research.json")],
    empty: [recorded("crossref-research-empty.json")],
    hits: [
      {
        url: "https://doi.org/10.7717/bells.4375",
        title: "Acoustics of the harbour bell",
        description: "Journal of Bells. We measure the bell.",
        date: "2025-03-04",
      },
      { url: "https://doi.org/10.1/x", title: "10.1/x", description: "" },
    ],
  },
  {
    name: "pubmed",
    place: "research",
    make: (http) => createPubmed(web(http), { baseUrl }),
    normal: [recorded("pubmed-search.json"), recorded("pubmed-summaries.json")],
    empty: [recorded("pubmed-search-empty.json")],
    hits: [
      {
        url: "https://pubmed.ncbi.nlm.nih.gov/38012345/",
        title: "Hearing loss among bell ringers.",
        description: "Journal of Bells. Marrow E, Pell J",
        date: "2025-03-04",
      },
    ],
  },
];
