import type { Values } from "../request/body.ts";

/** The parts of a request that code is made of. */
export interface SnippetParts {
  /** URL of the service, without a path. */
  origin: string;
  url: string;
  method: string;
  /** Method and path of the operation. */
  operation: string;
  json: Values | undefined;
  /** Name and file name of each file of a form. */
  files: [name: string, file: string][];
  /** Text fields of a form. */
  texts: [name: string, text: string][];
}
