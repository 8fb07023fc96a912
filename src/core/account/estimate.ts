import { z } from "zod";

/** A figure that is not known yet: what is expected, and between which values it probably lies. */
export const EstimateRange = z.object({
  low: z.number().describe("Value that is probably not undercut."),
  expected: z.number().describe("Most probable value."),
  high: z.number().describe("Value that is probably not exceeded."),
});
export type EstimateRange = z.infer<typeof EstimateRange>;

/** Sources of an estimate. */
export const ESTIMATE_SOURCES = [
  "request",
  "sitemap",
  "robots",
  "links",
  "sample",
  "receipts",
  "rates",
  "schedule",
] as const;

const Basis = z.object({
  source: z
    .enum(ESTIMATE_SOURCES)
    .describe(
      "What was looked at: the request, sitemaps, robots.txt, links of pages, a sample of pages, receipts of earlier jobs, usual rates of this service, or the schedule.",
    ),
  detail: z.string().describe("What was found there."),
});
export type EstimateBasis = z.infer<typeof Basis>;

const Figures = {
  pages: EstimateRange.describe("Pages that will be in the result."),
  credits: EstimateRange.describe("Credits that the work will cost."),
  dollars: EstimateRange.describe("Cost in US dollars at list prices, without storage over time."),
  browserSeconds: EstimateRange.describe("Browser time in seconds."),
};
const FigureRanges = z.object(Figures);
export type EstimateFigures = z.infer<typeof FigureRanges>;
export const FIGURE_NAMES = ["pages", "credits", "dollars", "browserSeconds"] as const;
export type FigureName = (typeof FIGURE_NAMES)[number];

/** Forecast of a job's results and costs, before it is started. */
export const Estimate = z.object({
  ...Figures,
  basis: z.array(Basis).describe("What the estimate rests on."),
  sampledBrowserMs: z
    .number()
    .optional()
    .describe("Browser time of a page in the sample, in milliseconds. Absent where no page needed a browser."),
  perMonth: FigureRanges.extend({ checks: z.number().describe("Number of checks in 30 days.") })
    .optional()
    .describe("The checks of 30 days together. Present for monitors, whose other figures are those of one check."),
});
export type Estimate = z.infer<typeof Estimate>;

/** An estimate beside what came of it. Figures without an outcome are not known for this kind of work. */
const Compared = EstimateRange.extend({
  outcome: z.number().optional().describe("What it has come to so far; final when the job has ended."),
});
export const ComparedEstimate = z.object({
  pages: Compared.describe("Pages in the result."),
  credits: Compared.describe("Credits that the work costs."),
  dollars: Compared.describe("Cost in US dollars at list prices."),
  browserSeconds: Compared.describe("Browser time in seconds."),
  basis: z.array(Basis).describe("What the estimate rests on."),
});
export type ComparedEstimate = z.infer<typeof ComparedEstimate>;

/** Puts the outcome beside the figures of an estimate. */
export function compareEstimate(
  { basis, ...figures }: Pick<Estimate, FigureName | "basis">,
  outcome: Partial<Record<FigureName, number>>,
): ComparedEstimate {
  const compared = (name: FigureName): z.infer<typeof Compared> => ({
    ...figures[name],
    ...(outcome[name] === undefined ? {} : { outcome: outcome[name] }),
  });
  return {
    pages: compared("pages"),
    credits: compared("credits"),
    dollars: compared("dollars"),
    browserSeconds: compared("browserSeconds"),
    basis,
  };
}

/** Returns a range of one value. */
export function exactly(value: number): EstimateRange {
  return { low: value, expected: value, high: value };
}

export const NO_FIGURES: EstimateFigures = {
  pages: exactly(0),
  credits: exactly(0),
  dollars: exactly(0),
  browserSeconds: exactly(0),
};

/** Adds ranges bound by bound. */
export function addRanges(left: EstimateRange, right: EstimateRange): EstimateRange {
  return { low: left.low + right.low, expected: left.expected + right.expected, high: left.high + right.high };
}

export function addFigures(left: EstimateFigures, right: EstimateFigures): EstimateFigures {
  return mapFigures((name) => addRanges(left[name], right[name]));
}

export function scaleFigures(figures: EstimateFigures, factor: number): EstimateFigures {
  return mapFigures((name) => scaleRange(figures[name], factor));
}

export function scaleRange({ low, expected, high }: EstimateRange, factor: number): EstimateRange {
  return { low: low * factor, expected: expected * factor, high: high * factor };
}

/** Rounds figures for a response: pages and credits to whole numbers, seconds to tenths, dollars to their 7th place. */
export function roundFigures(figures: EstimateFigures): EstimateFigures {
  const places: Record<FigureName, number> = { pages: 0, credits: 0, dollars: 7, browserSeconds: 1 };
  return mapFigures((name) => {
    const { low, expected, high } = figures[name];
    const unit = 10 ** places[name];
    const round = (value: number): number => Math.round(value * unit) / unit;
    return { low: round(low), expected: round(expected), high: round(high) };
  });
}

function mapFigures(of: (name: FigureName) => EstimateRange): EstimateFigures {
  return {
    pages: of("pages"),
    credits: of("credits"),
    dollars: of("dollars"),
    browserSeconds: of("browserSeconds"),
  };
}

export const ESTIMATE_EXAMPLE: Estimate = {
  pages: { low: 118, expected: 126, high: 140 },
  credits: { low: 118, expected: 126, high: 140 },
  dollars: { low: 0.0011, expected: 0.0013, high: 0.0017 },
  browserSeconds: { low: 0, expected: 0, high: 0 },
  basis: [
    { source: "sitemap", detail: "1 sitemap with 118 pages within the rules of the crawl" },
    { source: "links", detail: "24 pages were read; they link to 8 pages that no sitemap has" },
  ],
};
