import { readPageInput, type PageInput } from "../content/read-page-input.ts";
import { unpackCall } from "../core/packed-call.ts";

/**
 * The main program of the process that reads pages of moderate size for a busy local service (`tools/sandbox-host`), so
 * that a second processor works on them. One request holds one page, and the answer is the JSON of a `PageOutput`. It has no
 * network and no files, and keeps nothing of a page.
 */
export default {
  async fetch(request: Request): Promise<Response> {
    if (request.method !== "POST") return new Response(null, { status: 204 });
    const { value, bytes } = unpackCall(new Uint8Array(await request.arrayBuffer()));
    return Response.json(await readPageInput({ ...(value as Omit<PageInput, "body">), body: bytes }));
  },
};
