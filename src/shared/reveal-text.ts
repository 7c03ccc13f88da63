/**
 * A text as a reader or a program would understand it: without invisible characters and escape sequences, with `%2D`
 * and `\u002d` read, and with lines joined where a long word goes on in the next line.
 */

interface Reading {
  /** Nearly every text has none of these signs, and is not read. */
  readonly sign: RegExp;
  readonly form: RegExp;
}

const HIDDEN: Reading = {
  sign: /[^\t\n -~]/,
  form: /\u001b(?:\[[0-?]{0,40}[ -/]{0,10}[@-~]|\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\)?|[@-_])|(?![\n\t\r])[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu,
};
const ENCODED: Reading = {
  sign: /%[0-9A-Fa-f]{2}|\\{1,3}(?:\/|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})|&#\d/,
  form: /%(?<percent>[0-9A-Fa-f]{2})|\\{1,3}(?:u(?<unicode>[0-9A-Fa-f]{4})|x(?<hex>[0-9A-Fa-f]{2})|(?<plain>\/))|&#(?<entity>\d{2,3});/g,
};
/** Strings that are put together; and a next line that is one long word with a digit or a capital, perhaps quoted. */
const JOINED: Reading = {
  sign: /["'`] ?\+|[\w+/=.-](?:["'`] ?|\\)?\r?\n[ \t>|*+-]{0,40}["'`]?[\w+/=.-]{8}/,
  form: /(?<=[\w+/=.-])(?:["'`] ?\+ ?["'`](?=[\w+/=.-])|(?:["'`] ?\+?|\\)?\r?\n[ \t>|*+-]{0,40}["'`]?(?=[\w+/=.-]{0,100}\d|[\w+/=.-]{1,100}[A-Z])(?=[\w+/=.-]{8,2000}["'`]?[,;)]?[ \t]{0,20}\\?\r?(?:\n|$)))/g,
};

/** What is encoded twice, such as JSON in JSON, is read twice. */
const READINGS = [ENCODED, ENCODED, ENCODED, HIDDEN, JOINED];

/** Null where it is the text itself. */
export function revealText(text: string): string | null {
  let revealed = text;
  for (const { sign, form } of READINGS)
    if (sign.test(revealed)) revealed = revealed.replace(form, (...match) => letterOf(match.at(-1)));
  return revealed === text ? null : revealed;
}

/** For each character of the revealed text, and for its end, where it begins in the original. */
export function placesOfRevealed(original: string): Int32Array {
  let at = Int32Array.from({ length: original.length + 1 }, (_, index) => index);
  let text = original;
  for (const { form } of READINGS) {
    const next = new Int32Array(text.length + 1);
    let revealed = "";
    let from = 0;
    const keep = (until: number): void => {
      next.set(at.subarray(from, until), revealed.length);
      revealed += text.slice(from, until);
    };
    for (const found of text.matchAll(form)) {
      keep(found.index);
      const letter = letterOf(found.groups);
      if (letter !== "") next[revealed.length] = at[found.index] ?? 0;
      revealed += letter;
      from = found.index + found[0].length;
    }
    keep(text.length);
    next[revealed.length] = original.length;
    at = next.slice(0, revealed.length + 1);
    text = revealed;
  }
  return at;
}

/** The letter that an encoding stands for; nothing for what is hidden. */
function letterOf(groups: unknown): string {
  if (typeof groups !== "object" || groups === null) return "";
  const { percent, unicode, hex, plain, entity }: Partial<Record<string, string>> = groups;
  const code = percent ?? unicode ?? hex;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  return entity === undefined ? (plain ?? "") : String.fromCharCode(Number(entity));
}
