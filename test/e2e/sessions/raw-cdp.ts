// What a browser answers is read as the tests need it.
interface Result {
  targetId: string;
  sessionId: string;
  executionContextId: number;
  /** Of a navigation that failed. */
  errorText?: string;
  result: { value?: unknown };
  targetInfos: { type: string; url: string; targetId: string }[];
}
interface Event {
  method: string;
  params: { targetInfo: { url: string }; state: string };
}

export interface RawCdp {
  /** @throws Error with the browser's or the service's words */
  send(method: string, params?: object, sessionId?: string): Promise<Result>;
  onEvent(listener: (event: Event) => void): void;
  /** Resolves at the end of the connection. */
  closed: Promise<{ code: number; reason: string }>;
  close(): void;
}

/** A connection that sends commands as they are given, valid or not. */
export async function openRawCdp(url: string): Promise<RawCdp> {
  const socket = new WebSocket(url);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error(`${url} does not open`)));
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason })),
  );
  const pending = new Map<number, { resolve: (result: Result) => void; reject: (error: Error) => void }>();
  const listeners = new Set<(event: Event) => void>();
  let lastId = 0;
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Event & { id?: number; result: Result; error?: { message: string } };
    if (message.id === undefined) return listeners.forEach((listener) => listener(message));
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if (message.error === undefined) waiting?.resolve(message.result);
    else waiting?.reject(new Error(message.error.message));
  });
  return {
    send(method, params = {}, sessionId) {
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params, sessionId }));
      });
    },
    onEvent: (listener) => void listeners.add(listener),
    closed,
    close: () => socket.close(),
  };
}
