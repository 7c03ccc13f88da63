/** Amounts are whole cents. */
export function total(lines) {
  return lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
}
