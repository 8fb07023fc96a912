import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";

/**
 * True when a connection over 127.0.0.1 comes from a process of another user than this one. Linux tells in
 * `/proc/net/tcp` (proc_pid_net(5)) to whom each end belongs; elsewhere nobody is told apart.
 */
export async function isOfOtherUser({ localPort, remotePort }: Socket): Promise<boolean> {
  const own = process.getuid?.();
  if (process.platform !== "linux" || own === undefined || localPort === undefined || remotePort === undefined) {
    return false;
  }
  const table = await readFile("/proc/net/tcp", "latin1").catch(() => undefined);
  if (table === undefined) return false;
  const uid = userOf(table, { from: remotePort, to: localPort });
  return uid !== undefined && uid !== own;
}

/** The user of the end that connects from one port of 127.0.0.1 to another; undefined when no line tells. */
export function userOf(table: string, { from, to }: { from: number; to: number }): number | undefined {
  const start = table.indexOf(` ${onLoopback(from)} ${onLoopback(to)} `);
  if (start < 0) return undefined;
  const line = table.slice(start, table.indexOf("\n", start));
  return Number(line.trim().split(/\s+/)[6]);
}

const onLoopback = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
