import { claimedPath } from "../claimed-path.ts";
import { readPlace } from "../claims/read-range.ts";
import type { LedgerSight } from "../sightings.ts";

/** The issues of a run by id and by file. */
export class LedgerIndex {
  readonly #byId = new Map<string, LedgerSight>();
  readonly #byFile = new Map<string, LedgerSight>();
  /** A check that failed is an issue, too, and says no place. */
  readonly hasSomeWithoutFile: boolean;

  constructor(issues: readonly LedgerSight[]) {
    this.hasSomeWithoutFile = issues.some(({ location }) => location === null || fileOf(location) === null);
    for (const issue of issues) {
      this.#byId.set(issue.id, issue);
      // Where agents use one id for two things, the ledger adds the agent's name to it.
      const at = issue.id.lastIndexOf("@");
      const plain = at > 0 ? issue.id.slice(0, at) : issue.id;
      if (!this.#byId.has(plain)) this.#byId.set(plain, issue);
      const file = issue.location === null ? null : fileOf(issue.location);
      if (file !== null && this.#byFile.get(file)?.isBlocking !== true) this.#byFile.set(file, issue);
    }
  }

  find(id: string): LedgerSight | undefined {
    return this.#byId.get(id);
  }

  /** One that blocks, if any does. */
  inFile(path: string): LedgerSight | undefined {
    return this.#byFile.get(path);
  }
}

function fileOf(location: string): string | null {
  const claimed = claimedPath(readPlace(location).path);
  return claimed.isSafe ? claimed.path : null;
}
