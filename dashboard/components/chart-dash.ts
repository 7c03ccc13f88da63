const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [9, 3, 2, 3], [4, 2]];

/** Lines differ in more than colour. */
export function dashOf(index: number): number[] {
  return [...(DASHES[index % DASHES.length] ?? [])];
}
