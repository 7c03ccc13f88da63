import { expect } from "vitest";
import { NONCE } from "./hostile-handoffs.ts";

interface OpenedPrompt {
  /** Everything but what stands in envelopes. */
  readonly outside: string;
  readonly envelopes: readonly { readonly title: string; readonly body: string }[];
}

/**
 * A prompt as its reader is told to read it, and with none of our own code: an envelope is opened by a line that begins
 * with <<<, and closed by the next line that begins with the nonce. Whatever else has the nonce or the signs is an
 * escape. The first line tells how to read, and so names the nonce.
 */
export function openPrompt(prompt: string): OpenedPrompt {
  const [rule = "", ...lines] = prompt.split("\n");
  expect(rule.split(NONCE)).toHaveLength(2);
  const outside = [rule];
  const envelopes: { title: string; body: string }[] = [];
  let open: { title: string; body: string[] } | null = null;
  for (const line of lines) {
    if (open === null && line.startsWith("<<<")) {
      expect(line.endsWith(` ${NONCE}`)).toBe(true);
      open = { title: line.slice(3, -NONCE.length - 1), body: [] };
      outside.push(line);
    } else if (open !== null && line.startsWith(NONCE)) {
      expect(line).toBe(`${NONCE} end of ${open.title}>>>`);
      envelopes.push({ title: open.title, body: open.body.join("\n") });
      open = null;
      outside.push(line);
    } else {
      if (line.includes(NONCE) || line.includes("<<<") || line.includes(">>>")) expect.fail(`an escape: ${line}`);
      (open?.body ?? outside).push(line);
    }
  }
  expect(open).toBeNull();
  return { outside: outside.join("\n"), envelopes };
}

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\u034f|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/u;

/** Nothing that a reader cannot see, and nothing that steers a terminal. */
export function expectVisible(text: string): void {
  expect(HIDDEN.exec(text)).toBeNull();
}

/** Nothing that a log of a build takes for a command. */
export function expectNoLogCommand(text: string): void {
  for (const line of text.split("\n")) {
    if (line.trimStart().startsWith("::") || /##\w*\[/.test(line)) expect.fail(`a command: ${line}`);
  }
}
