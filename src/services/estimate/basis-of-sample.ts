import type { EstimateBasis } from "../../core/account/estimate.ts";

/** Numbers of a sample, and of the pages that the crawl is expected to have. */
interface SampleCounts {
  loads: number;
  linked: number;
  known: number;
  rendered: number;
  disallowed: number;
  limit: number;
  expected: number;
  isComplete: boolean;
}

/** Returns what an estimate is based on, in words. */
export function basisOf(counts: SampleCounts): EstimateBasis[] {
  const { loads: read, linked, known, rendered, disallowed, limit, expected, isComplete } = counts;
  const loads = `${read} ${read === 1 ? "page was" : "pages were"} read`;
  const further = `${loads}; they link to ${linked} pages that were not known before`;
  const end = isComplete ? ", which are all" : `; ${known} pages are known`;
  return [
    { source: "links", detail: `${further}${end}` },
    ...(disallowed === 0
      ? []
      : [{ source: "robots" as const, detail: `robots.txt disallows ${disallowed} known URLs` }]),
    ...(rendered === 0 ? [] : [{ source: "sample" as const, detail: `${rendered} of these pages needed a browser` }]),
    ...(expected >= limit ? [{ source: "request" as const, detail: `The limit is ${limit} pages` }] : []),
  ];
}
