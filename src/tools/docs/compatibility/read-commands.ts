/** Start of a command, or a flag of the command before it, in the source of a program built with Commander. */
const COMMANDS_AND_FLAGS =
  /new commander_1\.Command\('([\w-]+)'\)|\.command\('([\w-]+)[^']*'\)|\.(?:requiredOption|option)\('([^']+)'/g;

/**
 * Reads the commands of the source of a program built with Commander, and the flags of each by the names that Commander
 * gives them: `maxDepth` of `--max-depth`.
 */
export function readCommands(source: string): Map<string, string[]> {
  const commands = new Map<string, string[]>();
  let flags: string[] = [];
  for (const [, program, command, flag] of source.matchAll(COMMANDS_AND_FLAGS)) {
    const name = program ?? command;
    if (name !== undefined) commands.set(name, (flags = commands.get(name) ?? []));
    else if (flag !== undefined) flags.push(nameOf(flag));
  }
  return commands;
}

function nameOf(flag: string): string {
  const [, long = flag] = /--([\w-]+)/.exec(flag) ?? [];
  return long.replace(/-(\w)/g, (_whole, letter: string) => letter.toUpperCase());
}
