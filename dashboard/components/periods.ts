const HOUR = 3_600_000;

/** How far back a list or a figure goes; as a word of the address. */
export const PERIODS: readonly { readonly value: string; readonly label: string; readonly length: number | null }[] = [
  { value: "", label: "Any time", length: null },
  { value: "1h", label: "Last hour", length: HOUR },
  { value: "24h", label: "Last 24 hours", length: 24 * HOUR },
  { value: "7d", label: "Last 7 days", length: 7 * 24 * HOUR },
  { value: "30d", label: "Last 30 days", length: 30 * 24 * HOUR },
  { value: "90d", label: "Last 90 days", length: 90 * 24 * HOUR },
];

export function sinceOf(period: string): number | null {
  const length = PERIODS.find(({ value }) => value === period)?.length ?? null;
  return length === null ? null : Date.now() - length;
}
