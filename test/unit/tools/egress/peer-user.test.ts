import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, test } from "vitest";
import { isOfOtherUser, userOf } from "../../../../src/tools/egress/peer-user.ts";

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
    expect(await isOfOtherUser(await accepted)).toBe(false);
  } finally {
    client.destroy();
    server.close();
  }
});
