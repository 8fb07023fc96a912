import { z } from "@hono/zod-openapi";
import { PAGE_STATUSES } from "../../core/monitors/monitor.ts";
import { EXAMPLE_END, OTHER_ID } from "../docs/examples.ts";

export const PAGE_EXAMPLE = {
  id: "019a9d13-a0f4-7c55-9e0b-6d1b5a2f3c11",
  targetId: OTHER_ID,
  url: "https://example.com/prices",
  status: "changed",
  previousScrapeId: "019a9cdc-11d0-7b6e-a7cd-7f20a95b4e02",
  currentScrapeId: "019a9d13-a0c2-70aa-8f4f-21ab7f6e9d33",
  statusCode: 200,
  error: null,
  metadata: { title: "Prices" },
  diff: { text: "-Tern: 20\n+Tern: 22\n", json: { files: [] } },
  judgment: {
    meaningful: true,
    confidence: "high",
    reason: "The price of the Tern rose.",
    meaningfulChanges: [
      { type: "changed", before: "Tern: 20", after: "Tern: 22", reason: "The goal asks for changes of prices." },
    ],
  },
  createdAt: EXAMPLE_END,
};
const Judgment = z.object({
  meaningful: z.boolean().describe("Whether the change matters to the goal."),
  confidence: z.enum(["high", "medium", "low"]).describe("How certain the model is."),
  reason: z.string().describe("Why, in one or two sentences."),
  meaningfulChanges: z
    .array(
      z.object({
        type: z.enum(["added", "removed", "changed"]).describe("Kind of change."),
        before: z.string().nullable().describe("Words of the previous text, or null."),
        after: z.string().nullable().describe("Words of the current text, or null."),
        reason: z.string().describe("Why the change matters."),
      }),
    )
    .describe("Changes that matter. Their words were found in the difference."),
});
/** A page of a check. */
export const MonitorPage = z
  .object({
    id: z.string().describe("ID of the resource."),
    targetId: z.string().describe("ID of the target."),
    url: z.string().describe("URL of the page."),
    status: z.enum(PAGE_STATUSES).describe("How the page compares with the previous check."),
    previousScrapeId: z.string().nullable().describe("ID of the previous scrape, or null."),
    currentScrapeId: z.string().nullable().describe("ID of the current scrape, or null."),
    statusCode: z.number().nullable().describe("HTTP status of the page, or null."),
    error: z.string().nullable().describe("Why the page failed, or null."),
    metadata: z.unknown().describe("Metadata of the page."),
    diff: z
      .object({
        text: z.string().optional().describe("Differences as a unified diff. Absent in mode `json`."),
        json: z
          .looseObject({ files: z.array(z.unknown()).optional().describe("Files of the diff; there is one.") })
          .describe(
            "Differences as data: `files`, or in mode `json` each changed field with `previous` and `current`.",
          ),
      })
      .nullable()
      .describe("Differences from the previous check, or null."),
    snapshot: z
      .object({ json: z.unknown().describe("Data of the page by the schema of `changeTracking`.") })
      .optional()
      .describe("Current data of the page. Present for targets that compare fields by a schema."),
    judgment: Judgment.nullable().describe(
      "The language model's decision on a changed page or a new search result, or null.",
    ),
    warning: z.string().optional().openapi({ description: "What is missing or limited in the result of the page." }),
    createdAt: z.string().describe("Time of creation."),
  })
  .openapi("MonitorPage", { description: "A page of a check.", example: PAGE_EXAMPLE });
