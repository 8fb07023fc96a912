import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A name server on a free UDP port of 127.0.0.1. */
export interface NameServer {
  /** `address:port` */
  address: string;
  /** Questions in order of arrival, as `A name`. */
  asked: string[];
  close(): void;
}

const TYPES: Record<number, string> = { 1: "A", 28: "AAAA" };
const RCODES = { nothing: 0, failure: 2, unknown: 3 };

/**
 * Answers each question (RFC 1035 § 4) by what `answerFor` says: an address, or none with this response code.
 * A question without an answer is left so.
 */
export async function startNameServer(
  answerFor: (question: string) => string | keyof typeof RCODES | undefined,
): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (message, peer) => {
    const { name, end } = readName(message);
    const type = TYPES[message.readUInt16BE(end)] ?? "other";
    asked.push(`${type} ${name}`);
    const answer = answerFor(`${type} ${name}`);
    if (answer === undefined) return;
    const code = answer in RCODES ? RCODES[answer as keyof typeof RCODES] : 0;
    const address = answer in RCODES ? undefined : toBytes(answer);
    const head = Buffer.from([0, 0, 0x81, 0x80 | code, 0, 1, 0, address === undefined ? 0 : 1, 0, 0, 0, 0]);
    message.copy(head, 0, 0, 2);
    const record =
      address === undefined
        ? []
        : [Buffer.from([0xc0, 12, 0, address.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 5, 0, address.length]), address];
    socket.send(Buffer.concat([head, message.subarray(12, end + 4), ...record]), peer.port, peer.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
}

/** `end` is the index behind the name. */
function readName(message: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

/** Addresses of IPv6 are written in full. */
function toBytes(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  return Buffer.from(address.split(":").map((part) => part.padStart(4, "0")).join(""), "hex"); // prettier-ignore
}
