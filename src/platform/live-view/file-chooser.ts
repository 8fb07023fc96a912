import type { Protocol } from "devtools-protocol";
import { pageFunctions } from "#page-scripts";
import type { PageFunction, PageObject } from "../../page-scripts/page-functions.ts";
import { callOf, PageObjectId } from "../browser/page/call-function.ts";
import type { FileOptions } from "../../sessions/live-view/view-message.ts";
import type { DriveMessage } from "../../sessions/live-view/viewer-message.ts";
import type { ShownTab } from "./shown-tab.ts";

type FilePart = Extract<DriveMessage, { type: "file" }>;

/**
 * A file chooser that the page opened. The browser would show its own dialog, on its own machine; instead the driver
 * chooses, and the files that the driver's browser read are set on the page's field.
 */
export class FileChooser {
  readonly requested: FileOptions;
  readonly #tab: ShownTab;
  /** The page's field, in an isolated world. */
  readonly #field: PageObjectId;

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
    const field = new PageObjectId(object.objectId);
    return new FileChooser(tab, field, await callOn(tab, field, pageFunctions.readFileOptions));
  }

  private constructor(tab: ShownTab, field: PageObjectId, requested: FileOptions) {
    this.#tab = tab;
    this.#field = field;
    this.requested = requested;
  }

  async add({ name, mimeType, part, isLast }: FilePart): Promise<void> {
    await callOn(this.#tab, this.#field, pageFunctions.addFilePart, { name, mimeType, part, isLast });
  }

  /** Sets the files or cancels the choice; the page receives the same events as from a user. */
  async end(isChosen: boolean): Promise<void> {
    await callOn(this.#tab, this.#field, pageFunctions.endFileChoice, isChosen);
  }
}

async function callOn<V extends readonly unknown[], R>(
  tab: ShownTab,
  field: PageObjectId,
  called: PageFunction<[PageObject, ...V], R>,
  ...values: V
): Promise<R> {
  const { objectId } = field;
  const { result } = await tab.send("Runtime.callFunctionOn", {
    ...callOf(called, [field, ...values]),
    objectId,
    returnByValue: true,
  });
  // The function's signature defines the shape of its result.
  return result.value as R;
}
