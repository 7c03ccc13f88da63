/** Whole cents as people write them: 1250 is 12.50. */
export function format(cents) {
  return `${Math.floor(cents / 100)}.${cents % 100}`;
}
