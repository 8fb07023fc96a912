import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";
import { articlePage, scriptedPage } from "./article-pages.ts";

interface Answer {
  type: string;
  body: Buffer;
}

const made = new Map<string, Answer>();

/** `/p/<n>` an article of usual size, `/size/<megabytes>` one of that size, `/app/<n>` one that a script builds. */
function makeAnswer(path: string): Answer | undefined {
  const [, kind, value] = /^\/(p|size|app|app-data)\/([\d.]+)$/.exec(path) ?? [];
  const number = Number(value);
  const html = (text: string): Answer => ({ type: "text/html; charset=utf-8", body: Buffer.from(text) });
  if (kind === "p") return html(articlePage(number).html);
  if (kind === "size") return html(articlePage(0, number * 1_000_000).html);
  if (kind === "app") return html(scriptedPage(number).html);
  if (kind === "app-data") return { type: "application/json", body: Buffer.from(scriptedPage(number).data) };
  return undefined;
}

const server = createServer((request, response) => {
  const path = request.url ?? "/";
  const answer = made.get(path) ?? makeAnswer(path);
  if (answer === undefined) {
    response.writeHead(404, { "content-type": "text/plain" }).end("No such page\n");
    return;
  }
  made.set(path, answer);
  response.writeHead(200, { "content-type": answer.type, "content-length": answer.body.length }).end(answer.body);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(`http://127.0.0.1:${port}`);
});
