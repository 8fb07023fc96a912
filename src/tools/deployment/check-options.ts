/** Options that only a check of a deployed service has, and those that only a deployment has. */
const OF_CHECK = ["url", "echo", "bad-certificate"];
const OF_DEPLOYMENT = ["dry-run", "free", "location"];

/** @throws Error for options without effect: a deployment that was to be a check would change an account. */
export function checkOptions(values: Readonly<Record<string, string | boolean | undefined>>): void {
  const isCheck = values["check"] === true;
  const idle = (isCheck ? OF_DEPLOYMENT : OF_CHECK).filter((name) => (values[name] ?? false) !== false);
  if (idle.length === 0) return;
  const names = idle.map((name) => `--${name}`).join(", ");
  throw new Error(isCheck ? `--check deploys nothing. Leave out ${names}.` : `${names} needs --check.`);
}
