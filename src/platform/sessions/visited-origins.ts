const KEY = "visited";
const MAX_ORIGINS = 200;
/** A host name has 253 characters at most. */
const MAX_CHARS = 300;
/** Pages can request documents of many origins within a second: they are stored together. */
const STORE_EVERY_MS = 1_000;

/**
 * Origins that requested documents, the latest last: a profile stores their storage. They are stored with the session when
 * one is added, so that the next object of the session, after a restart, has them.
 */
export class VisitedOrigins {
  readonly #origins = new Set<string>();
  #storage: Pick<SyncKvStorage, "put"> | undefined;
  #isDue = false;
  #pause: ReturnType<typeof setTimeout> | undefined;

  /** Adds the origins that were stored before, ahead of those that were noted since, and stores all from now on. */
  storeIn(storage: Pick<SyncKvStorage, "get" | "put">): void {
    const since = [...this.#origins];
    this.#origins.clear();
    for (const origin of [...(storage.get<string[]>(KEY) ?? []), ...since]) this.#add(origin);
    this.#storage = storage;
    if (since.length > 0) this.#store();
  }

  note(url: string): void {
    const origin = URL.parse(url)?.origin ?? "null";
    if (origin.length > MAX_CHARS) return;
    const isNew = !this.#origins.has(origin);
    this.#add(origin);
    if (isNew) this.#store();
  }

  latestFirst(): string[] {
    return [...this.#origins].toReversed();
  }

  /** Stores nothing from now on: the session has ended. */
  close(): void {
    this.#storage = undefined;
  }

  /** Deletes what is stored. */
  static forget(storage: Pick<SyncKvStorage, "delete">): void {
    storage.delete(KEY);
  }

  /** Returns what is stored, the latest first. */
  static stored(storage: Pick<SyncKvStorage, "get">): string[] {
    return (storage.get<string[]>(KEY) ?? []).toReversed();
  }

  #add(origin: string): void {
    this.#origins.delete(origin);
    this.#origins.add(origin);
    const [oldest = ""] = this.#origins;
    if (this.#origins.size > MAX_ORIGINS) this.#origins.delete(oldest);
  }

  #store(): void {
    this.#isDue = true;
    if (this.#pause === undefined) this.#storeDue();
  }

  #storeDue(): void {
    this.#pause = undefined;
    if (!this.#isDue || this.#storage === undefined) return;
    this.#isDue = false;
    this.#storage.put(KEY, [...this.#origins]);
    this.#pause = setTimeout(() => this.#storeDue(), STORE_EVERY_MS);
  }
}
