/**
 * Returns an element of the page's own markup.
 * @throws Error when the markup has no element of that kind with the id
 */
export function byId<E extends Element = HTMLElement>(id: string, kind?: abstract new () => E): E;
export function byId(id: string, kind: abstract new () => Element = HTMLElement): Element {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`The markup has no ${kind.name} with the id ${id}`);
  return element;
}
