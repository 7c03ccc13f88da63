/** An index holds parts of this many characters, so a shorter word cannot be found inside of a text. */
const PART = 3;

/** What of a run is searched, in small letters. */
export function searchTextOf(run: { readonly run: string; readonly name: string; readonly brief: string }): string {
  return folded(`${run.run}\n${run.name}\n${run.brief}`);
}

export function folded(text: string): string {
  return text.replaceAll("\u0000", " ").toLowerCase();
}

/** Every part of three characters, once. */
export function searchPartsOf(text: string): string[] {
  const letters = [...text];
  const parts = new Set<string>();
  for (let at = 0; at + PART <= letters.length; at++) parts.add(letters.slice(at, at + PART).join(""));
  return [...parts];
}
