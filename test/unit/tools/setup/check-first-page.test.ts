import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { checkFirstPage } from "../../../../src/tools/setup/check-first-page.ts";

async function listen(): Promise<{ port: number; close: () => Promise<unknown> }> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise((closed) => server.close(closed)) };
}

const OPENED = { allowPrivateHosts: ["127.0.0.1", "site.example"] };
const unknown = async (): Promise<never> => {
  throw Object.assign(new Error("unknown"), { code: "ENOTFOUND" });
};

test("an address where something answers may be loaded, by number and by name", async () => {
  const { port, close } = await listen();
  const lookup = async () => [{ address: "127.0.0.1", family: 4 }];
  await expect(checkFirstPage(`http://127.0.0.1:${port}/a`, OPENED)).resolves.toBeUndefined();
  await expect(checkFirstPage(`http://site.example:${port}/a`, { ...OPENED, lookup })).resolves.toBeUndefined();
  await close();
  await expect(checkFirstPage(`http://127.0.0.1:${port}/a`, OPENED)).rejects.toThrow(
    `127.0.0.1:${port} does not accept connections (ECONNREFUSED)`,
  );
});

test.each([
  { address: "http://127.0.0.1:1/", says: "ALLOW_PRIVATE_HOSTS=127.0.0.1 npm start -- http://127.0.0.1:1/" },
  { address: "http://router.lan/", says: "The host router.lan is private" },
  { address: "https://typo.example/", says: "The host name typo.example does not resolve.\nCheck the address" },
])("$address is refused with words that help", async ({ address, says }) => {
  await expect(checkFirstPage(address, { allowPrivateHosts: [], lookup: unknown })).rejects.toThrow(says);
});

test("a name that leads to a private address is refused as the service would", async () => {
  const lookup = async () => [{ address: "10.0.0.1", family: 4 }];
  await expect(checkFirstPage("http://inside.example/", { allowPrivateHosts: [], lookup })).rejects.toThrow(
    "resolves to the private address 10.0.0.1",
  );
});
