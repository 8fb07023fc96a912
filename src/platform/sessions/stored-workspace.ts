import { EMPTY_WORKSPACE, type BrowserState, type SavedFile, type Workspace } from "../../core/sessions/workspace.ts";

const ALL = "workspace:";
const BROWSER = `${ALL}browser`;
const FILE = `${ALL}file:`;
/**
 * Values in the storage are limited to 2 MB with their key; larger files, and the elements of a larger snapshot, stay in
 * memory, as long as the session's object does.
 */
const MAX_STORED_BYTES = 1_900_000;
/** Of a character, in a stored value or key. */
const MAX_BYTES_A_CHAR = 3;

/** A session's workspace in its object's storage; unchanged files are not written again. */
export class StoredWorkspace {
  readonly #storage: SyncKvStorage;
  #current: Workspace;

  constructor(storage: SyncKvStorage) {
    this.#storage = storage;
    const files = [...storage.list<SavedFile>({ prefix: FILE })].map(([, file]) => file);
    this.#current = { files, browser: storage.get<BrowserState>(BROWSER) ?? EMPTY_WORKSPACE.browser };
  }

  /** Stores the session's initial tab as the first and the active one. */
  static begin(storage: SyncKvStorage, tabId: string | undefined): void {
    if (tabId === undefined) return;
    const browser: BrowserState = { refs: {}, activeTargetId: tabId, tabs: [tabId] };
    storage.put(BROWSER, browser);
  }

  /** Deletes what is stored: the session has ended. */
  static forget(storage: Pick<SyncKvStorage, "list" | "delete">): void {
    // A list is not to change while it is read.
    const keys = Array.from(storage.list({ prefix: ALL }), ([key]) => key);
    for (const key of keys) storage.delete(key);
  }

  get(): Workspace {
    return this.#current;
  }

  keep(next: Workspace): void {
    const before = new Map(this.#current.files.map((file) => [file.path, file]));
    for (const file of next.files) {
      const known = before.get(file.path);
      before.delete(file.path);
      if (known !== undefined && isSame(known, file)) continue;
      if (sizeOf(file) <= MAX_STORED_BYTES) this.#storage.put(FILE + file.path, file);
      // Without it, the session's next object would take the version before this one for the file.
      else if (known !== undefined) this.#storage.delete(FILE + file.path);
    }
    for (const path of before.keys()) this.#storage.delete(FILE + path);
    const isLarge = MAX_BYTES_A_CHAR * JSON.stringify(next.browser).length > MAX_STORED_BYTES;
    this.#storage.put(BROWSER, isLarge ? { ...next.browser, refs: {} } : next.browser);
    this.#current = next;
  }
}

function sizeOf({ path, content }: SavedFile): number {
  const nameBytes = MAX_BYTES_A_CHAR * path.length;
  if (content.kind === "link") return nameBytes * 2 + MAX_BYTES_A_CHAR * content.target.length;
  return nameBytes * 2 + (content.kind === "file" ? content.bytes.byteLength : 0);
}

function isSame(a: SavedFile, b: SavedFile): boolean {
  if (a.mode !== b.mode || a.content.kind !== b.content.kind) return false;
  if (a.content.kind === "link" && b.content.kind === "link") return a.content.target === b.content.target;
  if (a.content.kind !== "file" || b.content.kind !== "file") return true;
  const [left, right] = [a.content.bytes, b.content.bytes];
  return left.byteLength === right.byteLength && left.every((byte, index) => byte === right[index]);
}
