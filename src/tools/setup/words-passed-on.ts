/**
 * Without `--` npm takes options for its own, and the program never sees them.
 * @param command how the program is called with `--`, for example `npm start --`.
 * @param names the program's options, without dashes in front.
 * @throws Error that says how to write an option which npm has taken.
 */
export function requireWordsPassedOn(
  env: Readonly<Record<string, string | undefined>>,
  { command, names }: { command: string; names: readonly string[] },
): void {
  for (const name of names) {
    const value = env[`npm_config_${name.replaceAll("-", "_")}`];
    if (!value) continue;
    const option = value === "true" ? `--${name}` : `--${name} ${value}`;
    throw new Error(`npm took --${name} for an option of its own. Write -- before it: ${command} ${option}`);
  }
}
