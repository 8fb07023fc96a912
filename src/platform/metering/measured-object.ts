import { DurableObject } from "cloudflare:workers";
import type { Sql, SqlValue } from "../../ports/storage/sql.ts";

/** The result of a method of an object, and the number of rows that it has written. */
export interface Measured {
  value: unknown;
  rowsWritten: number;
}

/** A Durable Object that reports to the caller's meter how many rows each call has written, as SQLite counts them. */
export abstract class MeasuredObject<Env = unknown> extends DurableObject<Env> {
  #rowsWritten = 0;

  /** Runs a method of the object for `measuredObjects`. Rows of calls that run at the same time count for both. */
  async measured(name: string, args: unknown[]): Promise<Measured> {
    const method: unknown = name === "constructor" ? undefined : Reflect.get(this, name);
    if (typeof method !== "function") throw new Error(`The object has no method ${name}`);
    const before = this.#rowsWritten;
    const value: unknown = await method.apply(this, args);
    return { value, rowsWritten: this.#rowsWritten - before };
  }

  /** The object's database, which counts the written rows. */
  protected get sql(): Sql {
    const { storage } = this.ctx;
    return {
      rows: <Row>(query: string, ...values: SqlValue[]) => {
        const cursor = storage.sql.exec(query, ...values);
        // A statement determines the shape of its rows.
        const rows = cursor.toArray() as Row[];
        this.#rowsWritten += cursor.rowsWritten;
        return rows;
      },
      transaction: (work) => storage.transactionSync(work),
    };
  }
}
