import { readStored, storedName, writeStored } from "./browser-storage.ts";
import { createStore } from "./store.ts";
import type { Store } from "./store.ts";

/** A list in the browser's storage, which other tabs change as well. */
export interface StoredList<Item> extends Pick<Store<Item[]>, "get" | "subscribe" | "set"> {
  /** Changes the list as it is stored now, with what other tabs have added. */
  change(next: (items: Item[]) => Item[]): void;
}

/** @param toItem completes an item that an earlier version stored */
export function createStoredList<Item>(name: string, toItem: (item: Item) => Item = (item) => item): StoredList<Item> {
  const read = (fallback: Item[]): Item[] => readStored<Item[]>(name, fallback).map(toItem);
  const store = createStore<Item[]>(read([]));
  /** False while the storage refuses the list, which is then in memory only. */
  let isStored = true;
  const set = (items: Item[]): void => {
    isStored = writeStored(name, items.length === 0 ? undefined : items);
    store.set(items);
  };
  if ("addEventListener" in globalThis)
    addEventListener("storage", ({ key }) => {
      if (key === storedName(name) || key === null) store.set(read([]));
    });
  return {
    get: store.get,
    subscribe: store.subscribe,
    set,
    change: (next) => set(next(isStored ? read([]) : store.get())),
  };
}
