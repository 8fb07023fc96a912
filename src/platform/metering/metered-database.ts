import type { Meter } from "../../core/account/meter.ts";
import { overriding } from "./overriding.ts";

type Preparing = Pick<D1Database, "prepare" | "batch">;

/**
 * Returns the database with a meter: it counts the rows that each statement has read and written, as D1 reports them in
 * `meta`. Statements run with `raw` and scripts run with `exec` have no `meta` and are refused.
 */
export function meteredDatabase(db: D1Database, meter: Meter): D1Database {
  return overriding<D1Database>(db, {
    ...meteredStatements(db, meter),
    exec: refuse("exec"),
    withSession: (constraint) => {
      const session = db.withSession(constraint);
      return overriding<D1DatabaseSession>(session, meteredStatements(session, meter));
    },
  });
}

/** The statements behind the metered ones: a batch accepts only the platform's own. */
const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

function meteredStatements(db: Preparing, meter: Meter): Preparing {
  return {
    prepare: (query) => meteredStatement(db.prepare(query), meter),
    batch: async <Row>(statements: D1PreparedStatement[]) => {
      const results = await db.batch<Row>(statements.map((statement) => originals.get(statement) ?? statement));
      for (const result of results) count(result, meter);
      return results;
    },
  };
}

function meteredStatement(statement: D1PreparedStatement, meter: Meter): D1PreparedStatement {
  const run = async <Row>() => count(await statement.run<Row>(), meter);
  const metered = overriding<D1PreparedStatement>(statement, {
    bind: (...values) => meteredStatement(statement.bind(...values), meter),
    run,
    all: run,
    // The overloads of `first` return a row or one of its columns, hence the cast.
    first: (async (column?: string) => {
      const [row] = (await run<Record<string, unknown>>()).results;
      return column === undefined ? (row ?? null) : (row?.[column] ?? null);
    }) as D1PreparedStatement["first"],
    raw: refuse("raw"),
  });
  originals.set(metered, statement);
  return metered;
}

function count<Row>(result: D1Result<Row>, meter: Meter): D1Result<Row> {
  meter.add("d1RowsRead", result.meta.rows_read);
  meter.add("d1RowsWritten", result.meta.rows_written);
  return result;
}

function refuse(method: string): () => never {
  return () => {
    throw new Error(`D1 reports no rows for \`${method}\`, so the meter cannot count them; use \`run\` or \`batch\``);
  };
}
