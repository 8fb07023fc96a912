import type { OriginState } from "../../core/sessions/profile.ts";

/**
 * Programs that read and write the storage of an origin, in an empty document of that origin. Database values are those
 * that structured cloning supports (HTML § 2.7); each one that JSON cannot represent becomes an object with its type
 * under `$`.
 */

const MAX_ORIGIN_BYTES = 20_000_000;

const CODEC = `
const toBase64 = (buffer) => {
  const bytes = new Uint8Array(buffer);
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
};
const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;
const encode = async (value, depth = 0) => {
  if (depth > 60) throw new Error("too deep");
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (value === undefined) return { $: "undefined" };
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? value : { $: "number", v: Object.is(value, -0) ? "-0" : String(value) };
  if (typeof value === "bigint") return { $: "bigint", v: String(value) };
  const list = (items) => Promise.all(items.map((item) => encode(item, depth + 1)));
  if (Array.isArray(value)) return { $: "array", v: await list(value) };
  if (value instanceof Date) return { $: "date", v: value.getTime() };
  if (value instanceof RegExp) return { $: "regexp", v: [value.source, value.flags] };
  if (value instanceof Map) return { $: "map", v: await list([...value].flat()) };
  if (value instanceof Set) return { $: "set", v: await list([...value]) };
  if (value instanceof ArrayBuffer) return { $: "buffer", v: toBase64(value) };
  if (ArrayBuffer.isView(value)) {
    const bytes = value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength);
    return { $: "view", n: value.constructor.name, v: toBase64(bytes) };
  }
  if (value instanceof Blob) return { $: "blob", t: value.type, n: value instanceof File ? value.name : undefined, v: toBase64(await value.arrayBuffer()) };
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error("not known");
  const entries = await Promise.all(Object.entries(value).map(async ([key, item]) => [key, await encode(item, depth + 1)]));
  return { $: "object", v: entries };
};
const VIEWS = { Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView };
const decode = (coded) => {
  if (coded === null || typeof coded !== "object") return coded;
  const { $, v, n, t } = coded;
  switch ($) {
    case "undefined": return undefined;
    case "number": return Number(v);
    case "bigint": return BigInt(v);
    case "array": return v.map(decode);
    case "date": return new Date(v);
    case "regexp": return new RegExp(v[0], v[1]);
    case "map": { const flat = v.map(decode), map = new Map(); for (let i = 0; i < flat.length; i += 2) map.set(flat[i], flat[i + 1]); return map; }
    case "set": return new Set(v.map(decode));
    case "buffer": return fromBase64(v);
    case "view": return new VIEWS[n](fromBase64(v));
    case "blob": return n === undefined ? new Blob([fromBase64(v)], { type: t }) : new File([fromBase64(v)], n, { type: t });
    case "object": return Object.fromEntries(v.map(([key, item]) => [key, decode(item)]));
  }
};
const settled = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); request.onblocked = () => reject(new Error("blocked")); });`;

/** Throws in a document of another origin, where the script of an abandoned try may end up. */
function onlyOn(origin: string): string {
  return `if (location.origin !== ${JSON.stringify(origin)}) throw new Error("The tab has left for another origin");`;
}

/** Returns a program that gives a tab's session storage for an origin, as JSON. */
export function readSessionStorageScript(origin: string): string {
  return `(() => {${onlyOn(origin)}
return JSON.stringify(Object.keys(sessionStorage).map((key) => [key, sessionStorage.getItem(key)]));
})()`;
}

/** Returns a program that gives an origin's state as JSON, without what cannot be restored (non-extractable keys). */
export function readStorageScript(origin: string): string {
  return `(async () => {${onlyOn(origin)}
${READ_STORAGE}
})()`;
}

const READ_STORAGE = `${CODEC}
const entriesOf = (storage) => Object.keys(storage).map((key) => [key, storage.getItem(key)]);
let room = ${MAX_ORIGIN_BYTES};
const readStore = async (store) => {
  const { name, keyPath, autoIncrement } = store;
  const indexes = [...store.indexNames].map((indexName) => { const { keyPath, unique, multiEntry } = store.index(indexName); return { name: indexName, keyPath, unique, multiEntry }; });
  const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
  const records = [];
  for (let i = 0; i < keys.length && room > 0; i++) {
    try {
      const record = [await encode(keys[i]), await encode(values[i])];
      room -= JSON.stringify(record).length;
      if (room > 0) records.push(record);
    } catch {}
  }
  return { name, keyPath, autoIncrement, indexes, records };
};
const readDatabase = async ({ name, version }) => {
  const database = await settled(indexedDB.open(name));
  try {
    const names = [...database.objectStoreNames];
    if (names.length === 0) return { name, version, stores: [] };
    const transaction = database.transaction(names, "readonly");
    return { name, version, stores: await Promise.all(names.map((storeName) => readStore(transaction.objectStore(storeName)))) };
  } finally { database.close(); }
};
const databases = [];
for (const info of (await indexedDB.databases?.()) ?? []) { try { databases.push(await readDatabase(info)); } catch {} }
return JSON.stringify({ localStorage: entriesOf(localStorage), sessionStorage: entriesOf(sessionStorage), databases });`;

/** Returns a program that restores an origin's state. */
export function writeStorageScript({ origin, ...state }: OriginState): string {
  return `(async (state) => {${onlyOn(origin)}
${CODEC}
for (const [key, value] of state.localStorage) localStorage.setItem(key, value);
for (const [key, value] of state.sessionStorage) sessionStorage.setItem(key, value);
for (const { name, version, stores } of state.databases) {
  try {
    const opening = indexedDB.open(name, version);
    opening.onupgradeneeded = () => {
      for (const { name, keyPath, autoIncrement, indexes } of stores) {
        const store = opening.result.createObjectStore(name, { keyPath, autoIncrement });
        for (const index of indexes) store.createIndex(index.name, index.keyPath, { unique: index.unique, multiEntry: index.multiEntry });
      }
    };
    const database = await settled(opening);
    if (stores.length > 0) {
      const transaction = database.transaction(stores.map((store) => store.name), "readwrite");
      for (const { name, keyPath, records } of stores) {
        const store = transaction.objectStore(name);
        for (const [key, value] of records) keyPath === null ? store.put(decode(value), decode(key)) : store.put(decode(value));
      }
      await new Promise((resolve, reject) => { transaction.oncomplete = resolve; transaction.onerror = transaction.onabort = reject; });
    }
    database.close();
  } catch {}
}
})(${JSON.stringify(state)})`;
}
