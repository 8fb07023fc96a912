import type { CodedValue } from "./value-codec.ts";

/** A database of an origin, as a profile stores it. */
export interface StoredDatabase {
  name: string;
  version: number;
  stores: StoredStore[];
}

export interface StoredStore {
  name: string;
  keyPath: IDBObjectStore["keyPath"] | null;
  autoIncrement: boolean;
  indexes: { name: string; keyPath: string | string[]; unique: boolean; multiEntry: boolean }[];
  records: [key: CodedValue, value: CodedValue][];
}

/** Throws in a document of another origin, where the script of an abandoned try may end up. */
export function requireOrigin(origin: string): void {
  if (location.origin !== origin) throw new Error("The tab has left for another origin");
}

/** Returns the result of a request to a database. @throws DOMException when it fails, Error when another tab blocks it */
export function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
    request.addEventListener("blocked", () => reject(new Error("blocked")));
  });
}
