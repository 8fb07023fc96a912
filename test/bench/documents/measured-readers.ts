import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestHarness } from "wrangler";
import { descendantsNamed, memoryOf, threadsCpuMsOf } from "../proc.ts";
import type { Reading } from "./worker.ts";

/** A reading with the time of the call and the CPU time of workerd, in ms, and the megabytes by which it grew at most. */
export interface MeasuredReading extends Reading {
  ms: number;
  cpuMs: number;
  megabytes: number;
}

export interface MeasuredReaders {
  read(reader: string, name: string, bytes: Uint8Array): Promise<MeasuredReading>;
  close(): Promise<void>;
}

interface Call {
  reading: Reading;
  ms: number;
  cpuMs: number;
}

/** A reading that takes longer has failed. */
const TIMEOUT_MS = 30_000;
const ROUNDS = 6;

/**
 * Starts workerd with the readers. Each file is read once for its memory and then some times for the least time, less
 * that of a call that does nothing. A process that does not answer is replaced.
 */
export async function openReaders({ timeoutMs = TIMEOUT_MS, rounds = ROUNDS } = {}): Promise<MeasuredReaders> {
  let harness = await start();
  const call = async (reader: string, name: string, bytes: Uint8Array): Promise<Call> => {
    const processes = descendantsNamed(process.pid, "workerd");
    const cpuBeforeMs = cpuOf(processes);
    const startedAtMs = performance.now();
    const query = new URLSearchParams({ reader, name });
    const response = await harness.fetch(`http://bench/?${query}`, {
      method: "POST",
      body: bytes,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const reading = (await response.json()) as Reading;
    return { reading, ms: performance.now() - startedAtMs, cpuMs: cpuOf(processes) - cpuBeforeMs };
  };
  return {
    async read(reader, name, bytes) {
      try {
        await call("nothing", name, bytes);
        const idle = await call("nothing", name, bytes);
        const processes = descendantsNamed(process.pid, "workerd");
        const idleBytes = total(processes, "residentBytes");
        for (const pid of processes) resetPeak(pid);
        const first = await call(reader, name, bytes);
        const megabytes = Math.max(0, total(processes, "peakBytes") - idleBytes) / 1e6;
        let { ms, cpuMs } = first;
        for (let round = 1; round < rounds && first.ms < 2_000; round++) {
          const other = await call(reader, name, bytes);
          [ms, cpuMs] = [Math.min(ms, other.ms), Math.min(cpuMs, other.cpuMs)];
        }
        const beyondIdle = (all: number, own: number): number => Math.max(0, all - own);
        return { ...first.reading, ms: beyondIdle(ms, idle.ms), cpuMs: beyondIdle(cpuMs, idle.cpuMs), megabytes };
      } catch {
        await harness.close().catch(() => undefined);
        harness = await start();
        const nothing = { markdown: "", metadata: "", pages: 1, warning: "", steps: 0, error: "no answer" };
        return { ...nothing, ms: timeoutMs, cpuMs: Number.NaN, megabytes: Number.NaN };
      }
    },
    close: () => harness.close(),
  };
}

async function start(): Promise<ReturnType<typeof createTestHarness>> {
  const harness = createTestHarness({ workers: [{ configPath: join(import.meta.dirname, "wrangler.toml") }] });
  await harness.listen();
  return harness;
}

function cpuOf(processes: readonly number[]): number {
  return processes.reduce((sum, pid) => sum + threadsCpuMsOf(pid), 0);
}

function total(processes: readonly number[], of: keyof ReturnType<typeof memoryOf>): number {
  return processes.reduce((sum, pid) => sum + memoryOf(pid)[of], 0);
}

/** Makes VmHWM of a process begin anew: 5 in `/proc/PID/clear_refs`, see proc_pid_clear_refs(5). */
function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // Without permission the peak is that of the whole run.
  }
}
