/** Of a brief so much is shown and searched in lists; all of it stands in the log. */
const LONGEST_BRIEF = 500;

/** As UTF-8 gives it back: half a character becomes another one, and a mark over the half would not fit that. */
export function shownBrief(brief: string): string {
  return Buffer.from(brief.slice(0, LONGEST_BRIEF), "utf8").toString("utf8");
}
