import { z } from "zod";

const Change = z.object({
  type: z.enum(["normal", "add", "del"]),
  normal: z.literal(true).optional(),
  add: z.literal(true).optional(),
  del: z.literal(true).optional(),
  /** Line of an added line in the new text, or of a deleted one in the old. */
  ln: z.int().optional(),
  ln1: z.int().optional(),
  ln2: z.int().optional(),
  /** The line with its mark, which is a blank, `+` or `-`. */
  content: z.string(),
});
export type LineChange = z.infer<typeof Change>;

const Chunk = z.object({
  content: z.string(),
  changes: z.array(Change),
  oldStart: z.int(),
  oldLines: z.int(),
  newStart: z.int(),
  newLines: z.int(),
});

/** What differs between two texts: as a unified patch, and the same in the shape of the package parse-diff. */
export const TextDiff = z.object({
  text: z.string(),
  json: z.object({
    files: z.array(
      z.object({
        from: z.string(),
        to: z.string(),
        chunks: z.array(Chunk),
        additions: z.int(),
        deletions: z.int(),
      }),
    ),
  }),
});
export type TextDiff = z.infer<typeof TextDiff>;

/** What has become of a page since it was scraped before (api-contract.md, “Change tracking”). */
export const ChangeTracking = z.object({
  /** Null when it was not. */
  previousScrapeAt: z.string().nullable(),
  changeStatus: z.enum(["new", "same", "changed", "removed"]),
  visibility: z.enum(["visible", "hidden"]),
  diff: TextDiff.optional(),
  /** The fields that changed, each as `{previous, current}`; without a schema what a model makes of the changes. */
  json: z.unknown().optional(),
});
export type ChangeTracking = z.infer<typeof ChangeTracking>;
