import { deflateRawSync, inflateRawSync } from "node:zlib";

/** Up to this size a text fits into one page, and compressing it takes longer than writing it. */
const FITS = 4_000;
const PLAIN = 0;
const PACKED = 1;

/** The stored form of a text: one byte for the encoding, then its bytes. */
export function packText(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  const isShort = bytes.length <= FITS;
  return Buffer.concat([Buffer.of(isShort ? PLAIN : PACKED), isShort ? bytes : deflateRawSync(bytes, { level: 1 })]);
}

/** The stored text; null when the bytes are damaged. */
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

/** No larger text is ever stored; a manipulated file must not fill the memory. */
const LARGEST = 67_108_864;
