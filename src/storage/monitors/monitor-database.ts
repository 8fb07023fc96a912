export type Value = string | number | null;
/** SQL text and the values of its parameters. */
export type Statement = [query: string, values: readonly Value[]];

/** Access of the monitor stores to D1. */
export interface MonitorDatabase {
  /** Reads from the primary, so that recent writes are visible. */
  rows<Row>(query: string, ...values: Value[]): Promise<Row[]>;
  /** Runs the statements in one transaction. @returns the number of rows that each one changed. */
  write(...statements: Statement[]): Promise<number[]>;
}

export function createMonitorDatabase(db: D1Database): MonitorDatabase {
  return {
    async rows<Row>(query: string, ...values: Value[]) {
      const statement = db
        .withSession("first-primary")
        .prepare(query)
        .bind(...values);
      const { results } = await statement.run<Row>();
      return results;
    },
    async write(...statements) {
      const results = await db.batch(statements.map(([query, values]) => db.prepare(query).bind(...values)));
      return results.map(({ meta }) => meta.changes);
    },
  };
}
