/** A value that SQLite stores. */
export type SqlValue = string | number | null;

/** One SQLite database that belongs to its caller alone and answers at once: the storage of a Durable Object. */
export interface Sql {
  /** Runs one statement and gives its rows; their shape is what the statement selects. */
  rows<Row>(query: string, ...values: SqlValue[]): Row[];
  /** All of the work or nothing of it. */
  transaction<Result>(work: () => Result): Result;
}
