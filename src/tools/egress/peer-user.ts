import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The kernel walks all its tables for one reading, which takes milliseconds: connections that come together share one. */
const READING_INTERVAL_MS = 25;
/** A reading may pass the place of a connection while the table changes. */
const MAX_READINGS = 4;
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

type Ends = Pick<Socket, "localPort" | "remotePort" | "remoteAddress">;

/**
 * Reports whether a connection over a loopback address comes from a process of another user than this one. Linux lists
 * in `/proc/net/tcp` and `/proc/net/tcp6` (proc_pid_net(5)) the owner of each end; a connection that is not there counts
 * as another user's. Other systems do not distinguish users.
 * @param read the tables; undefined where there are none
 */
export function createUserCheck(
  read: () => Promise<string | undefined> = readTables,
): (ends: Ends) => Promise<boolean> {
  const own = process.getuid?.();
  let next: Promise<string | undefined> | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  /** A reading that begins after now: one that runs already may have passed the place of a new connection. */
  const nextReading = (): Promise<string | undefined> => {
    next ??= sleep(Math.max(0, lastMs + READING_INTERVAL_MS - performance.now()), undefined, { ref: false }).then(
      () => {
        next = undefined;
        lastMs = performance.now();
        return read();
      },
    );
    return next;
  };
  return async ({ localPort, remotePort, remoteAddress }) => {
    if (own === undefined) return false;
    const host = hexOf(remoteAddress ?? "");
    for (let reading = 0; reading < MAX_READINGS; reading++) {
      const table = await nextReading();
      if (table === undefined) return false;
      if (localPort === undefined || remotePort === undefined || host === undefined) return true;
      const uid = userOf(table, { from: { host, port: remotePort }, to: localPort });
      if (uid !== undefined) return uid !== own;
    }
    return true;
  };
}

/**
 * Returns the user of the end that connects from a loopback address to a port of 127.0.0.1; undefined when no line has
 * it. A socket of IPv6 that connects to an address of IPv4 is listed with both addresses mapped (RFC 4291 § 2.5.5.2).
 */
export function userOf(
  table: string,
  { from, to }: { from: { host: string; port: number }; to: number },
): number | undefined {
  for (const prefix of ["", MAPPED]) {
    const ends = ` ${prefix}${from.host}:${hexPort(from.port)} ${prefix}${LOOPBACK}:${hexPort(to)} `;
    const start = table.indexOf(ends);
    if (start < 0) continue;
    const line = table.slice(start, table.indexOf("\n", start));
    return Number(line.trim().split(/\s+/)[6]);
  }
  return undefined;
}

/** The tables as one text; undefined on systems without them. */
async function readTables(): Promise<string | undefined> {
  if (process.platform !== "linux") return undefined;
  const tables = await Promise.all(TABLES.map((path) => readFile(path, "latin1").catch(() => undefined)));
  return tables.every((table) => table === undefined) ? undefined : tables.join("\n");
}

/** `127.0.0.1` and the prefix of a mapped address, in the order of bytes of the tables. */
const LOOPBACK = "0100007F";
const MAPPED = "0000000000000000FFFF0000";

/** Returns an address of IPv4 as the tables write it; undefined for others. */
function hexOf(address: string): string | undefined {
  const parts = address.replace(/^::ffff:/i, "").split(".");
  if (parts.length !== 4) return undefined;
  return parts.toReversed().map((part) => Number(part).toString(16).toUpperCase().padStart(2, "0")).join(""); // prettier-ignore
}

const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0");
