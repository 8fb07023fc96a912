/** Returns the least edit distance of a text to any part of another one (Sellers' algorithm). */
export function distanceWithin(wanted: string, text: string): number {
  if (text.includes(wanted)) return 0;
  let least = wanted.length;
  eachEnd(wanted, text, (distance) => {
    least = Math.min(least, distance);
  });
  return least;
}

/** Returns the ends of all parts of a text that are within an edit distance of a wanted one. */
export function endsWithin(wanted: string, text: string, most: number): number[] {
  const ends: number[] = [];
  eachEnd(wanted, text, (distance, end) => {
    if (distance <= most) ends.push(end);
  });
  return ends;
}

function eachEnd(wanted: string, text: string, found: (distance: number, end: number) => void): void {
  let previous = Array.from({ length: wanted.length + 1 }, (_, at) => at);
  for (let end = 1; end <= text.length; end++) {
    const current = [0];
    for (let at = 1; at <= wanted.length; at++) {
      const isSame = wanted.charCodeAt(at - 1) === text.charCodeAt(end - 1);
      current.push(
        Math.min((previous[at - 1] ?? 0) + (isSame ? 0 : 1), (previous[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1),
      );
    }
    previous = current;
    found(current[wanted.length] ?? 0, end);
  }
}
