/** `1 entry`, `2 entries`. */
export function entriesIn(count: number): string {
  return count === 1 ? "1 entry" : `${count} entries`;
}
