import type { Sql, SqlValue } from "../../ports/storage/sql.ts";

/** Returns the database of an object. `onWritten` receives the number of rows that each statement has written. */
export function meteredSql(storage: DurableObjectStorage, onWritten: (rows: number) => void): Sql {
  return {
    rows: <Row>(query: string, ...values: SqlValue[]) => {
      const cursor = storage.sql.exec(query, ...values);
      const rows = cursor.toArray() as Row[];
      onWritten(cursor.rowsWritten);
      return rows;
    },
    transaction: (work) => storage.transactionSync(work),
  };
}
