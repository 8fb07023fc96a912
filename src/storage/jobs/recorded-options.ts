import type { Sql } from "../../ports/storage/sql.ts";

/** Returns the options for the record of a job, from its specification, as JSON text; undefined for a job without them. */
export function recordedOptions(sql: Sql): string | undefined {
  const [row] = sql.rows<{ options: string | null }>(
    "SELECT json_extract(specification, '$.record.optionsJson') AS options FROM job WHERE json_valid(specification)",
  );
  return row?.options ?? undefined;
}
