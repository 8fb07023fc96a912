import { spawn } from "node:child_process";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { createUserCheck, userOf } from "../../../../src/tools/egress/peer-user.ts";

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 101 1 0 100 0 0 10 0
   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 102 1 0 20 4 30 10 -1
   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 103 1 0 20 4 30 10 -1
`;

const MAPPED = `   3: 0000000000000000FFFF00000100007F:C351 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 104 1 0 20 4 30 10 -1\n`;

test("the connecting end tells the user, also of a socket of IPv6", () => {
  const from = (port: number, host = "0100007F") => ({ host, port });
  expect(userOf(TABLE, { from: from(50_000), to: 8080 })).toBe(1001);
  expect(userOf(TABLE, { from: from(8080), to: 50_000 })).toBe(1000);
  expect(userOf(TABLE, { from: from(50_001), to: 8080 })).toBeUndefined();
  expect(userOf(TABLE, { from: from(50_000, "0200007F"), to: 8080 })).toBeUndefined();
  expect(userOf(TABLE + MAPPED, { from: from(50_001), to: 8080 })).toBe(1002);
});

test("a connection that no table has is another user's, after several readings", async () => {
  let readings = 0;
  const check = createUserCheck(async () => {
    readings += 1;
    return TABLE;
  });
  expect(await check({ remoteAddress: "127.0.0.1", remotePort: 1, localPort: 8080 })).toBe(true);
  expect(readings).toBe(4);
  const elsewhere = createUserCheck(() => Promise.resolve(undefined));
  expect(await elsewhere({ remoteAddress: "127.0.0.1", remotePort: 1, localPort: 8080 })).toBe(false);
});

/** Ways to connect to a listener on 127.0.0.1. */
const WAYS = [
  { way: "plainly", options: { host: "127.0.0.1" } },
  { way: "by a socket of IPv6", options: { host: "::ffff:127.0.0.1" } },
  { way: "from another loopback address", options: { host: "127.0.0.1", localAddress: "127.0.0.2" } },
];
const NOBODY = 65_534;

describe.runIf(process.platform === "linux")("a process that connects", () => {
  test.each(WAYS)("$way is one of this user", async ({ options }) => {
    expect(await isForeign(options, process.getuid?.() ?? 0)).toBe(false);
  });

  test.runIf(process.getuid?.() === 0).each(WAYS)("$way is known as another user's", async ({ options }) => {
    expect(await isForeign(options, NOBODY)).toBe(true);
  });
});

/** Lets a process of a user connect, and asks the check about it. */
async function isForeign(options: object, uid: number): Promise<boolean> {
  const server = createServer();
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  const accepted = new Promise<Socket>((resolve) => {
    server.once("connection", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const script = `require("node:net").connect(${JSON.stringify({ ...options, port })}); setTimeout(() => {}, 20000)`;
  const other = spawn(process.execPath, ["-e", script], { uid, cwd: "/", stdio: "inherit" });
  try {
    return await createUserCheck()(await accepted);
  } finally {
    other.kill("SIGKILL");
    server.close();
  }
}

test("a connection of this very process is not another user's", async () => {
  const server = createServer();
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  const accepted = new Promise<Socket>((resolve) => {
    server.once("connection", resolve);
  });
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  try {
    expect(await createUserCheck()(await accepted)).toBe(false);
  } finally {
    client.destroy();
    server.close();
  }
});

const END = { remoteAddress: "127.0.0.1", remotePort: 50_000, localPort: 8080 };

test("connections that come together share a reading, and one that comes during a reading waits for the next", async () => {
  let readings = 0;
  let finish = (): void => undefined;
  const check = createUserCheck(async () => {
    readings += 1;
    if (readings === 1) await new Promise<void>((done) => (finish = done));
    return TABLE.replaceAll("1001", String((process.getuid?.() ?? 0) + 1));
  });
  const first = [check(END), check(END)];
  await expect.poll(() => readings).toBe(1);
  const late = check(END);
  finish();
  expect(await Promise.all([...first, late])).toEqual([true, true, true]);
  expect(readings).toBe(2);
});
