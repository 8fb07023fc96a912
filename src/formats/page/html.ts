import { z } from "zod";
import { defineFormat } from "../format.ts";

/** Returns the page's content as cleaned HTML (api-contract.md, “HTML cleaning”). */
export const html = defineFormat({
  type: "html",
  request: z.strictObject({ type: z.literal("html").describe("Returns the cleaned HTML of the page in `html`.") }),
  needs: [],
  credits: 0,
  reads: () => [{ name: "html" }],
  derive: (page) => ({ html: page.html() }),
});
