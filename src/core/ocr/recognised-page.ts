import { z } from "zod";

/** A word in points, from the upper left corner of the page that is turned until its text is upright. */
const RecognisedWord = z.object({
  text: z.string().min(1).max(500),
  left: z.number(),
  right: z.number(),
  /** 0 to 1. */
  confidence: z.number().min(0).max(1),
});

const RecognisedLine = z.object({
  top: z.number(),
  bottom: z.number(),
  baseline: z.number(),
  /** Font size in points. */
  size: z.number().positive(),
  words: z.array(RecognisedWord).max(1_000),
});
export type RecognisedLine = z.infer<typeof RecognisedLine>;

/** The text that was recognised in the picture of a page; with `vision` where a model has read it too. */
export const RecognisedPage = z.object({
  /** Counted from 1. */
  pageNumber: z.int().positive(),
  /** Size in points of the page as its text is upright. */
  width: z.number().positive(),
  height: z.number().positive(),
  /** Clockwise turn in degrees that makes the text upright. */
  rotation: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
  /** True for a page that shows nothing at all. */
  isBlank: z.boolean(),
  /** 0 to 1, the mean of all characters; 0 for a page without words. */
  confidence: z.number().min(0).max(1),
  lines: z.array(RecognisedLine).max(5_000),
});
export type RecognisedPage = z.infer<typeof RecognisedPage> & { vision?: VisionReading };

/** A page as a vision model wrote it. Its text is foreign, and not yet compared with the words of the page. */
export interface VisionReading {
  markdown: string;
  /** True when the model had more to write than it may. */
  isCut: boolean;
}
