import { z } from "zod";
import { RecognisedPage } from "../../../core/ocr/recognised-page.ts";
import type { FileToRecognise, PagePart } from "../../../core/ocr/recognition.ts";
import type { CdpEvent } from "../cdp-connection.ts";
import { unwrap, type PageSession } from "../page/page-session.ts";

/** Address of the page. No request of it reaches the network. */
const ORIGIN = "https://text-recognition.invalid";
/** Folder of the page's files among the assets (`tools/build/build-ocr.ts`). */
const ASSETS = "https://assets.invalid/ocr";
/** The page may load its own files and nothing else. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; font-src data:; img-src blob:; style-src 'unsafe-inline'";
const HTML = `<!doctype html><title>Text recognition</title><script src="/tesseract.js"></script><script type="module" src="/main.js"></script>`;
const ASSET_NAME = /^\/([\w-]+(?:\.[a-z0-9]+){1,2})$/;
const FILE_PART = /^\/file\/(\d{1,3})$/;
/** Bytes of the file in one response; a message to the browser holds them in Base64. */
const PART_BYTES = 4_000_000;
/** Pixels of the pictures that models receive: more are made smaller by most of them. */
const MAX_PICTURE_PIXELS = 2_000_000;
const TYPES: Record<string, string> = { js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm" };

interface OpenOptions {
  /** Binding of the assets. */
  assets: Fetcher;
  file: Pick<FileToRecognise, "bytes" | "contentType">;
  /** Language of the data that is loaded first; without it, nothing is recognised. */
  language: string | undefined;
}

/** A page, or a part of it, in points of the page as its text is upright. */
export type DrawnPart = Pick<PagePart, "pageNumber" | "rotation"> & Partial<Pick<PagePart, "bbox">>;

/**
 * The page that recognises text (`page-scripts/ocr`), in a tab. Its requests are answered from the assets and the file; all others
 * fail.
 */
export class OcrPage {
  readonly #page: PageSession;

  private constructor(page: PageSession) {
    this.#page = page;
  }

  /** Opens the page in a blank tab, with its file. @throws ScriptError when the file cannot be opened */
  static async open(page: PageSession, { assets, file, language }: OpenOptions): Promise<OcrPage> {
    const server = new PageServer(page, assets, file.bytes);
    page.connection.onEvent((event) => server.receive(event));
    await Promise.all([
      page.send("Page.enable"),
      page.send("Inspector.enable"),
      page.send("Emulation.setFocusEmulationEnabled", { enabled: true }),
      page.send("Fetch.enable", { patterns: [{ urlPattern: "*", requestStage: "Request" }] }),
    ]);
    const loaded = new Promise<void>((resolve) => {
      page.connection.onEvent(({ method, sessionId }) => {
        if (method === "Page.loadEventFired" && sessionId === page.ids.sessionId) resolve();
      });
    });
    await page.send("Page.navigate", { url: `${ORIGIN}/` });
    await Promise.race([loaded, page.sleep(LOAD_LIMIT_MS)]);
    const opened = new OcrPage(page);
    const { contentType: type } = file;
    await opened.#call(`reader.open(${JSON.stringify({ type, parts: server.parts, language })})`);
    return opened;
  }

  /** Draws a page, which the next call for it uses. @throws ScriptError for a page that cannot be drawn */
  async draw(pageNumber: number): Promise<void> {
    await this.#call(`reader.draw(${JSON.stringify({ pageNumber })})`);
  }

  /** @throws ScriptError for a page that cannot be drawn, ZodError for a result of another form */
  async read(pageNumber: number, { mayTurn }: { mayTurn: boolean }): Promise<RecognisedPage> {
    const page = RecognisedPage.parse(await this.#call(`reader.read(${JSON.stringify({ pageNumber, mayTurn })})`));
    return { ...page, pageNumber };
  }

  /** Returns a page, or a part of it, as a JPEG, turned upright. @throws ScriptError for a page that cannot be drawn */
  async picture({ pageNumber, rotation, bbox }: DrawnPart): Promise<Uint8Array> {
    const wanted = { pageNumber, rotation, maxPixels: MAX_PICTURE_PIXELS, box: bbox };
    const base64 = z.string().parse(await this.#call(`reader.picture(${JSON.stringify(wanted)})`));
    return Buffer.from(base64, "base64");
  }

  async #call(expression: string): Promise<unknown> {
    const answer = await this.#page.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    return unwrap(answer).result.value;
  }
}

/** The scripts of the page are there when it has loaded; a page without them fails at its first call. */
const LOAD_LIMIT_MS = 15_000;

/** Answers the requests of the page. */
class PageServer {
  readonly #page: PageSession;
  readonly #assets: Fetcher;
  readonly #bytes: Uint8Array;

  constructor(page: PageSession, assets: Fetcher, bytes: Uint8Array) {
    this.#page = page;
    this.#assets = assets;
    this.#bytes = bytes;
  }

  get parts(): number {
    return Math.ceil(this.#bytes.length / PART_BYTES);
  }

  receive(event: CdpEvent): void {
    if (event.method !== "Fetch.requestPaused" || event.sessionId !== this.#page.ids.sessionId) return;
    const { requestId, request } = event.params;
    this.#answer(requestId, request.url).catch(() =>
      this.#page.trySend("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" }).catch(() => undefined),
    );
  }

  async #answer(requestId: string, url: string): Promise<void> {
    const { type, body } = await this.#find(url);
    await this.#page.send("Fetch.fulfillRequest", {
      requestId,
      responseCode: 200,
      responseHeaders: [
        { name: "content-type", value: type },
        { name: "content-security-policy", value: POLICY },
      ],
      body: Buffer.from(body).toString("base64"),
    });
  }

  /** @throws Error for anything that is neither the page nor one of its files */
  async #find(url: string): Promise<{ type: string; body: ArrayBuffer | Uint8Array | string }> {
    const { origin, pathname } = new URL(url);
    if (origin !== ORIGIN) throw new Error("Another origin");
    if (pathname === "/") return { type: "text/html; charset=utf-8", body: HTML };
    const part = FILE_PART.exec(pathname)?.[1];
    if (part !== undefined) {
      const from = Number(part) * PART_BYTES;
      return { type: "application/octet-stream", body: this.#bytes.subarray(from, from + PART_BYTES) };
    }
    const name = ASSET_NAME.exec(pathname)?.[1];
    if (name === undefined) throw new Error("No file of the page");
    const response = await this.#assets.fetch(`${ASSETS}/${name}`);
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`There is no asset ${name}`);
    }
    const type = TYPES[name.replace(/^.*\./, "")] ?? "application/octet-stream";
    return { type, body: await response.arrayBuffer() };
  }
}
