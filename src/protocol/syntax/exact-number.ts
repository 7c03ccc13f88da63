/**
 * A number only when it is written exactly as that number prints: `007`, `15.10`, `1e3` and a long
 * numeric commit id stay text.
 */
export function numberAsWritten(source: string): number | null {
  const value = Number(source);
  return Number.isFinite(value) && String(value) === source && Math.abs(value) <= Number.MAX_SAFE_INTEGER
    ? value
    : null;
}
