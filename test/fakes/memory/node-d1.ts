import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { dataFolder } from "../../data-folder.ts";

const MIGRATIONS = dataFolder("migrations");

interface Statement {
  query: string;
  values: SQLInputValue[];
}

/** D1 as far as stores use it, over SQLite in memory, with the project's schema. A batch is a transaction. */
export function nodeD1(): D1Database {
  const database = new DatabaseSync(":memory:");
  for (const name of MIGRATIONS.names()) database.exec(MIGRATIONS.text(name));
  const run = ({ query, values }: Statement) => {
    const results = database.prepare(query).all(...values);
    const [row] = database.prepare("SELECT changes() AS changes").all();
    const changes = /^\s*SELECT/i.test(query) ? 0 : Number(row?.["changes"]);
    return { results, success: true, meta: { changes, rows_read: results.length, rows_written: changes } };
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
