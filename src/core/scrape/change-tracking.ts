import { z } from "zod";

const Change = z.object({
  type: z.enum(["normal", "add", "del"]).describe("Whether the line is unchanged, added or deleted."),
  normal: z.literal(true).optional().describe("Present for unchanged lines."),
  add: z.literal(true).optional().describe("Present for added lines."),
  del: z.literal(true).optional().describe("Present for deleted lines."),
  /** Line number of an added line in the new text, or of a deleted one in the old. */
  ln: z.int().optional().describe("Line number of an added or deleted line."),
  ln1: z.int().optional().describe("Line number of an unchanged line in the previous text."),
  ln2: z.int().optional().describe("Line number of an unchanged line in the current text."),
  /** The line with its leading sign: a space, `+` or `-`. */
  content: z.string().describe("Text of the line with its leading sign."),
});
export type LineChange = z.infer<typeof Change>;

const Chunk = z.object({
  content: z.string().describe("Header of the chunk."),
  changes: z.array(Change).describe("Lines of the chunk."),
  oldStart: z.int().describe("First line of the chunk in the previous text."),
  oldLines: z.int().describe("Number of lines in the previous text."),
  newStart: z.int().describe("First line of the chunk in the current text."),
  newLines: z.int().describe("Number of lines in the current text."),
});

/** Difference of two texts: as a unified patch, and in the shape of the package parse-diff. */
export const TextDiff = z.object({
  text: z.string().describe("Differences as a unified diff with three lines of context."),
  json: z
    .object({
      files: z
        .array(
          z.object({
            from: z.string().describe("Name of the previous text."),
            to: z.string().describe("Name of the current text."),
            chunks: z.array(Chunk).describe("Changed parts of the text."),
            additions: z.int().describe("Number of added lines."),
            deletions: z.int().describe("Number of deleted lines."),
          }),
        )
        .describe("Files of the diff; there is one."),
    })
    .describe("Differences as structured data."),
});
export type TextDiff = z.infer<typeof TextDiff>;

/** Changes of a page since its previous scrape (api-contract.md, “Change tracking”). */
export const ChangeTracking = z.object({
  /** Null when there is no previous scrape. */
  previousScrapeAt: z.string().nullable().describe("Time of the previous scrape, or null if there is none."),
  changeStatus: z
    .enum(["new", "same", "changed", "removed"])
    .describe("How the page compares with the previous scrape; `removed` means 404 or 410."),
  visibility: z.enum(["visible", "hidden"]).describe("Whether the page can be found by links. It is always `visible`."),
  diff: TextDiff.optional().describe("Differences of the Markdown, in mode `git-diff` and for changed pages."),
  /** The changed fields, each as `{previous, current}`; without a schema, a model's description of the changes. */
  json: z
    .unknown()
    .optional()
    .describe("Changed fields with `previous` and `current` values, in mode `json` and for changed pages."),
});
export type ChangeTracking = z.infer<typeof ChangeTracking>;
