import type { z } from "zod";

/** Returns an optional field whose null stands for a missing value: Python's clients send null for unset options. */
export function nullAsAbsent<Schema extends z.ZodType>(schema: Schema) {
  return schema
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();
}
