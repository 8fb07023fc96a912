import { AppError } from "../../core/errors.ts";

/** Of an answer beside its tokens: names, counts, reasons of an end. */
const FRAME_BYTES = 500_000;
/** Of a token, whose text can be escaped several times in JSON. */
const BYTES_A_TOKEN = 40;
/** Of a token that is sent in an event of its own. */
const BYTES_AN_EVENT = 600;

/** The size of an answer, as it was asked for. */
export interface AnswerSize {
  /** At most, of the answer. */
  tokens: number;
  /** True for an answer that comes as events (SSE). */
  isStreamed: boolean;
}

/**
 * Wraps a fetch function so that an answer ends with an error when it is longer than its tokens can be. A server that
 * ignores `max_tokens` would fill the memory that all requests share.
 * @throws AppError MODEL_BAD_OUTPUT while the body is read
 */
export function withAnswerLimit(fetcher: typeof fetch, { tokens, isStreamed }: AnswerSize): typeof fetch {
  const maxBytes = FRAME_BYTES + tokens * (isStreamed ? BYTES_AN_EVENT : BYTES_A_TOKEN);
  return async (input, init) => {
    const response = await fetcher(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limit(maxBytes)), { status, statusText, headers });
  };
}

function limit(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.byteLength;
      if (bytes > maxBytes) throw tooLong(maxBytes);
      controller.enqueue(piece);
    },
  });
}

function tooLong(maxBytes: number): AppError {
  const message = `The language model's answer is longer than ${maxBytes} bytes, and was not read to its end`;
  return new AppError("MODEL_BAD_OUTPUT", message);
}
