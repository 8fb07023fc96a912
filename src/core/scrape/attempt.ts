import { z } from "zod";

/** One try of an engine to load a page. */
export const Attempt = z.object({
  engine: z.string().describe("Name of the engine."),
  outcome: z.string().describe("`loaded`, `insufficient` or `failed`."),
  reason: z
    .string()
    .optional()
    .describe(
      "Why the attempt was not enough: an error code, or a short reason such as `app_shell`. Absent for `loaded`.",
    ),
  proxy: z
    .string()
    .optional()
    .describe("Egress route, with the number of its proxy where it has several. Absent for the direct way."),
  ms: z.number().describe("Duration of the attempt in milliseconds."),
});
export type Attempt = z.infer<typeof Attempt>;
