import { utf8Length } from "../shared/utf8-length.ts";
import type { DiagnosticCode } from "./diagnostic.ts";
import type { Limits } from "./limits.ts";
import type { Reading } from "./reading.ts";

/** One UTF-16 unit is one to three bytes: most texts need not be counted. */
function isTooLarge(text: string, limits: Limits): boolean {
  return text.length > limits.bytes || (text.length * 3 > limits.bytes && utf8Length(text) > limits.bytes);
}

/** What a decoder puts in the place of bytes that it cannot read. */
export const LOST = "\uFFFD";

/** Texts that are refused before anything is looked for in them. */
export function refuseText(text: string, limits: Limits): Reading | null {
  if (isTooLarge(text, limits)) {
    return refusal(
      "too-large",
      `The text is larger than ${limits.bytes} bytes.`,
      "Hand over less, or raise --max-bytes.",
    );
  }
  if (isBlank(text)) {
    return refusal(
      "empty",
      "The text is empty.",
      "An agent that has nothing to hand over still says so: write a handoff.",
    );
  }
  const hasZeros = text.includes("\0");
  if (hasZeros && UTF_16.test(text))
    return refusal("wrong-encoding", "The text is UTF-16, not UTF-8.", "Save it as UTF-8.");
  return hasZeros || (text.includes(LOST) && isBinary(text))
    ? refusal("binary", "This is a binary file, not text.", "Name the file that holds the handoff.")
    : null;
}

/** Most texts show by their first character that they are not. */
function isBlank(text: string): boolean {
  return !(text.charCodeAt(0) > 0x20 && text.charCodeAt(0) < 0x7f) && text.trim() === "";
}

/** Every other unit is zero, after the byte order mark in any of the ways it may have been decoded. */
const UTF_16 = /^(?:\uFFFD\uFFFD|\u00FF\u00FE|\u00FE\u00FF|\uFEFF)?(?:(?:\0[^\0]){2}|(?:[^\0]\0){2})/;

/** Text holds hardly any control characters, nor signs that stand for bytes which are no UTF-8. */
function isBinary(text: string): boolean {
  const head = text.slice(0, 4096);
  let strange = 0;
  for (let index = 0; index < head.length; index++) {
    const code = head.charCodeAt(index);
    if ((code < 0x20 && code !== 0x1b && (code < 0x08 || code > 0x0d)) || code === 0xfffd) strange++;
  }
  return strange * 10 > head.length;
}

/** Names no place: the text may be far too large to count its lines. */
function refusal(code: DiagnosticCode, message: string, hint: string): Reading {
  const start = { line: 1, column: 1, offset: 0 };
  const diagnostic = {
    code,
    rule: null,
    severity: "error",
    message,
    range: { start, end: start },
    hint,
    fix: null,
  } as const;
  return { dialect: null, valid: false, handoffs: [], diagnostics: [diagnostic] };
}
