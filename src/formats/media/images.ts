import { z } from "zod";
import { defineFormat } from "../format.ts";

/** Returns the absolute image URLs of the whole page. */
export const images = defineFormat({
  type: "images",
  request: z.strictObject({
    type: z.literal("images").describe("Returns the URLs of all images of the page in `images`."),
  }),
  needs: [],
  credits: 0,
  reads: () => [{ name: "images" }],
  derive: (page) => ({ images: page.images() }),
});
