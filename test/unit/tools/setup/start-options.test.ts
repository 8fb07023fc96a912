import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { readStartOptions } from "../../../../src/tools/setup/start-options.ts";
import { PROJECT_ROOT } from "../../../../src/tools/service/wrangler.ts";

describe("readStartOptions", () => {
  test("needs nothing", () => {
    expect(readStartOptions([], {})).toEqual({
      url: undefined,
      port: 8787,
      isPortChosen: false,
      key: undefined,
      once: false,
      persistDir: resolve(PROJECT_ROOT, ".wrangler/state"),
      help: false,
    });
  });

  test("takes an address, flags in any order, and the port from the environment", () => {
    const words = ["--once", "https://example.com/a?b=c", "--persist", "state", "--key", "fc-1"];
    expect(readStartOptions(words, { PORT: "9000" })).toMatchObject({
      url: "https://example.com/a?b=c",
      port: 9000,
      isPortChosen: true,
      key: "fc-1",
      once: true,
      persistDir: resolve("state"),
    });
    expect(readStartOptions(["--port=1234"], { PORT: "9000" }).port).toBe(1234);
  });

  test("an address may leave out its scheme", () => {
    expect(readStartOptions(["example.com/page"], {}).url).toBe("https://example.com/page");
  });

  test.each([
    { words: ["--port", "http"], says: 'The port must be a number from 1 to 65535, not "http"' },
    { words: ["--port", "70000"], says: "from 1 to 65535" },
    { words: ["file:///etc/passwd"], says: '"file:///etc/passwd" is no address of a web page' },
    { words: ["http://"], says: "is no address of a web page" },
    { words: ["https://a.example", "https://b.example"], says: "One address at a time; 2 were given" },
    { words: ["--prot", "1"], says: "There is no option --prot. Did you mean --port?" },
    { words: ["--onse"], says: "There is no option --onse. Did you mean --once?" },
    { words: ["--persistent=x"], says: "There is no option --persistent. Did you mean --persist?" },
    { words: ["--verbose"], says: "There is no option --verbose.\n" },
    { words: ["--port"], says: "argument missing" },
  ])("refuses $words with words that help", ({ words, says }) => {
    expect(() => readStartOptions(words, {})).toThrow(says);
  });

  test("says that npm has taken an option that stands before --", () => {
    expect(() => readStartOptions(["8788"], { npm_config_port: "8788" })).toThrow("npm start -- --port 8788");
    expect(() => readStartOptions([], { npm_config_once: "true" })).toThrow("npm start -- --once");
  });
});
