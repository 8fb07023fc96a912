/** Remedies by the message of the part that failed. The first match counts. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /ENOSPC|no space left|SQLITE_FULL|disk is full/i,
    "The disk is full. Make room, or store the data elsewhere: npm start -- --persist DIR",
  ],
  [
    /EADDRINUSE|address already in use/i,
    "Another program took the port meanwhile. Choose another one: npm start -- --port 8788",
  ],
  [
    /GLIBC_|libc\.so|libc\+\+/,
    "The runtime needs a newer system: Debian 12, Ubuntu 22.04, macOS 13.5 or later. In a container, take an image based on one of them.",
  ],
  [
    /could not be found, and is needed|workerd[^\n]*(?:ENOENT|not found)|Cannot find (?:module|package)/i,
    "A dependency is missing. Install them anew: rm -rf node_modules && npm ci",
  ],
  [
    /EACCES|EPERM|EROFS|readonly database/i,
    "This user may not write there. Correct the owner, or choose another folder: npm start -- --persist DIR",
  ],
  [
    /SQLITE_CORRUPT|malformed|SQLITE_NOTADB/i,
    "The local database is damaged. Start with an empty one: npm start -- --persist DIR",
  ],
  [/ENOMEM|out of memory|SIGKILL/i, "The machine ran out of memory, or the service was killed."],
];

/** An error's message and what to do about it. */
export function explainFailure(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const remedy = REMEDIES.find(([pattern]) => pattern.test(message))?.[1];
  return remedy === undefined ? message : `${message}\n\n${remedy}`;
}
