import type { Meter } from "../../core/account/meter.ts";
import { overriding } from "./overriding.ts";
import type { WatchedDatabase } from "./watched-database.ts";

type Preparing = Pick<D1Database, "prepare" | "batch">;

/**
 * Returns the database with a meter: it counts the statements, and the rows that each has read and written, as D1 reports
 * them in `meta`, and notes the size of the database. Statements run with `raw` and scripts run with `exec` have no `meta` and are
 * refused.
 */
export function meteredDatabase(db: D1Database, meter: Meter, room?: WatchedDatabase): D1Database {
  const count: Count = async (statements, work) => {
    // Before the work: what has failed has been a query, too.
    meter.queries += statements;
    const results = await work();
    for (const result of results) note(result);
    return results;
  };
  const note = (result: D1Result<unknown>): void => {
    meter.add("d1RowsRead", result.meta.rows_read);
    meter.add("d1RowsWritten", result.meta.rows_written);
    room?.note(result.meta.size_after);
  };
  return overriding<D1Database>(db, {
    ...meteredStatements(db, count),
    exec: refuse("exec"),
    withSession: (constraint) => {
      const session = db.withSession(constraint);
      return overriding<D1DatabaseSession>(session, meteredStatements(session, count));
    },
  });
}

/** Counts the statements of some work, and the rows of its results. */
type Count = <Results extends readonly D1Result[]>(
  statements: number,
  work: () => Promise<Results>,
) => Promise<Results>;

/** The statements behind the metered ones: a batch accepts only the platform's own. */
const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

function meteredStatements(db: Preparing, count: Count): Preparing {
  return {
    prepare: (query) => meteredStatement(db.prepare(query), count),
    batch: async <Row>(statements: D1PreparedStatement[]) => {
      const own = statements.map((statement) => originals.get(statement) ?? statement);
      return await count(own.length, () => db.batch<Row>(own));
    },
  };
}

function meteredStatement(statement: D1PreparedStatement, count: Count): D1PreparedStatement {
  const run = async <Row>(): Promise<D1Result<Row>> => {
    const [result] = await count(1, async () => [await statement.run<Row>()] as const);
    return result;
  };
  const metered = overriding<D1PreparedStatement>(statement, {
    bind: (...values) => meteredStatement(statement.bind(...values), count),
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

function refuse(method: string): () => never {
  return () => {
    throw new Error(`D1 reports no rows for \`${method}\`, so the meter cannot count them; use \`run\` or \`batch\``);
  };
}
