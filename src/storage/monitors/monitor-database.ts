import type { Meter } from "../../core/account/meter.ts";

export type Value = string | number | null;
/** SQL and what stands for its question marks. */
export type Statement = [query: string, values: readonly Value[]];

/** The two ways in which the stores of monitors use D1. */
export interface MonitorDatabase {
  /** From the primary: what was just written is there. */
  rows<Row>(query: string, ...values: Value[]): Promise<Row[]>;
  /** All in one transaction. @returns how many rows each statement has changed. */
  write(...statements: Statement[]): Promise<number[]>;
}

export function createMonitorDatabase(db: D1Database, meter: Meter): MonitorDatabase {
  return {
    async rows<Row>(query: string, ...values: Value[]) {
      const statement = db
        .withSession("first-primary")
        .prepare(query)
        .bind(...values);
      const { results, meta } = await statement.run<Row>();
      meter.add("d1RowsRead", meta.rows_read);
      meter.add("d1RowsWritten", meta.rows_written);
      return results;
    },
    async write(...statements) {
      const results = await db.batch(statements.map(([query, values]) => db.prepare(query).bind(...values)));
      for (const { meta } of results) meter.add("d1RowsWritten", meta.rows_written);
      return results.map(({ meta }) => meta.changes);
    },
  };
}
