import { ProcessFamily } from "../../../src/tools/process/process-family.ts";
import { descendantsNamed } from "../proc.ts";

/** What is killed: the runtime alone, one browser, or every process of the service at once. */
export const KILLS = ["workerd", "chromium", "group"] as const;
type Kill = (typeof KILLS)[number];

/** After a kill so long, requests may fail because of it. */
const AFTERMATH_MS = 45_000;

/** Kills of a run, and which failures they explain. */
export class Kills {
  readonly done: { what: Kill; atMs: number }[] = [];
  /** Everything that this program has started, remembered from look to look. */
  readonly #family = new ProcessFamily(process.pid);

  /** @returns false when there was nothing of the kind to kill. */
  kill(what: Kill): boolean {
    this.look();
    const pids = what === "group" ? this.descendants() : this.#named(what).slice(0, 1);
    if (pids.length === 0) return false;
    this.done.push({ what, atMs: Date.now() });
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself.
      }
    }
    return true;
  }

  /** Remembers the processes that came since the last look. */
  look(): void {
    this.#family.look();
  }

  /** Processes that this program has started, directly or not, and that still run. */
  descendants(): number[] {
    return this.#family.alive().filter((pid) => pid !== process.pid);
  }

  /** Whether something that went on between two moments may have been cut off by a kill. */
  explains(startedAtMs: number, endedAtMs = Date.now()): boolean {
    return this.done.some(({ atMs }) => atMs <= endedAtMs && startedAtMs <= atMs + AFTERMATH_MS);
  }

  #named(what: "workerd" | "chromium"): number[] {
    // Of a browser's processes the first one is the one that the others end with.
    return what === "workerd"
      ? descendantsNamed(process.pid, "workerd")
      : ["chromium", "chromium-headless-shell", "chrome-headless-shell", "chrome"].flatMap((name) =>
          descendantsNamed(process.pid, name),
        );
  }
}
