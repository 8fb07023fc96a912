/** An RPC call carries at most 32 MiB of values (workerd); streams are not counted. */
const MAX_VALUE_BYTES = 16_000_000;

/** The form in which a field with a long byte array crosses to another isolate. */
interface Streamed {
  stream: ReadableStream;
}

/** Returns a call's input with the long byte arrays among its fields as streams. */
export function toCallInput(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return input;
  const fields = Object.entries(input).map(([name, value]: [string, unknown]) => [name, toField(value)]);
  return Object.fromEntries(fields) as unknown;
}

/** The reverse of `toCallInput`, in the isolate that is called. */
export async function fromCallInput<Input extends object>(input: Input): Promise<Input> {
  const fields = Object.entries(input).map(async ([name, value]: [string, unknown]) => [name, await fromField(value)]);
  return Object.fromEntries(await Promise.all(fields)) as Input;
}

function toField(value: unknown): unknown {
  if (!(value instanceof Uint8Array) || value.byteLength <= MAX_VALUE_BYTES) return value;
  const { body: stream } = new Response(value as Uint8Array<ArrayBuffer>);
  return stream === null ? value : ({ stream } satisfies Streamed);
}

async function fromField(value: unknown): Promise<unknown> {
  const isStreamed = typeof value === "object" && value !== null && "stream" in value;
  return isStreamed && value.stream instanceof ReadableStream ? await new Response(value.stream).bytes() : value;
}
