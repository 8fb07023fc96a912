import type { OutgoingHttpHeaders } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Exchange } from "./exchange.ts";

export interface Reply {
  status?: number;
  /** Content-Type; null sends none. */
  type?: string | null;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
}

export const HTML = "text/html; charset=utf-8";
export const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

/** Answers at once with a whole body. */
export function reply(exchange: Exchange, { status = 200, type = HTML, headers = {}, body = "" }: Reply): void {
  const bytes = Buffer.from(body);
  exchange.response.writeHead(status, {
    ...(type === null ? {} : { "Content-Type": type }),
    "Content-Length": bytes.byteLength,
    ...headers,
  });
  exchange.response.end(bytes);
}

export function replyHtml(exchange: Exchange, body: string, status = 200): void {
  reply(exchange, { status, body });
}

export function replyJson(exchange: Exchange, value: unknown, status = 200): void {
  reply(exchange, { status, type: JSON_TYPE, body: `${JSON.stringify(value, null, 2)}\n` });
}

export function redirect(exchange: Exchange, location: string, status = 302): void {
  reply(exchange, {
    status,
    headers: { Location: location },
    body: `<p>Moved to <a href="${escapeHtml(location)}">here</a>.</p>`,
  });
}

/** Waits; false when the client left (or the site closed) meanwhile and there is nobody to answer. */
export async function pause(exchange: Exchange, ms: number): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal: exchange.signal });
    return true;
  } catch {
    return false;
  }
}

/** Makes text safe inside HTML text and attribute values. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
