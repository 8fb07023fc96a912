/** Errors of the platform for a token without a permission. */
const NOT_ALLOWED = /\b(?:10000|10001|9109|403)\b|authentication error|not authorized|forbidden|permission/i;

const PERMISSIONS = {
  database: { right: "D1 Edit", place: "Storage & databases > D1 > Create database" },
  bucket: { right: "Workers R2 Storage Edit", place: "Storage & databases > R2 > Create bucket" },
  queue: { right: "Queues Edit", place: "Storage & databases > Queues > Create queue" },
} as const;

/**
 * Returns what an operator clicks so that a build of the platform (Workers Builds) can go on without a resource that its
 * token may not create; undefined for other errors.
 * @param what kind and name of the resource, such as `queue orbweaver-tasks`
 */
export function buildTokenRemedy(what: string, output: string): string | undefined {
  if (!NOT_ALLOWED.test(output)) return undefined;
  const [kind = "", name = ""] = what.split(" ", 2);
  const permission = Object.entries(PERMISSIONS).find(([known]) => known === kind)?.[1];
  if (permission === undefined) return undefined;
  return `The build's token may not create the ${what}. Either give it the permission “${permission.right}” (the Worker's page > Settings > Build > API token), or create “${name}” yourself (${permission.place}); then retry the build.`;
}

/** Returns the message for secrets that a build needs and cannot make up: its log is no place for them. */
export function missingInBuild(names: readonly string[]): string {
  return `The Worker has no ${names.join(", ")}, and a build makes up no secrets, since its log would show them. Enter each by name in the dashboard (the Worker's page > Settings > Build > Variables and secrets, encrypted), or run \`npm run deploy\` once on a machine of your own, which makes them up; then retry the build.`;
}
