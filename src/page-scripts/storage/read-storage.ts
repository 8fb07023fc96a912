import type { OriginState } from "../../core/sessions/profile.ts";
import { requireOrigin, settled, type StoredDatabase, type StoredStore } from "./stored-databases.ts";
import { encode } from "./value-codec.ts";

const MAX_ORIGIN_BYTES = 20_000_000;

/** Storage of an origin, with the number of records, and of databases that cannot be read, that are not among it. */
type ReadOrigin = OriginState & { leftOut: number };

/** Bytes of databases that may still be read, and the number of records and databases that were left out. */
interface Room {
  bytes: number;
  leftOut: number;
}

export function readSessionStorage(origin: string): string {
  requireOrigin(origin);
  return JSON.stringify(entriesOf(sessionStorage));
}

export async function readStorage(origin: string): Promise<string> {
  requireOrigin(origin);
  const room: Room = { bytes: MAX_ORIGIN_BYTES, leftOut: 0 };
  const databases: StoredDatabase[] = [];
  for (const { name, version } of await indexedDB.databases()) {
    if (name === undefined || version === undefined) continue;
    try {
      databases.push({ name, version, stores: await readStores(name, room) });
    } catch {
      room.leftOut++;
    }
  }
  const state: ReadOrigin = {
    origin,
    localStorage: entriesOf(localStorage),
    sessionStorage: entriesOf(sessionStorage),
    databases,
    leftOut: room.leftOut,
  };
  return JSON.stringify(state);
}

function entriesOf(storage: Storage): [string, string][] {
  return Object.keys(storage).map((key) => [key, storage.getItem(key) ?? ""]);
}

async function readStores(databaseName: string, room: Room): Promise<StoredStore[]> {
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

async function readStore(store: IDBObjectStore, room: Room): Promise<StoredStore> {
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
  room.leftOut += keys.length - records.length;
  return { name, keyPath, autoIncrement, indexes, records };
}
