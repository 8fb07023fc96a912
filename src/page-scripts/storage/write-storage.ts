import type { OriginState } from "../../core/sessions/profile.ts";
import { requireOrigin, settled, type StoredDatabase } from "./stored-databases.ts";
import { decode } from "./value-codec.ts";

export async function writeStorage({
  origin,
  localStorage: local,
  sessionStorage: session,
  databases,
}: OriginState): Promise<number> {
  requireOrigin(origin);
  for (const [key, value] of local) localStorage.setItem(key, value);
  for (const [key, value] of session) sessionStorage.setItem(key, value);
  // `readStorage` has made them: hence the cast without a parse.
  let unwritten = 0;
  for (const database of databases as StoredDatabase[]) {
    try {
      await writeDatabase(database);
    } catch {
      unwritten++;
    }
  }
  return unwritten;
}

async function writeDatabase(stored: StoredDatabase): Promise<void> {
  const database = await create(stored);
  const { stores } = stored;
  if (stores.length > 0) await writeRecords(database, stores);
  database.close();
}

function create({ name, version, stores }: StoredDatabase): Promise<IDBDatabase> {
  const opening = indexedDB.open(name, version);
  opening.addEventListener("upgradeneeded", () => {
    for (const { name: storeName, keyPath, autoIncrement, indexes } of stores) {
      const store = opening.result.createObjectStore(storeName, { keyPath, autoIncrement });
      for (const { name: indexName, keyPath: indexKeyPath, unique, multiEntry } of indexes) {
        store.createIndex(indexName, indexKeyPath, { unique, multiEntry });
      }
    }
  });
  return settled(opening);
}

async function writeRecords(database: IDBDatabase, stores: StoredDatabase["stores"]): Promise<void> {
  const names = stores.map(({ name }) => name);
  const transaction = database.transaction(names, "readwrite");
  for (const { name, keyPath, records } of stores) {
    const store = transaction.objectStore(name);
    for (const [key, value] of records) {
      if (keyPath === null) store.put(decode(value), decode(key) as IDBValidKey);
      else store.put(decode(value));
    }
  }
  await new Promise<void>((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("error", () => reject(transaction.error));
    transaction.addEventListener("abort", () => reject(transaction.error));
  });
}
