import type { KnownKey, SeenHead } from "../ports/notary.ts";
import type { ChainHead } from "./hash-chain.ts";

/** Who and what is believed by whoever verifies. */
export interface Trust {
  readonly keys: readonly KnownKey[];
  readonly seen: readonly SeenHead[];
  /** A head that was kept elsewhere. */
  readonly head?: ChainHead;
}
