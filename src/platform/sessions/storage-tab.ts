import { hasAllowedUrl } from "../../core/cdp/shown-target.ts";
import type { PageFunction } from "../../page-scripts/page-functions.ts";
import { callExpression } from "../browser/page/call-function.ts";
import type { CdpConnection, CdpEvent, CdpMethod, CdpParams, CdpResult } from "../browser/cdp-connection.ts";
import { BrowserGoneError, CdpError } from "../browser/cdp-connection.ts";

const EMPTY_PAGE = btoa("<!doctype html><title></title>");
const EVERY_REQUEST = [{ urlPattern: "*", requestStage: "Request" as const }];

/**
 * A tab that can visit any origin without a request to it: every request is answered with an empty page. The tab's own
 * storage for the origin (session storage) is accessible and retained.
 */
export class StorageTab {
  readonly #connection: CdpConnection;
  readonly #sessionId: string;
  readonly #before: Promise<string[]>;

  /** Opens all tabs of the browser's default context, with `firstTabId` first if it exists. */
  static async openAll(connection: CdpConnection, firstTabId?: string): Promise<[StorageTab, ...StorageTab[]]> {
    const { targetInfos } = await connection.send("Target.getTargets");
    const { browserContextIds } = await connection.send("Target.getBrowserContexts");
    const ids = targetInfos
      .filter((target) => target.type === "page" && hasAllowedUrl(target))
      .filter(({ browserContextId = "" }) => !browserContextIds.includes(browserContextId))
      .map(({ targetId }) => targetId)
      .toSorted((one, other) => Number(other === firstTabId) - Number(one === firstTabId));
    const [first, ...others] = await Promise.all(ids.map((id) => StorageTab.#open(connection, id)));
    if (first === undefined) throw new BrowserGoneError("The browser has no tab");
    return [first, ...others];
  }

  static async #open(connection: CdpConnection, targetId: string): Promise<StorageTab> {
    const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
    return new StorageTab(connection, sessionId);
  }

  private constructor(connection: CdpConnection, sessionId: string) {
    this.#connection = connection;
    this.#sessionId = sessionId;
    connection.onEvent((event) => this.#receive(event));
    for (const method of ["Page.enable", "Page.stopLoading"] as const) this.#send(method).catch(() => undefined);
    this.#before = this.#originsInHistory();
    this.#send("Network.setBypassServiceWorker", { bypass: true }).catch(() => undefined);
    this.#send("Fetch.enable", { patterns: EVERY_REQUEST }).catch(() => undefined);
  }

  /** Returns the origins that the tab has visited. */
  history(): Promise<string[]> {
    return this.#before;
  }

  /** @throws CdpError for an origin that the browser refuses */
  async visit(origin: string): Promise<void> {
    const { errorText } = await this.#send("Page.navigate", { url: `${origin}/` });
    if (errorText !== undefined) throw new CdpError("Page.navigate", errorText);
  }

  /** Calls a function in the tab's document. @throws CdpError when it throws */
  async call<V extends readonly unknown[], R>(called: PageFunction<V, R>, ...values: V): Promise<R> {
    const expression = callExpression(called, ...values);
    const answer = await this.#send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    const { exceptionDetails } = answer;
    // The function's signature defines the shape of its result.
    if (exceptionDetails === undefined) return answer.result.value as R;
    const { text, exception } = exceptionDetails;
    throw new CdpError("Runtime.evaluate", exception?.description ?? text);
  }

  /** Blanks the tab, clears its history and detaches from it. */
  async leave(): Promise<void> {
    await this.#send("Page.navigate", { url: "about:blank" });
    await this.#send("Page.resetNavigationHistory").catch(() => undefined);
    await this.#send("Fetch.disable");
    await this.#connection.send("Target.detachFromTarget", { sessionId: this.#sessionId });
  }

  #receive(event: CdpEvent): void {
    if (event.sessionId !== this.#sessionId) return;
    if (event.method === "Fetch.requestPaused") {
      const { requestId } = event.params;
      const answer = { requestId, responseCode: 200, body: EMPTY_PAGE };
      const responseHeaders = [{ name: "Content-Type", value: "text/html" }];
      this.#send("Fetch.fulfillRequest", { ...answer, responseHeaders }).catch(() => undefined);
    }
    // Accepts the dialog of a page that asks not to be left.
    if (event.method === "Page.javascriptDialogOpening") {
      this.#send("Page.handleJavaScriptDialog", { accept: true }).catch(() => undefined);
    }
  }

  async #originsInHistory(): Promise<string[]> {
    const { entries } = await this.#send("Page.getNavigationHistory");
    return entries.map(({ url }) => URL.parse(url)?.origin ?? "").toReversed();
  }

  #send<M extends CdpMethod>(method: M, params?: CdpParams<M>): Promise<CdpResult<M>> {
    return this.#connection.send(method, params, this.#sessionId);
  }
}
