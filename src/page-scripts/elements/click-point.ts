import type { Point } from "../page-functions.ts";

export function clickPoint(element: Element): Point | undefined {
  for (const box of element.getClientRects()) {
    const x = (Math.max(0, box.left) + Math.min(innerWidth, box.right)) / 2;
    const y = (Math.max(0, box.top) + Math.min(innerHeight, box.bottom)) / 2;
    const isInView = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
    if (box.width > 0 && box.height > 0 && isInView && isHitAt(element, { x, y })) return { x, y };
  }
  return undefined;
}

function isHitAt(element: Element, { x, y }: Point): boolean {
  // An element that was removed has another root.
  const hit = (element.getRootNode() as Document | ShadowRoot).elementFromPoint(x, y);
  if (hit === null) return false;
  return element === hit || element.contains(hit) || hit.contains(element) || hit.closest("label")?.control === element;
}
