import { deflateRawSync, inflateRawSync } from "node:zlib";

/** A shorter text takes a page of the disk anyway, or a part of one; to pack it costs more than to write it. */
const FITS = 4_000;
const PLAIN = 0;
const PACKED = 1;

/** A text as it is kept: one byte that tells how, then its bytes. */
export function packText(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  const isShort = bytes.length <= FITS;
  return Buffer.concat([Buffer.of(isShort ? PLAIN : PACKED), isShort ? bytes : deflateRawSync(bytes, { level: 1 })]);
}

/** The text that was kept; null when the bytes are not ones that we wrote. */
export function unpackText(body: Uint8Array): string | null {
  const [how] = body;
  const rest = body.subarray(1);
  if (how === PLAIN) return Buffer.from(rest).toString("utf8");
  if (how !== PACKED) return null;
  try {
    return inflateRawSync(rest, { maxOutputLength: LARGEST }).toString("utf8");
  } catch {
    return null;
  }
}

/** Nothing larger is taken in; a file that was tampered with must not fill the memory. */
const LARGEST = 67_108_864;
