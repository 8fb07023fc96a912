import { Buffer } from "node:buffer";
import { AppError } from "../../core/errors.ts";
import { FormParts, MAX_HEAD_BYTES } from "./form-parts.ts";

/** Parts of a form at most: the routes with one know four. */
const MAX_PARTS = 32;

/** Characters of a `Content-Type` with a form, which `FORM` reads in quadratic time. */
const MAX_TYPE_CHARS = 1_000;
const FORM =
  /^multipart\/form-data(?:\s*;\s*[\w-]+=[\w.-]+)*?\s*;\s*boundary=(?:"([^"\\]{1,200})"|([^\s;"]{1,200}))(?:\s*;\s*[\w-]+=[\w.-]+)*\s*$/i;

/**
 * Returns the boundary of a form; undefined for any other body, and where it is not certain, such as with two of them: the
 * parser of the form might take another one than its parts are counted by.
 */
export function boundaryOf(contentType = ""): string | undefined {
  if (contentType.length > MAX_TYPE_CHARS || contentType.match(/;\s*boundary\s*=/gi)?.length !== 1) return undefined;
  const [, quoted, plain] = FORM.exec(contentType) ?? [];
  return quoted ?? plain;
}

/**
 * The body of a form, up to a number of parts, with short heads and texts: a parser takes seconds for hundreds of thousands of parts,
 * for a head of megabytes, and for bytes that are no text. Any other body as it is.
 *
 * @returns the same bytes; beyond a limit, those in front of it, and then `BAD_REQUEST` or `PAYLOAD_TOO_LARGE` is thrown
 */
export function limitParts(
  body: ReadableStream<Uint8Array>,
  contentType: string | undefined,
): ReadableStream<Uint8Array> {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return body;
  const mark = Buffer.from(`--${boundary}`, "latin1");
  let rest = Buffer.alloc(0);
  // The last mark ends the form.
  let left = MAX_PARTS + 1;
  const parts = new FormParts(mark);
  let tooLong: "head" | "text" | undefined;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        // The rest is read and dropped: a client that is still sending would report a lost connection instead of the error.
        if (left < 0 || tooLong !== undefined) return;
        const bytes = Buffer.concat([rest, chunk]);
        let end = 0;
        for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, end)) {
          if (--left < 0) return;
          end = at + mark.length;
        }
        rest = Buffer.from(bytes.subarray(Math.max(end, bytes.length - mark.length + 1)));
        // After the count, so that each boundary of thousands need not be looked at.
        tooLong = parts.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
        if (tooLong !== undefined) return;
        controller.enqueue(chunk);
      },
      flush() {
        if (left < 0) throw new AppError("BAD_REQUEST", `The form has more than ${MAX_PARTS} parts`);
        if (tooLong === "head")
          throw new AppError("BAD_REQUEST", `The head of a part of the form is longer than ${MAX_HEAD_BYTES} bytes`);
        if (tooLong === "text") throw new AppError("PAYLOAD_TOO_LARGE");
      },
    }),
  );
}
