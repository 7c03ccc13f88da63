import type { LineTable } from "../shared/line-table.ts";
import type { DiagnosticCode } from "./diagnostic.ts";
import type { Limits } from "./limits.ts";
import type { Reading } from "./reading.ts";

/** Texts that are refused before anything is looked for in them. */
export function refuseText(text: string, limits: Limits, table: () => LineTable): Reading | null {
  if (text.length > limits.bytes || (text.length * 3 > limits.bytes && utf8Length(text) > limits.bytes)) {
    return refusal(
      "too-large",
      `The text is larger than ${limits.bytes} bytes.`,
      "Hand over less, or raise --max-bytes.",
      table,
    );
  }
  if (text.trim() === "" || text === "\uFEFF") {
    return refusal(
      "empty",
      "The text is empty.",
      "An agent that has nothing to hand over still says so: write a handoff.",
      table,
    );
  }
  if (text.includes("\0")) {
    const utf16 = /^(?:\0[^\0]|[^\0]\0)/.test(text);
    if (utf16) return refusal("wrong-encoding", "The text is UTF-16, not UTF-8.", "Save it as UTF-8.", table);
    return refusal("binary", "This is a binary file, not text.", "Name the file that holds the handoff.", table);
  }
  return null;
}

export function refusal(code: DiagnosticCode, message: string, hint: string, table: () => LineTable): Reading {
  const diagnostic = {
    code,
    rule: null,
    severity: "error",
    message,
    range: table().range(0, 0),
    hint,
    fix: null,
  } as const;
  return { dialect: null, valid: false, handoffs: [], diagnostics: [diagnostic] };
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (code >= 0xd800 && code < 0xdc00 && index + 1 < text.length) {
      bytes += 4;
      index++;
    } else bytes += 3;
  }
  return bytes;
}
