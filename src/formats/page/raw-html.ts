import { z } from "zod";
import { defineFormat } from "../format.ts";

/** Returns the body as text of any type, unchanged but for its decoding. */
export const rawHtml = defineFormat({
  type: "rawHtml",
  request: z.strictObject({
    type: z.literal("rawHtml").describe("Returns the body as text, without cleaning, in `rawHtml`."),
  }),
  needs: [],
  credits: 0,
  readsSource: () => true,
  derive: async (page) => ({ rawHtml: await page.rawText() }),
});
