import type { OriginState } from "../../core/sessions/profile.ts";
import { requireOrigin, settled, type StoredDatabase, type StoredStore } from "./stored-databases.ts";
import { encode } from "./value-codec.ts";

const MAX_ORIGIN_BYTES = 20_000_000;

export function readSessionStorage(origin: string): string {
  requireOrigin(origin);
  return JSON.stringify(entriesOf(sessionStorage));
}

export async function readStorage(origin: string): Promise<string> {
  requireOrigin(origin);
  const room = { bytes: MAX_ORIGIN_BYTES };
  const databases: StoredDatabase[] = [];
  for (const { name, version } of await indexedDB.databases()) {
    if (name === undefined || version === undefined) continue;
    try {
      databases.push({ name, version, stores: await readStores(name, room) });
    } catch {
      // A database that cannot be read is left out.
    }
  }
  const state: OriginState = {
    origin,
    localStorage: entriesOf(localStorage),
    sessionStorage: entriesOf(sessionStorage),
    databases,
  };
  return JSON.stringify(state);
}

function entriesOf(storage: Storage): [string, string][] {
  return Object.keys(storage).map((key) => [key, storage.getItem(key) ?? ""]);
}

/** @param room how much more may be read */
async function readStores(databaseName: string, room: { bytes: number }): Promise<StoredStore[]> {
  const database = await settled(indexedDB.open(databaseName));
  try {
    const names = [...database.objectStoreNames];
    if (names.length === 0) return [];
    const transaction = database.transaction(names, "readonly");
    return await Promise.all(names.map((name) => readStore(transaction.objectStore(name), room)));
  } finally {
    database.close();
  }
}

async function readStore(store: IDBObjectStore, room: { bytes: number }): Promise<StoredStore> {
  const { name, keyPath, autoIncrement } = store;
  const indexes = [...store.indexNames].map((indexName) => {
    const index = store.index(indexName);
    return { name: indexName, keyPath: index.keyPath, unique: index.unique, multiEntry: index.multiEntry };
  });
  const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
  const records: StoredStore["records"] = [];
  for (let index = 0; index < keys.length && room.bytes > 0; index++) {
    try {
      const record: StoredStore["records"][number] = [await encode(keys[index]), await encode(values[index])];
      room.bytes -= JSON.stringify(record).length;
      if (room.bytes > 0) records.push(record);
    } catch {
      // A record that cannot be represented is left out.
    }
  }
  return { name, keyPath, autoIncrement, indexes, records };
}
