import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { dataFolder } from "../../data-folder.ts";
import { assertStatement } from "../../platform/value-limits.ts";
import { DATABASE_BYTES } from "./node-sql.ts";

const MIGRATIONS = dataFolder("migrations");

interface Statement {
  query: string;
  values: SQLInputValue[];
}

function sizeOf(database: DatabaseSync): number {
  return Number(database.prepare(DATABASE_BYTES).all()[0]?.["bytes"]);
}

/**
 * D1 as far as stores use it, over SQLite in memory, with the project's schema. A batch is a transaction; values and
 * statements that the platform refuses are refused.
 *
 * @param maxBytes size beyond which writes fail, as those of a full database do
 */
export function nodeD1({ maxBytes }: { maxBytes?: number } = {}): D1Database {
  const database = new DatabaseSync(":memory:");
  for (const name of MIGRATIONS.names()) database.exec(MIGRATIONS.text(name));
  if (maxBytes !== undefined) database.exec(`PRAGMA max_page_count = ${Math.ceil(maxBytes / 4096)}`);
  const run = ({ query, values }: Statement) => {
    assertStatement(query, values);
    const results = database.prepare(query).all(...values);
    const [row] = database.prepare("SELECT changes() AS changes").all();
    const changes = /^\s*SELECT/i.test(query) ? 0 : Number(row?.["changes"]);
    const meta = { changes, rows_read: results.length, rows_written: changes, size_after: sizeOf(database) };
    return { results, success: true, meta };
  };
  const prepare = (query: string) => {
    const bind = (...values: SQLInputValue[]) => ({
      query,
      values,
      run: async () => run({ query, values }),
      first: async () => run({ query, values }).results[0] ?? null,
    });
    return { ...bind(), bind };
  };
  const batch = async (statements: Statement[]) => {
    database.exec("BEGIN");
    try {
      const results = statements.map(run);
      database.exec("COMMIT");
      return results;
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  };
  // The methods that stores call; the cast stands for the rest of D1.
  return { prepare, batch, withSession: () => ({ prepare, batch }) } as unknown as D1Database;
}
