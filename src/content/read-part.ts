import { firstLinks, type PagePart } from "./page-parts.ts";
import type { PageView } from "./page-reading.ts";

/** Returns a part of a page. @throws AppError as the reader of the part does */
export function readPart(view: PageView, part: PagePart): unknown {
  switch (part.name) {
    case "markdown":
      return view.markdown(part).slice(0, part.maxChars);
    case "links":
      return firstLinks(view.links(part), part);
    case "attributeValues":
      return view.attributeValues(part);
    case "fill":
      return view.fill(part.schema);
    case "answer":
      return view.answer(part.question);
    default:
      return view[part.name]();
  }
}
