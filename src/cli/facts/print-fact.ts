import { type Citation, type Fact, printPlace } from "../../runtime/operations/search-knowledge.ts";
import type { FactRecord, Freshness, ShownFact, FactItem } from "../../runtime/operations/show-fact.ts";
import { defuseLines, defuseLogCommands, printable } from "../../shared/printable.ts";
import { paint } from "../paint.ts";
import type { Engine } from "../../runtime/engine.ts";
import type { AppError } from "../../shared/app-error.ts";
import type { Invocation } from "../command.ts";
import { usage } from "../parse-arguments.ts";
import type { Terminal } from "../terminal.ts";

/** A fact as `--json` prints it; docs/guide/7-knowledge.md describes it. */
export function factRecord({ isBlocking, citation, ...fact }: Fact): object {
  const { id, kind, status, text, detail, severity, answer, tags, files, witnesses, opposes, helped } = fact;
  const { unconfirmedPlace = null } = fact;
  return {
    id,
    kind,
    status,
    text,
    detail,
    severity,
    blocking: isBlocking,
    answer,
    tags,
    files,
    citation: placeRecord(citation),
    unconfirmed_place: unconfirmedPlace,
    witnesses,
    opposes,
    helped,
  };
}

/** Where it is; what stood there is left to the store. */
export function placeRecord(citation: Citation | null): object | null {
  return citation === null ? null : { path: citation.path, lines: citation.lines, commit: citation.commit };
}

/** Two lines: what it says, and where it comes from. */
export function printFound({ fact, standing }: FactItem, colour: boolean): string {
  const { id, text, severity, tags, witnesses } = fact;
  const mark = severity === null ? "" : `[${severity}] `;
  const first = witnesses[0];
  const from = first === undefined ? [] : [`${first.task} by ${first.agent}`];
  const others = witnesses.length > 1 ? [`${witnesses.length} sources`] : [];
  const notes = [...from, ...others, ...placeOf(fact.citation), ...(tags.length === 0 ? [] : [tags.join(" ")])];
  const head = `${paint(printable(id), "plain", colour)}  ${paint(standing, toneOf(standing), colour)}`;
  return `${head}  ${defuseLogCommands(printable(mark + text))}\n    ${paint(defuseLogCommands(printable(notes.join("  ·  "))), "quiet", colour)}\n`;
}

function placeOf(citation: Citation | null): string[] {
  return citation === null ? [] : [printPlace(citation)];
}

function toneOf(standing: FactItem["standing"]): "good" | "warning" | "quiet" {
  return standing === "trusted" ? "good" : standing === "retired" ? "quiet" : "warning";
}

/** All that is known about it. */
export function printShown({ fact, freshness, standing, opposes, history }: ShownFact, colour: boolean): string {
  const { id, kind, text, detail, severity, isBlocking, answer, tags, files, citation, witnesses, helped } = fact;
  const { unconfirmedPlace } = fact;
  const line = (name: string, value: string): string[] =>
    value === "" ? [] : [`  ${paint(name.padEnd(9), "quiet", colour)} ${printable(value)}`];
  const head = `${paint(printable(id), "plain", colour)}  ${kind}  ${paint(standing, toneOf(standing), colour)}`;
  return defuseLines([
    head,
    `  ${printable(text)}`,
    ...line("detail", detail ?? ""),
    ...line("answer", answer ?? ""),
    ...line("severity", [severity ?? "", ...(isBlocking && answer === null ? ["blocking"] : [])].join(" ").trim()),
    ...line("tags", tags.join(", ")),
    ...line("files", files.join(", ")),
    ...line("cites", citation === null ? "" : `${printPlace(citation)}  (${describeFreshness(freshness)})`),
    ...line("names", unconfirmedPlace === undefined ? "" : `${unconfirmedPlace}  (not found when it was said)`),
    ...line("helped", `${helped} ${helped === 1 ? "step" : "steps"} that went well with it`),
    ...opposes.flatMap((other) => line("opposes", `${other.id} (${other.status}): ${other.text}`)),
    ...witnesses.flatMap(({ run, task, step, agent, handoff, at }) =>
      line(
        "said",
        `${printFactTime(at)}  ${task} by ${agent}, run ${run}, step ${step}, handoff ${handoff.slice(0, 8)}`,
      ),
    ),
    ...history.flatMap((record) => line("history", describeRecord(record))),
    "",
  ]);
}

export function describeFreshness(freshness: Freshness | null): string {
  switch (freshness?.is) {
    case "unchanged":
      return "unchanged";
    case "moved":
      return `moved to ${freshness.path}:${freshness.first}`;
    case "changed":
      return "changed since: not passed on until a person confirms it";
    case "gone":
      return "gone: not passed on until a person confirms it";
    case undefined:
      return "not checked";
  }
}

function describeRecord({ at, by, what, why, other, before }: FactRecord): string {
  const with_ = other === null ? "" : ` with ${other}`;
  const was =
    before === null
      ? ""
      : `, was ${Object.keys(before)
          .map((key) => shownBefore(key, before))
          .join(", ")}`;
  return `${printFactTime(at)}  ${what}${with_} by ${by}${why === null ? "" : `: ${why}`}${was}`;
}

/** Short values as they were; of long ones only that they were different. */
function shownBefore(key: string, before: NonNullable<FactRecord["before"]>): string {
  const value = (before as Readonly<Record<string, unknown>>)[key];
  const text = typeof value === "string" ? value : null;
  return text === null || text.length > 60 ? `another ${key}` : `${key} ${text}`;
}

export function printFactTime(at: number): string {
  return new Date(at).toISOString().replace("T", " ").slice(0, 19);
}

/** A subcommand of `baton knowledge`. */
export interface Subcommand {
  readonly name: string;
  /** After its name. */
  readonly usage: string;
  readonly about: string;
  /** Those of the command that mean something here. */
  readonly options: readonly string[];
  /** Whether it has something to write where there is no state yet. */
  readonly makesState?: boolean;
  /** The operands are those after its name. */
  run(invocation: Invocation, engine: Engine, terminal: Terminal): Promise<number>;
}

export const KNOWLEDGE = { name: "knowledge" } as const;

export function wrongUse(message: string, hint?: string): AppError {
  return usage(KNOWLEDGE, message, hint);
}

export function oneFact({ operands: [id, ...more] }: Invocation, name: string): string {
  if (id === undefined || more.length > 0) throw wrongUse(`baton knowledge ${name} takes the id of one fact.`);
  return id;
}
