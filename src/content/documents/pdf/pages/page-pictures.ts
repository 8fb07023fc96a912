/** A picture of a page, in points from the upper left corner of the turned page. */
export interface PagePicture {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** In pixels. */
  width: number;
  height: number;
}

/** A smaller picture, in points, is a bullet, a line or a part of a drawing. */
const MIN_SIZE = 16;
/** Strips of one picture, as some programs cut it, are this near to each other, in points. */
const MAX_GAP = 1.5;
/** A picture of a larger share of the page is its background, or a scan. */
const MAX_SHARE = 0.85;
/** Pictures that share more of the smaller one are one. */
const MAX_OVERLAP = 0.5;
/** Pictures of one page that are joined and listed. */
export const MAX_PICTURES = 500;

/** Returns the pictures of a page from top to bottom: parts that overlap and strips are joined, small parts and backgrounds are left out. */
export function toPictures(parts: readonly PagePicture[], page: { width: number; height: number }): PagePicture[] {
  const isBackground = (part: PagePicture): boolean => areaOf(part) > page.width * page.height * MAX_SHARE;
  const joined: PagePicture[] = [];
  for (const part of parts.slice(0, MAX_PICTURES)) {
    if (isBackground(part)) continue;
    let picture = part;
    // A joined picture may touch one that came before.
    for (let at = joined.findLastIndex((each) => belongs(each, picture)); at !== -1;) {
      picture = joinedWith(joined[at] ?? picture, picture);
      joined.splice(at, 1);
      at = joined.findLastIndex((each) => belongs(each, picture));
    }
    joined.push(picture);
  }
  return joined
    .map((picture) => ({
      ...picture,
      left: Math.max(0, picture.left),
      top: Math.max(0, picture.top),
      right: Math.min(page.width, picture.right),
      bottom: Math.min(page.height, picture.bottom),
    }))
    .filter((picture) => {
      const isSmall = picture.right - picture.left < MIN_SIZE || picture.bottom - picture.top < MIN_SIZE;
      return !isSmall && !isBackground(picture);
    })
    .toSorted((one, other) => one.top - other.top || one.left - other.left);
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= MAX_GAP;
}

/**
 * Reports whether one part covers most of another one, or both are strips of one picture: one goes on where the other ends, with
 * the same edges. The margins of pictures beside each other may overlap.
 */
function belongs(picture: PagePicture, part: PagePicture): boolean {
  const shared = areaOf({
    left: Math.max(picture.left, part.left),
    right: Math.min(picture.right, part.right),
    top: Math.max(picture.top, part.top),
    bottom: Math.min(picture.bottom, part.bottom),
  });
  return shared > Math.min(areaOf(picture), areaOf(part)) * MAX_OVERLAP || isStripOf(picture, part);
}

function areaOf({ left, right, top, bottom }: Pick<PagePicture, "left" | "right" | "top" | "bottom">): number {
  return Math.max(0, right - left) * Math.max(0, bottom - top);
}

function isStripOf(picture: PagePicture, part: PagePicture): boolean {
  const isBelow = isNear(picture.left, part.left) && isNear(picture.right, part.right);
  const isBeside = isNear(picture.top, part.top) && isNear(picture.bottom, part.bottom);
  return (
    (isBelow && (isNear(picture.bottom, part.top) || isNear(picture.top, part.bottom))) ||
    (isBeside && (isNear(picture.right, part.left) || isNear(picture.left, part.right)))
  );
}

/** Returns the picture that two parts make; its pixels are as dense as those of the denser part. */
function joinedWith(one: PagePicture, other: PagePicture): PagePicture {
  const left = Math.min(one.left, other.left);
  const right = Math.max(one.right, other.right);
  const top = Math.min(one.top, other.top);
  const bottom = Math.max(one.bottom, other.bottom);
  const density = (size: (picture: PagePicture) => [pixels: number, points: number]): number =>
    Math.max(...[one, other].map((each) => size(each)[0] / Math.max(1, size(each)[1])));
  const across = density((each) => [each.width, each.right - each.left]);
  const down = density((each) => [each.height, each.bottom - each.top]);
  return {
    left,
    right,
    top,
    bottom,
    width: Math.round((right - left) * across),
    height: Math.round((bottom - top) * down),
  };
}
