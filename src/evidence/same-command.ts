/** A gate has its words apart; only where no shell would read them otherwise are they the same text. */
export function isSameCommand(command: readonly string[], text: string): boolean {
  const isPlain = command.length > 0 && command.every((word) => /^[\w@%+=:,./-]+$/.test(word));
  return isPlain && command.join(" ") === text.trim();
}
