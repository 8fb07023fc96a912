/** Cache of the data centre in which the Worker runs: entries may be missing at any time, and are not shared with others. */
export interface LocalCache {
  /** @param key any text that contains everything which an entry depends on. */
  get(key: string): Promise<string | undefined>;
  /** @param lifeMs time in ms after which the entry is gone; at least a second. */
  put(key: string, text: string, lifeMs: number): Promise<void>;
  delete(key: string): Promise<void>;
}
