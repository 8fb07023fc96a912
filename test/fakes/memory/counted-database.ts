import type { Invocation } from "../../platform/invocation.ts";

/** The database, whose queries count for the invocation that runs. */
export function countedDatabase(database: D1Database, current: () => Invocation): D1Database {
  // The methods that stores call; the cast stands for the rest of D1.
  const count = (statement: D1PreparedStatement): D1PreparedStatement => {
    const run = async () => {
      current().query();
      return await statement.run();
    };
    const bind = (...values: unknown[]) => count(statement.bind(...values));
    return { ...statement, bind, run } as unknown as D1PreparedStatement;
  };
  const counted = {
    prepare: (query: string) => count(database.prepare(query)),
    batch: async (statements: D1PreparedStatement[]) => {
      current().query(statements.length);
      return await database.batch(statements);
    },
  };
  return { ...counted, withSession: () => counted } as unknown as D1Database;
}
