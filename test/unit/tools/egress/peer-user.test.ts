import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, test } from "vitest";
import { createUserCheck, userOf } from "../../../../src/tools/egress/peer-user.ts";

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 101 1 0 100 0 0 10 0
   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 102 1 0 20 4 30 10 -1
   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 103 1 0 20 4 30 10 -1
`;

test("the connecting end tells the user", () => {
  expect(userOf(TABLE, { from: 50_000, to: 8080 })).toBe(1001);
  expect(userOf(TABLE, { from: 8080, to: 50_000 })).toBe(1000);
  expect(userOf(TABLE, { from: 50_001, to: 8080 })).toBeUndefined();
});

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

test("connections that come together share a reading, and one that comes during a reading waits for the next", async () => {
  let readings = 0;
  let finish = (): void => undefined;
  const check = createUserCheck(async () => {
    readings += 1;
    if (readings === 1) await new Promise<void>((done) => (finish = done));
    return TABLE.replaceAll("1001", String((process.getuid?.() ?? 0) + 1));
  });
  const first = [check({ remotePort: 50_000, localPort: 8080 }), check({ remotePort: 1, localPort: 8080 })];
  await expect.poll(() => readings).toBe(1);
  const late = check({ remotePort: 50_000, localPort: 8080 });
  finish();
  expect(await Promise.all([...first, late])).toEqual([true, false, true]);
  expect(readings).toBe(2);
});
