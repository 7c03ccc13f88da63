import { AUDIT } from "./audit-forged.ts";
import type { Cheat } from "./cheat.ts";
import { FIGURES } from "./figures.ts";
import { FIXES } from "./fixes.ts";
import { REPORTS, RULES } from "./gate-forged.ts";
import { HISTORIES } from "./history-forged.ts";
import { KNOWLEDGE } from "./knowledge-forged.ts";
import { LISTS } from "./lists.ts";
import { PEOPLE } from "./people.ts";
import { SECRETS } from "./secrets-leaked.ts";
import { TESTS } from "./tests-weakened.ts";

/** What each row of the README does, by its id. */
export const CHEATS: Readonly<Record<string, Cheat>> = {
  ...TESTS,
  ...REPORTS,
  ...RULES,
  ...HISTORIES,
  ...LISTS,
  ...FIXES,
  ...FIGURES,
  ...PEOPLE,
  ...AUDIT,
  ...KNOWLEDGE,
  ...SECRETS,
};
