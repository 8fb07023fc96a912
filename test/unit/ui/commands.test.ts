import { describe, expect, test } from "vitest";
import { withCommands } from "../../../src/ui/commands/command-text.ts";
import type { CommandText } from "../../../src/ui/commands/command-text.ts";
import { bySection, findCommands } from "../../../src/ui/commands/find-commands.ts";
import { createShortcutReader, keyLabels } from "../../../src/ui/commands/shortcut-reader.ts";
import type { KeyPress } from "../../../src/ui/commands/shortcut-reader.ts";

const command = (id: string, title: string, more: Partial<CommandText> = {}): CommandText => ({
  id,
  title,
  section: "Go to",
  ...more,
});
const titles = (commands: readonly CommandText[]): string[] => commands.map(({ title }) => title);

describe("commands", () => {
  const all = [
    command("a", "Playground"),
    command("b", "Keys"),
    command("c", "Create session", { section: "Start", words: "browser" }),
    command("d", "Create key", { section: "Start" }),
  ];

  test("match every word of a query, the start of a title first", () => {
    expect(titles(findCommands("", all))).toEqual(titles(all));
    expect(titles(findCommands("key", all))).toEqual(["Keys", "Create key"]);
    expect(titles(findCommands("create brow", all))).toEqual(["Create session"]);
    expect(titles(findCommands("go ground", all))).toEqual(["Playground"]);
    expect(findCommands("nothing", all)).toEqual([]);
  });

  test("are grouped by section, in the order of the first command of each", () => {
    expect(bySection(all).map(([section, found]) => [section, found.length])).toEqual([
      ["Go to", 2],
      ["Start", 2],
    ]);
  });

  test("are replaced by a later command with the same ID", () => {
    expect(titles(withCommands(all, [command("b", "API keys"), command("e", "Usage")]))).toEqual([
      "Playground",
      "Create session",
      "Create key",
      "API keys",
      "Usage",
    ]);
  });
});

describe("shortcuts", () => {
  const commands = [command("g", "Crawls", { keys: "g c" }), command("k", "Palette", { keys: "mod+k" })];
  const press = (key: string, atMs: number, more: Partial<KeyPress> = {}): KeyPress => ({
    key,
    atMs,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    takesCharacters: true,
    ...more,
  });
  const idsOf = (presses: KeyPress[]): (string | undefined)[] => {
    const read = createShortcutReader();
    return presses.map((one) => read(one, commands)?.id);
  };

  test("are a sequence of keys in a short time", () => {
    expect(idsOf([press("g", 0), press("c", 500)])).toEqual([undefined, "g"]);
    expect(idsOf([press("g", 0), press("c", 2_000)])).toEqual([undefined, undefined]);
    expect(idsOf([press("g", 0), press("x", 100), press("c", 200)])).toEqual([undefined, undefined, undefined]);
  });

  test("with Ctrl or ⌘ work in a field too, others do not", () => {
    expect(idsOf([press("k", 0, { ctrlKey: true, takesCharacters: false })])).toEqual(["k"]);
    expect(idsOf([press("K", 0, { metaKey: true })])).toEqual(["k"]);
    expect(idsOf([press("g", 0, { takesCharacters: false }), press("c", 10, { takesCharacters: false })])).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("are shown with the names of the keyboard", () => {
    expect(keyLabels("mod+k", true)).toEqual(["⌘", "K"]);
    expect(keyLabels("mod+Enter", false)).toEqual(["Ctrl", "Enter"]);
    expect(keyLabels("g c", false)).toEqual(["G", "C"]);
  });
});
