const HEAD_BYTES = 2_000;
const TAIL_BYTES = 2_000;
const START = /<(?:html|body)[\s>]/i;
const END = /<\/(?:html|body)\s*>/i;

interface Header {
  name: string;
  value: string;
}

/**
 * Reports whether a compressed page is cut inside its compression, which a browser decodes without an error: it begins with
 * `html` or `body`, ends with neither, and not even with a tag. Pages that leave out these end tags end with another one.
 * @param body the page, decompressed.
 */
export function endsEarly(body: Uint8Array, headers: readonly Header[]): boolean {
  const coding = headers.find(({ name }) => name.toLowerCase() === "content-encoding")?.value.trim() ?? "";
  if (coding === "" || coding.toLowerCase() === "identity") return false;
  const head = textOf(body.subarray(0, HEAD_BYTES));
  const tail = textOf(body.subarray(-TAIL_BYTES)).trimEnd();
  return START.test(head) && !END.test(tail) && !tail.endsWith(">");
}

/** All that is looked for is ASCII. */
const textOf = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes);
