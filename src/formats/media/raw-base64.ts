import { z } from "zod";
import { defineFormat } from "../format.ts";

/** Returns the body's bytes in base64, for files of any kind. It must be the only format. */
export const rawBase64 = defineFormat({
  type: "rawBase64",
  request: z.strictObject({
    type: z.literal("rawBase64").describe("Returns the body in Base64 in `rawBase64`. It must be the only format."),
  }),
  needs: [],
  credits: 0,
  derive: (page) => ({ rawBase64: page.base64() }),
});
