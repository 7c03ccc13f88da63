/** A fenced code block whose fence no line of its content can close. */
export function printFence(language: string, content: string): string {
  let longest = 2;
  for (const run of content.matchAll(/`{3,}/g)) longest = Math.max(longest, run[0].length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${content}${content.endsWith("\n") ? "" : "\n"}${fence}\n`;
}
