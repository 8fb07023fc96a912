import { Buffer } from "node:buffer";
import { HTTPParser } from "http-parser-js";
import { AppError } from "../../core/errors.ts";

/** Bytes that may pass without a byte of the body: chunk sizes, their extensions and trailers have no limit of their own. */
const MAX_FRAMING_BYTES = 262_144;

export interface ResponseHead {
  statusCode: number;
  /** Names and values in turn. */
  headers: string[];
}

interface HeadInfo {
  statusCode: number;
  headers: string[];
}

/** RFC 9112 § 7.1. */
const CHUNK_HEAD = /^[\da-f]{1,12}[ \t]*(?:;.*)?$/i;

/**
 * The parser takes any text as the size of a chunk: what is no number as the end of the body, and a negative number as a
 * way back to the same line, for ever. Its type hides the method that reads lines.
 */
function assertChunkSizes(parser: object): void {
  const readLine = Reflect.get(parser, "consumeLine") as () => string | undefined;
  Reflect.set(parser, "consumeLine", (): string | undefined => {
    const line = readLine.call(parser);
    const isSize = Reflect.get(parser, "state") === "BODY_CHUNKHEAD";
    if (isSize && line !== undefined && !CHUNK_HEAD.test(line)) throw malformed(undefined);
    return line;
  });
}

/** Reads one HTTP/1.1 response (RFC 9112) piece by piece. Interim responses (1xx) are left out. */
export class ResponseParser {
  readonly #parser = new HTTPParser(HTTPParser.RESPONSE);
  #chunks: Uint8Array[] = [];
  #framingBytes = 0;
  #isInterim = false;
  head: ResponseHead | undefined;
  isDone = false;

  /** @param hasBody false for the responses to HEAD and CONNECT, which end after the head */
  constructor({ hasBody }: { hasBody: boolean }) {
    const onHead = (first: HeadInfo | number, ...rest: unknown[]): number => {
      // Two calling conventions, by the version of Node that the runtime reports.
      const info = typeof first === "object" ? first : toInfo(rest);
      assertLength(info.headers);
      this.#isInterim = info.statusCode >= 100 && info.statusCode < 200;
      if (!this.#isInterim) this.head = { statusCode: info.statusCode, headers: [...info.headers] };
      return hasBody ? 0 : 1;
    };
    assertChunkSizes(this.#parser);
    this.#parser[HTTPParser.kOnHeadersComplete] = onHead;
    this.#parser[HTTPParser.kOnBody] = (chunk, offset, length) => {
      this.#chunks.push(chunk.subarray(offset, offset + length));
    };
    this.#parser[HTTPParser.kOnHeaders] = () => undefined;
    this.#parser[HTTPParser.kOnMessageComplete] = () => {
      this.isDone = !this.#isInterim;
    };
  }

  /** Takes received bytes. @returns the bytes of the body among them, in one piece; undefined when there are none */
  write(bytes: Uint8Array): Uint8Array | undefined {
    if (this.isDone) return undefined;
    const outcome = this.#parser.execute(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (typeof outcome !== "number") throw malformed(outcome);
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#framingBytes = chunks.length > 0 ? 0 : this.#framingBytes + bytes.byteLength;
    if (this.#framingBytes > MAX_FRAMING_BYTES) throw malformed(undefined);
    return chunks.length > 1 ? joined(chunks) : chunks[0];
  }

  /** Takes the end of the connection. @throws AppError when the response is not complete */
  end(): void {
    if (this.isDone) return;
    const outcome = this.#parser.finish();
    if (outcome instanceof Error || !this.isDone) {
      throw new AppError("SCRAPE_SITE_ERROR", "The response is incomplete: the connection was lost", {
        cause: outcome,
      });
    }
  }
}

/** A buffer of its own: `Buffer.concat` takes small ones from memory that others share. */
function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

function toInfo([, headers, , , statusCode]: unknown[]): HeadInfo {
  // The order of the parser's own declaration.
  return { headers: headers as string[], statusCode: statusCode as number };
}

/** The parser takes any text as a length. */
function assertLength(headers: readonly string[]): void {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === "content-length" && !/^\d{1,15}$/.test(headers[at + 1] ?? "")) {
      throw malformed(undefined);
    }
  }
}

function malformed(cause: unknown): AppError {
  return new AppError("SCRAPE_SITE_ERROR", "The site sent a response that is not valid HTTP", { cause });
}
