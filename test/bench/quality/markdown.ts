/** `npm run bench -- markdown`: the part of `npm run bench -- quality` that needs no pages. */
import { measureMarkdown } from "./markdown-cases.ts";

console.log(measureMarkdown());
