/**
 * V8 compiles a method for the shape (hidden class) of the objects that it was called on, and holds a shape only as long as
 * one of its objects is alive. When a full collection finds none, it discards the machine code of every method of the
 * class, which then runs slowly until it is compiled once more. The objects that read and write a page live as long as
 * its conversion, and isolates collect in full after every fifty pages or so: nearly all code was lost each time. So the last
 * object of each such class is kept, and what it refers to.
 */
const kept = new Map<unknown, object>();
/** HTML of more characters is not kept: its tree would lie beside that of the next page. */
const MAX_KEPT_CHARS = 400_000;
let isKeeping = true;

/** Keeps an object until the next one of its class, for the shape's sake. Called by the constructors of page readers. */
export function keepShape(instance: object): void {
  if (isKeeping) kept.set(instance.constructor, instance);
}

/** Says how large the page is that is read next. Of a large one nothing is kept, and the objects of earlier pages are let go. */
export function keepShapesOf(html: string): void {
  isKeeping = html.length <= MAX_KEPT_CHARS;
  if (!isKeeping) kept.clear();
}
