import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Sql, SqlValue } from "../../../src/ports/storage/sql.ts";
import { assertStatement } from "../../platform/value-limits.ts";

/** SQLite in memory, for the statements that run in a Durable Object elsewhere. It refuses what the platform refuses. */
export interface NodeSql extends Sql {
  /** Makes the statement that comes so many statements from now fail, as a crash in the middle of a transaction would. */
  failAfter(statements: number | undefined): void;
  close(): void;
}

/** Size of a database in bytes, without the pages that are free, as Durable Objects report theirs. */
export const DATABASE_BYTES =
  "SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size";

export function sizeOfDatabase(sql: Sql): number {
  return sql.rows<{ bytes: number }>(DATABASE_BYTES)[0]?.bytes ?? 0;
}

export class InjectedFailure extends Error {}

/** @param path file of the database; in memory when left out */
export function nodeSql(path = ":memory:"): NodeSql {
  const database = new DatabaseSync(path);
  const prepared = new Map<string, StatementSync>();
  let statementsLeft: number | undefined;
  const statement = (query: string): StatementSync => {
    const known = prepared.get(query) ?? database.prepare(query);
    prepared.set(query, known);
    return known;
  };
  let depth = 0;
  return {
    rows<Row>(query: string, ...values: SqlValue[]): Row[] {
      if (statementsLeft !== undefined && statementsLeft-- <= 0) {
        statementsLeft = undefined;
        throw new InjectedFailure("A crash in the middle of a transaction");
      }
      assertStatement(query, values);
      return statement(query).all(...values) as Row[];
    },
    transaction<Result>(work: () => Result): Result {
      if (depth > 0) return work();
      depth++;
      database.exec("BEGIN");
      try {
        const result = work();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      } finally {
        depth--;
      }
    },
    failAfter(statements) {
      statementsLeft = statements;
    },
    close: () => database.close(),
  };
}
