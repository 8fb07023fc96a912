import { createGzip, gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { nextTurn } from "../../core/in-turns.ts";
import { readStored } from "../../core/stored-state.ts";

/** Parts of a page that a later crawl needs without loading it: its links, and the ids of its chunks. */
export const PageLinks = z.object({ links: z.array(z.string()), chunks: z.array(z.string()).default([]) });
export type PageLinks = z.infer<typeof PageLinks>;

const StoredPages = z.array(PageLinks);
/** The fastest level: the pages of a site repeat their links, so that any level makes them small. */
const LEVEL = 1;

/** Characters that are written before other requests run: some 5 to 10 ms. */
const CHARS_A_TURN = 500_000;

/** Returns the links of several pages as one compressed part of an object; other requests run meanwhile when they are many. */
export async function packLinks(pages: readonly PageLinks[]): Promise<Uint8Array> {
  const texts = jsonOf(pages);
  const first = texts.next().value ?? "";
  let next = texts.next();
  if (next.done === true) return new Uint8Array(gzipSync(first, { level: LEVEL }));
  const transform = createGzip({ level: LEVEL, chunkSize: CHARS_A_TURN });
  const packed: Uint8Array[] = [];
  transform.on("data", (piece: Uint8Array) => void packed.push(piece));
  const ended = new Promise<void>((resolve, reject) => transform.once("end", resolve).once("error", reject));
  const write = (text: string): Promise<void> =>
    Promise.race([new Promise<void>((resolve) => void transform.write(text, () => resolve())), ended]);
  await write(first);
  for (; next.done !== true; next = texts.next()) {
    await nextTurn();
    await write(next.value);
  }
  transform.end();
  await ended;
  return new Uint8Array(Buffer.concat(packed));
}

/** Yields the JSON text of the pages in pieces of 500,000 characters and one link at most. */
function* jsonOf(pages: readonly PageLinks[]): Generator<string, undefined> {
  let text = "[";
  for (const [place, { links, chunks }] of pages.entries()) {
    text += place === 0 ? '{"links":[' : ',{"links":[';
    for (const [index, link] of links.entries()) {
      text += index === 0 ? JSON.stringify(link) : `,${JSON.stringify(link)}`;
      if (text.length < CHARS_A_TURN) continue;
      yield text;
      text = "";
    }
    text += `],"chunks":${JSON.stringify(chunks)}}`;
  }
  yield `${text}]`;
}

/** @throws AppError STORED_STATE_UNREADABLE */
export function unpackLinks(bytes: Uint8Array): PageLinks[] {
  return readStored(StoredPages, new TextDecoder().decode(gunzipSync(bytes)), "links of pages");
}
