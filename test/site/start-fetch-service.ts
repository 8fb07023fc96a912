import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface FetchService {
  url: string;
  stop(): void;
}

/** Starts the fetch service that the documentation shows, on a free port of 127.0.0.1. */
export async function startFetchService(token: string): Promise<FetchService> {
  const page = readFileSync(join(import.meta.dirname, "../../src/docs/operation/egress.md"), "utf8");
  const program = /```js\n([^]*?)```/.exec(page)?.[1];
  if (program === undefined) throw new Error("The documentation shows no fetch service");
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: { PATH: process.env["PATH"], TOKEN: token, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const port = /\d+/.exec(line.toString())?.[0];
  return { url: `http://127.0.0.1:${port}/`, stop: () => void child.kill("SIGKILL") };
}
