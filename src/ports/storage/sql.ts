/** A value that SQLite stores. */
export type SqlValue = string | number | null | Uint8Array<ArrayBuffer>;

/** A synchronous SQLite database that only its caller uses: the storage of a Durable Object. */
export interface Sql {
  /** Runs one statement and returns its rows, in the shape that the statement selects. */
  rows<Row>(query: string, ...values: SqlValue[]): Row[];
  /** Runs the work in one transaction. */
  transaction<Result>(work: () => Result): Result;
}
