import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findInstalledBrowser } from "../../../src/tools/browser/installed-browser.ts";

/** A Chromium as operators run it: with a debugging port, and started again with an empty profile when it ends. */
export interface OwnChromium {
  /** `http://127.0.0.1:port`. */
  url: string;
  /** Times that it was started. */
  starts(): number;
  /** Ends it, and does not start it again. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** @param timeZone of its pages, which tells it from other browsers */
export async function startOwnChromium(timeZone: string): Promise<OwnChromium> {
  const executable = await findInstalledBrowser();
  if (executable === undefined) throw new Error("The tests need a Chrome or Chromium of this machine");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let starts = 0;
  let isHalted = false;
  const start = (): void => {
    const profile = mkdtempSync(join(tmpdir(), "own-chromium-"));
    starts++;
    child = spawn(
      executable,
      [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        `--remote-debugging-port=${port}`,
        `--user-data-dir=${profile}`,
      ],
      { stdio: "ignore", env: { ...process.env, TZ: timeZone } },
    );
    child.once("exit", () => {
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
      if (!isHalted) start();
    });
  };
  const answers = async (): Promise<void> => {
    for (let tries = 0; tries < 200; tries++) {
      if (
        await fetch(`${url}/json/version`).then(
          (response) => response.ok,
          () => false,
        )
      )
        return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error("The Chromium does not answer");
  };
  const halt = async (): Promise<void> => {
    isHalted = true;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  start();
  await answers();
  return {
    url,
    starts: () => starts,
    halt,
    async resume() {
      isHalted = false;
      start();
      await answers();
    },
    stop: halt,
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
