import { watch } from "node:fs";

export interface WatchOptions {
  /** Folders whose files the build reads, with all folders below. */
  folders: readonly string[];
  build(): Promise<void>;
  log(message: string): void;
}

/** Changes that come within this time are built together: editors write a file in several steps. */
const SETTLE_MS = 100;

/**
 * Builds again after each change below the folders, one build at a time. A build that fails is reported, and the next
 * change tries again. @returns the function that ends watching
 */
export function watchSources({ folders, build, log }: WatchOptions): () => void {
  let timer: NodeJS.Timeout | undefined;
  let building = Promise.resolve();
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      building = building.then(build).catch((error: unknown) => log(`The build failed: ${String(error)}`));
    }, SETTLE_MS);
  };
  const watchers = folders.map((folder) => watch(folder, { recursive: true }, changed));
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
