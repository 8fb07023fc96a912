import { z } from "zod";
import { defineFormat } from "../format.ts";

/** The format as it is requested by name. */
export const MARKDOWN = { type: "markdown" } as const;

export const markdown = defineFormat({
  type: "markdown",
  request: z.strictObject({
    type: z.literal("markdown").describe("Returns the content of the page as Markdown in `markdown`."),
  }),
  needs: [],
  credits: 0,
  derive: (page, _request, { removeBase64Images }) => ({ markdown: page.markdown({ removeBase64Images }) }),
});
