import { WorkerEntrypoint } from "cloudflare:workers";
import { readPageInput, type PageInput, type PageOutput } from "../content/read-page-input.ts";
import { readTaskInput, type TaskInput, type TaskOutput } from "../content/text-tasks/read-task-input.ts";

/**
 * Reads documents and large pages, and works on large texts, apart from the service: the service serves other requests meanwhile, and a page that a
 * reader's own limits do not stop ends with this isolate.
 */
export default class PageReader extends WorkerEntrypoint {
  read(input: PageInput): Promise<PageOutput> {
    return readPageInput(input);
  }

  task(input: TaskInput): Promise<TaskOutput> {
    return readTaskInput(input);
  }
}
