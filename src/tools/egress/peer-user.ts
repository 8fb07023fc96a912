import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The kernel walks all its tables for one reading, which takes milliseconds: connections that come together share one. */
const READING_INTERVAL_MS = 25;

type Ends = Pick<Socket, "localPort" | "remotePort">;

/**
 * Reports whether a connection over 127.0.0.1 comes from a process of another user than this one. Linux lists in
 * `/proc/net/tcp` (proc_pid_net(5)) the owner of each end; other systems do not distinguish users.
 * @param read the table; undefined where there is none
 */
export function createUserCheck(read: () => Promise<string | undefined> = readTable): (ends: Ends) => Promise<boolean> {
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
  return async ({ localPort, remotePort }) => {
    if (own === undefined || localPort === undefined || remotePort === undefined) return false;
    const table = await nextReading();
    const uid = table === undefined ? undefined : userOf(table, { from: remotePort, to: localPort });
    return uid !== undefined && uid !== own;
  };
}

/** The user of the end that connects from one port of 127.0.0.1 to another; undefined when no line has it. */
export function userOf(table: string, { from, to }: { from: number; to: number }): number | undefined {
  const start = table.indexOf(` ${onLoopback(from)} ${onLoopback(to)} `);
  if (start < 0) return undefined;
  const line = table.slice(start, table.indexOf("\n", start));
  return Number(line.trim().split(/\s+/)[6]);
}

async function readTable(): Promise<string | undefined> {
  if (process.platform !== "linux") return undefined;
  return readFile("/proc/net/tcp", "latin1").catch(() => undefined);
}

const onLoopback = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
