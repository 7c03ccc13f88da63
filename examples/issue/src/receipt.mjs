/** One line of a receipt: a name and an amount. */
export function line(name, amount) {
  return `${name.padEnd(12)} ${amount}`;
}
