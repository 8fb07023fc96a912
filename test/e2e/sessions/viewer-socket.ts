import { request } from "node:http";
import { jpegSize } from "../../../src/core/jpeg-size.ts";

/** A viewer's socket without its page. */
export interface ViewerSocket {
  /** Sends a message and waits for the next one of a type. */
  ask(message: object, type: string): Promise<unknown>;
  send(message: object): void;
  /** Pictures that came so far. */
  frames(): number;
  /** Sizes of pages and of their pictures so far, such as `1280x720, picture 1280x720`. */
  sizes(): string[];
  /** The address of the tab that is shown. */
  shownUrl(): string | undefined;
  close(): void;
}

/** Before the picture: the frame's number, and the page's width and height. */
const HEADER_BYTES = 8;

interface Told {
  type: string;
  shown?: string;
  tabs?: { id: string; url: string }[];
}

/** Opens the socket of a live view's address. @throws Error with the status that it is refused with */
export async function socketTo(viewUrl: string): Promise<ViewerSocket> {
  const url = new URL(viewUrl);
  const socket = new WebSocket(`ws://${url.host}${url.pathname}/socket${url.search}`);
  socket.binaryType = "arraybuffer";
  let frames = 0;
  const sizes: string[] = [];
  let state: Told | undefined;
  const waiting = new Set<(message: Told) => void>();
  socket.addEventListener("message", ({ data }: { data: string | ArrayBuffer }) => {
    if (typeof data !== "string") {
      frames += 1;
      sizes.push(sizeOf(new DataView(data), new DataView(data, HEADER_BYTES)));
      socket.send(JSON.stringify({ type: "painted", frame: new DataView(data).getUint32(0) }));
      return;
    }
    const message = JSON.parse(data) as Told;
    if (message.type === "state") state = message;
    for (const listener of waiting) listener(message);
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => void statusOf(url).then((status) => reject(new Error(String(status)))));
  });
  return {
    frames: () => frames,
    sizes: () => [...sizes],
    shownUrl: () => state?.tabs?.find(({ id }) => id === state?.shown)?.url,
    send: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
    ask: (message, type) =>
      new Promise((resolve) => {
        const listener = (told: Told): void => {
          if (told.type !== type) return;
          waiting.delete(listener);
          resolve(told);
        };
        waiting.add(listener);
        socket.send(JSON.stringify(message));
      }),
  };
}

function sizeOf(header: DataView, picture: DataView): string {
  const size = jpegSize(picture);
  return `${header.getUint16(4)}x${header.getUint16(6)}, picture ${size?.width}x${size?.height}`;
}

function statusOf(url: URL): Promise<number> {
  return upgradeStatus(`http://${url.host}${url.pathname}/socket${url.search}`);
}

/** The status that an upgrade is answered with. */
export function upgradeStatus(url: string): Promise<number> {
  const headers = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers });
    asked.on("response", (response) => resolve(response.statusCode ?? 0));
    asked.on("upgrade", (_response, socket) => {
      socket.destroy();
      resolve(101);
    });
    asked.on("error", reject);
    asked.end();
  });
}
