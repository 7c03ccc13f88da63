import { canonicalJson, FIRST_HASH, hashOfText } from "../../audit/hash-chain.ts";
import { isSignedBy } from "../../audit/signature.ts";
import type { KnowledgeCheck, KnowledgeHead } from "../../ports/knowledge-store.ts";
import type { NoSigner, Signer } from "../../ports/log-signer.ts";
import { isRecord, type JsonValue } from "../../shared/json-value.ts";
import { columnOrNull, integerOf, type Row, textColumn } from "../sqlite/rows.ts";

/** A row before and after a change, by the hash of its text; null where it was not there. */
export interface SealedChange {
  readonly key: string;
  readonly before: string | null;
  readonly after: string | null;
}

interface Seal {
  readonly number: number;
  /** `digestOfSeal` of the one before. */
  readonly previous: string;
  /** Everything that there is, instead of changes: what was sealed before does not count any more. */
  readonly isWhole: boolean;
  readonly changes: readonly SealedChange[];
  readonly key: string | null;
}

export interface KeptSeal {
  readonly number: number;
  readonly body: string;
  readonly signature: string | null;
}

/** The seal that follows the last one. */
export function sealAfter(
  last: KnowledgeHead | null,
  { isWhole, changes }: Pick<Seal, "isWhole" | "changes">,
  signer: Signer | NoSigner,
): KeptSeal {
  const number = (last?.number ?? 0) + 1;
  const previous = last?.digest ?? FIRST_HASH;
  const key = "why" in signer ? null : signer.publicKey;
  const listed = changes.map(({ key: row, before, after }) => [row, before, after]);
  const body = canonicalJson({ number, previous, isWhole, changes: listed, key });
  return { number, body, signature: "why" in signer ? null : signer.sign(signedText(body)) };
}

export function headOfSeal(seal: KeptSeal): KnowledgeHead {
  return { number: seal.number, digest: digestOfSeal(seal) };
}

function signedText(body: string): string {
  return `baton knowledge\n${body}`;
}

function digestOfSeal({ body, signature }: KeptSeal): string {
  return hashOfText(JSON.stringify([body, signature]));
}

export function sealOf(row: Row): KeptSeal {
  return {
    number: integerOf(row, "number"),
    body: textColumn(row, "body"),
    signature: columnOrNull(textColumn, row, "signature"),
  };
}

function readSeal({ number, body }: KeptSeal): Seal | null {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return null;
  }
  if (!isRecord(value) || value["number"] !== number || !Array.isArray(value["changes"])) return null;
  const { previous, isWhole, key = null } = value;
  if (typeof previous !== "string" || typeof isWhole !== "boolean" || !isTextOrNull(key)) return null;
  return { number, previous, isWhole, changes: value["changes"].flatMap(changeIn), key };
}

function changeIn(value: JsonValue): SealedChange[] {
  const [key, before, after] = Array.isArray(value) ? value : [];
  return typeof key === "string" && isTextOrNull(before) && isTextOrNull(after) ? [{ key, before, after }] : [];
}

function isTextOrNull(value: JsonValue | undefined): value is string | null {
  return value === null || typeof value === "string";
}

/** Reads the seals in their order, and compares them with each other, their signatures and what was remembered. */
export class SealWalk {
  readonly #keys: ReadonlySet<string>;
  readonly #seen: KnowledgeHead | null;
  readonly #problems: string[] = [];
  readonly #altered = new Set<string>();
  #rows = new Map<string, string>();
  #last: KnowledgeHead = { number: 0, digest: FIRST_HASH };
  #hasSeen: boolean;
  #signed = 0;

  constructor(keys: readonly string[], seen: KnowledgeHead | null) {
    this.#keys = new Set(keys);
    this.#seen = seen;
    this.#hasSeen = seen === null;
  }

  take(kept: KeptSeal): void {
    const seal = readSeal(kept);
    if (seal === null || kept.number !== this.#last.number + 1 || seal.previous !== this.#last.digest)
      this.#problems.push(`seal ${kept.number} of the knowledge does not continue the one before`);
    if (seal !== null) {
      const isSigned = this.#isSigned(seal, kept);
      if (seal.isWhole) this.#beginAgain(isSigned);
      for (const change of seal.changes) this.#apply(change);
    }
    this.#last = { number: kept.number, digest: digestOfSeal(kept) };
    this.#hasSeen ||= this.#seen?.number === kept.number && this.#seen.digest === this.#last.digest;
  }

  /** With its signature, Baton or its operator has vouched for everything that there was. */
  #beginAgain(isSigned: boolean): void {
    this.#rows = new Map();
    if (!isSigned) return;
    this.#problems.length = 0;
    this.#altered.clear();
  }

  #isSigned({ key, number }: Seal, { body, signature }: KeptSeal): boolean {
    if (key !== null && signature !== null && this.#keys.has(key) && isSignedBy(key, signedText(body), signature)) {
      this.#signed++;
      return true;
    }
    if (key !== null || signature !== null || this.#signed > 0)
      this.#problems.push(`seal ${number} of the knowledge is not signed by a key that is known here`);
    return false;
  }

  #apply({ key, before, after }: SealedChange): void {
    if ((this.#rows.get(key) ?? null) !== before) this.#altered.add(key);
    if (after === null) this.#rows.delete(key);
    else this.#rows.set(key, after);
  }

  /** Every row by the hash of its text, and the keys of rows that are known to be changed without Baton. */
  compare(rows: ReadonlyMap<string, string>, foreign: ReadonlySet<string>): KnowledgeCheck {
    if (!this.#hasSeen)
      this.#problems.push("the knowledge no longer has what was last sealed here: an older copy, or another one");
    for (const [key, hash] of rows) if (this.#rows.get(key) !== hash) this.#altered.add(key);
    for (const key of this.#rows.keys()) if (!rows.has(key)) this.#altered.add(key);
    for (const key of foreign) this.#altered.add(key);
    return { problems: this.#problems, altered: [...this.#altered], isSigned: this.#signed > 0, head: this.#last };
  }
}
