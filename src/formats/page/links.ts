import { z } from "zod";
import { defineFormat } from "../format.ts";

/** Returns the absolute link targets of the whole page, in document order. */
export const links = defineFormat({
  type: "links",
  request: z.strictObject({
    type: z.literal("links").describe("Returns the URLs of all links of the page in `links`."),
  }),
  needs: [],
  credits: 0,
  reads: () => [{ name: "links" }],
  derive: (page) => ({ links: page.links() }),
});
