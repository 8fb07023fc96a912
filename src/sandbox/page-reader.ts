import { WorkerEntrypoint } from "cloudflare:workers";
import { fromCallInput } from "../core/sessions/call-input.ts";
import { readPageInput, type PageInput, type PageOutput } from "../content/read-page-input.ts";
import { readTaskInput, type TaskInput, type TaskOutput } from "../content/text-tasks/read-task-input.ts";

/**
 * Reads documents and large pages, and works on large texts, apart from the service: the service serves other requests meanwhile, and a page that a
 * reader's own limits do not stop ends with this isolate.
 */
export default class PageReader extends WorkerEntrypoint {
  async read(input: PageInput): Promise<PageOutput> {
    return await readPageInput(await fromCallInput(input));
  }

  task(input: TaskInput): Promise<TaskOutput> {
    return readTaskInput(input);
  }
}
