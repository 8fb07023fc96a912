import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { handBack } from "../../../../src/tools/egress/forward-request.ts";

function answerOf(text: string): IncomingMessage {
  const answer = new IncomingMessage(new Socket());
  answer.statusCode = 200;
  answer.push(text);
  answer.push(null);
  return answer;
}

test("an answer for a client that has left is given up, and the proxy goes on", () => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.destroy();
  const answer = answerOf("late");
  handBack(answer, response);
  expect(answer.destroyed).toBe(true);
});
