import { z } from "zod";
import type { EngineOutcome } from "../../../core/scrape/page.ts";

/** Bytes up to which an outcome is the value of a call, which the platform limits to 32 MiB. */
const MAX_VALUE_BYTES = 24_000_000;
/** Texts of more characters are parts, which are not written as JSON. */
const LONG_TEXT_CHARS = 10_000;
const LENGTH_BYTES = 4;

/** An outcome on its way between objects: JSON in which files and long texts are replaced by their numbers. */
export interface PackedOutcome {
  head: string;
  /** The parts; those of a large outcome one after the other, as a stream with the length of each before it. */
  parts: (Uint8Array | string)[] | ReadableStream<Uint8Array>;
}

const Head = z.object({
  /** Name of the field that replaces a part. It is random: pages determine other values of the outcome. */
  mark: z.string(),
  outcome: z.unknown(),
  /** True for each part that is a text. */
  texts: z.array(z.boolean()),
});

/** Packs an outcome. The cause of a failure becomes a text. */
export function packOutcome(outcome: EngineOutcome, maxValueBytes = MAX_VALUE_BYTES): PackedOutcome {
  const mark = crypto.randomUUID();
  const parts: (Uint8Array | string)[] = [];
  const take = (part: Uint8Array | string): object => ({ [mark]: parts.push(part) - 1 });
  const replace = (value: unknown): unknown => {
    if (value instanceof Uint8Array) return take(value);
    if (typeof value === "string") return value.length > LONG_TEXT_CHARS ? take(value) : value;
    if (Array.isArray(value)) return value.map(replace);
    if (value instanceof Error) return String(value);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replace(inner)]));
  };
  const replaced = replace(outcome);
  const texts = parts.map((part) => typeof part === "string");
  const head = JSON.stringify({ mark, outcome: replaced, texts } satisfies z.infer<typeof Head>);
  // A character takes two bytes at most on its way.
  const bytes = parts.reduce((sum, part) => sum + (typeof part === "string" ? part.length * 2 : part.byteLength), 0);
  return { head, parts: bytes + head.length * 2 <= maxValueBytes ? parts : streamOf(parts) };
}

/** Returns the outcome that was packed. @throws Error when its stream breaks off */
export async function unpackOutcome({ head, parts }: PackedOutcome): Promise<EngineOutcome> {
  const { mark, outcome, texts } = Head.parse(JSON.parse(head));
  const received = Array.isArray(parts) ? parts : await partsOf(parts, texts);
  const restore = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(restore);
    if (value === null || typeof value !== "object") return value;
    const part: unknown = Reflect.get(value, mark);
    if (typeof part === "number") return received[part];
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, restore(inner)]));
  };
  return restore(outcome) as EngineOutcome;
}

function streamOf(parts: readonly (Uint8Array | string)[]): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      const part = parts[next++];
      if (part === undefined) return controller.close();
      const bytes = typeof part === "string" ? new TextEncoder().encode(part) : part;
      const framed = new Uint8Array(LENGTH_BYTES + bytes.byteLength);
      new DataView(framed.buffer).setUint32(0, bytes.byteLength);
      framed.set(bytes, LENGTH_BYTES);
      controller.enqueue(framed);
    },
  });
}

async function partsOf(
  stream: ReadableStream<Uint8Array>,
  texts: readonly boolean[],
): Promise<(Uint8Array | string)[]> {
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let at = 0;
  return texts.map((isText) => {
    if (at + LENGTH_BYTES > bytes.byteLength) throw new Error("The page broke off on its way");
    const length = new DataView(bytes.buffer).getUint32(at);
    const part = bytes.slice(at + LENGTH_BYTES, at + LENGTH_BYTES + length);
    if (part.byteLength < length) throw new Error("The page broke off on its way");
    at += LENGTH_BYTES + length;
    return isText ? new TextDecoder().decode(part) : part;
  });
}
