import type { Protocol } from "devtools-protocol";
import type { FileOptions } from "../../sessions/live-view/view-message.ts";
import type { DriveMessage } from "../../sessions/live-view/viewer-message.ts";
import type { ShownTab } from "./shown-tab.ts";

type FilePart = Extract<DriveMessage, { type: "file" }>;

const MAX_BYTES = 100_000_000;

/** Programs of an isolated world, called on the page's own field; the page cannot see what they store on it. */
const WISH = "function () { return { isMultiple: this.multiple, accept: this.accept.slice(0, 1000) }; }";
const ADD = `function (name, type, part, isLast) {
  const bytes = Uint8Array.from(atob(part), (character) => character.charCodeAt(0));
  this.heldBytes = (this.heldBytes ?? 0) + bytes.length;
  if (this.heldBytes > ${MAX_BYTES}) throw new Error("too large");
  (this.openParts ??= []).push(bytes);
  if (!isLast) return;
  (this.heldFiles ??= []).push(new File(this.openParts, name, { type }));
  this.openParts = [];
}`;
const END = `function (isChosen) {
  const files = this.heldFiles ?? [];
  this.heldFiles = this.openParts = this.heldBytes = undefined;
  if (!isChosen || files.length === 0) return void this.dispatchEvent(new Event("cancel", { bubbles: true }));
  const transfer = new DataTransfer();
  for (const file of this.multiple ? files : files.slice(0, 1)) transfer.items.add(file);
  this.files = transfer.files;
  this.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  this.dispatchEvent(new Event("change", { bubbles: true }));
}`;

/**
 * A file chooser that the page opened. The browser would show its own dialog, on its own machine; instead the driver
 * chooses, and the files that the driver's browser read are set on the page's field.
 */
export class FileChooser {
  readonly wish: FileOptions;
  readonly #tab: ShownTab;
  readonly #objectId: string;

  /** Returns undefined for a chooser without a field, which could not receive files. */
  static async open(
    tab: ShownTab,
    { frameId, backendNodeId }: Protocol.Page.FileChooserOpenedEvent,
  ): Promise<FileChooser | undefined> {
    if (backendNodeId === undefined) return undefined;
    const world = await tab.send("Page.createIsolatedWorld", { frameId, worldName: "live-view" });
    const { object } = await tab.send("DOM.resolveNode", {
      backendNodeId,
      executionContextId: world.executionContextId,
    });
    if (object.objectId === undefined) return undefined;
    const wish = await callOn(tab, object.objectId, WISH);
    // The program defines the shape of its result.
    return new FileChooser(tab, object.objectId, wish as FileOptions);
  }

  private constructor(tab: ShownTab, objectId: string, wish: FileOptions) {
    this.#tab = tab;
    this.#objectId = objectId;
    this.wish = wish;
  }

  async add({ name, mimeType, part, isLast }: FilePart): Promise<void> {
    await callOn(this.#tab, this.#objectId, ADD, [name, mimeType, part, isLast]);
  }

  /** Sets the files or cancels the choice; the page receives the same events as from a user. */
  async end(isChosen: boolean): Promise<void> {
    await callOn(this.#tab, this.#objectId, END, [isChosen]);
  }
}

async function callOn(
  tab: ShownTab,
  objectId: string,
  functionDeclaration: string,
  values: unknown[] = [],
): Promise<unknown> {
  const { result } = await tab.send("Runtime.callFunctionOn", {
    objectId,
    functionDeclaration,
    arguments: values.map((value) => ({ value })),
    returnByValue: true,
  });
  return result.value;
}
