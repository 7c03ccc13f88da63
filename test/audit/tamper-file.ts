import { createHash } from "node:crypto";
import type { Random } from "../simulation/random.ts";

const PAGE = 4096;

/** What a failing disk or an editor of bytes does to the file of a log. */
export function changeBytes(bytes: Buffer, random: Random): { readonly bytes: Buffer; readonly what: string } {
  const how = random.below(20);
  const at = placeIn(bytes, random);
  if (how < 15) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
    return { bytes: changed, what: `a bit at ${at}` };
  }
  const changed = Buffer.from(bytes);
  if (how === 15)
    return { bytes: changed.fill(0, at, Math.min(bytes.length, at + 1 + random.below(512))), what: `zeros at ${at}` };
  if (how === 16) return { bytes: changed.subarray(0, at), what: `cut off at ${at}` };
  if (how === 17) {
    const from = random.below(bytes.length);
    bytes.copy(changed, at, from, from + 1 + random.below(200));
    return { bytes: changed, what: `bytes of ${from} at ${at}` };
  }
  const pages = bytes.length / PAGE;
  const [one, other] = [random.below(pages), random.below(pages)];
  if (how === 18) {
    bytes.copy(changed, one * PAGE, other * PAGE, (other + 1) * PAGE);
    return { bytes: changed, what: `page ${other} in the place of ${one}` };
  }
  bytes.copy(changed, one * PAGE, other * PAGE, (other + 1) * PAGE);
  bytes.copy(changed, other * PAGE, one * PAGE, (one + 1) * PAGE);
  return { bytes: changed, what: `pages ${one} and ${other} exchanged` };
}

/** Most of a small file is empty: mostly where something stands. */
function placeIn(bytes: Buffer, random: Random): number {
  for (let tries = 0; ; tries++) {
    const at = random.below(bytes.length);
    if (bytes[at] !== 0 || tries > 20 || random.chance(0.02)) return at;
  }
}

/** What somebody does to the lines of an export. */
export function changeLines(text: string, random: Random): { readonly text: string; readonly what: string } {
  const lines = text.split("\n").slice(0, -1);
  const at = random.below(lines.length);
  const line = lines[at] ?? "";
  const changes: readonly (() => string)[] = [
    () => {
      const place = random.below(line.length);
      const other = String.fromCharCode(32 + ((line.charCodeAt(place) - 31 + random.below(94)) % 95));
      lines[at] = line.slice(0, place) + other + line.slice(place + 1);
      return `a letter of line ${at + 1}`;
    },
    () => {
      lines.splice(at, 1);
      return `line ${at + 1} taken out`;
    },
    () => {
      const from = random.below(lines.length);
      lines.splice(at, 0, lines[from] ?? "");
      return `line ${from + 1} once more at ${at + 1}`;
    },
    () => {
      const other = (at + 1 + random.below(lines.length - 1)) % lines.length;
      [lines[at], lines[other]] = [lines[other] ?? "", line];
      return `lines ${at + 1} and ${other + 1} exchanged`;
    },
    () => {
      lines.length = at;
      return `cut off before line ${at + 1}`;
    },
    () => {
      lines[at] = line.replace(/\d(?=\D)/, (digit) => String((Number(digit) + 1) % 10));
      return `a figure of line ${at + 1}`;
    },
  ];
  const what = random.pick(changes)();
  const covers = random.chance(0.5);
  const changed = covers ? coverEnd(lines) : lines;
  return { text: changed.map((each) => `${each}\n`).join(""), what: `${what}${covers ? ", the end made to fit" : ""}` };
}

/** The hash of the whole can be counted by anybody. */
function coverEnd(lines: readonly string[]): string[] {
  const body = lines.filter((line) => !line.includes('"type":"end"'));
  const sha256 = createHash("sha256")
    .update(body.map((line) => `${line}\n`).join(""))
    .digest("hex");
  const count = (type: string): number => body.filter((line) => line.includes(`"type":"${type}"`)).length;
  const end = {
    checkpoints: count("checkpoint"),
    entries: count("entry"),
    key: null,
    register: count("register"),
    runs: count("run"),
    sha256,
    signature: null,
    type: "end",
  };
  return [...body, JSON.stringify(end)];
}
