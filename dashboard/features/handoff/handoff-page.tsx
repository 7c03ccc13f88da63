import "./handoff.css";
import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { Link } from "wouter";
import type { Diagnostic, HandoffPage as HandoffAnswer } from "../../../src/api/answers.ts";
import { useAddressWords } from "../../components/address.ts";
import { links } from "../../components/links.ts";
import { PageHead } from "../../components/panel.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { TextView } from "../../components/text-view.tsx";
import { useTitle } from "../../components/title.ts";
import { ValueTree } from "../../components/value-tree.tsx";
import { handoffQuery } from "../../data/queries.ts";
import { Claims } from "./claims.tsx";
import { Conversion } from "./conversion.tsx";
import { HandoffHead } from "./handoff-head.tsx";

/** One handoff: as it was written, read, judged, converted and compared. */
export function HandoffPage({ run, attempt }: { readonly run: string; readonly attempt: string }): ReactNode {
  const query = useQuery(handoffQuery(run, attempt));
  useTitle(`Handoff ${attempt}`);
  return (
    <>
      {query.data === undefined && <PageHead above={<Trail run={run} />} title={`Handoff ${attempt}`} />}
      <Answer of={query} what="the handoff">
        {(page) => (
          <div className="stack">
            <HandoffHead page={page} />
            <HandoffTabs page={page} />
          </div>
        )}
      </Answer>
    </>
  );
}

function Trail({ run }: { readonly run: string }): ReactNode {
  return (
    <>
      <Link href={links.runs}>Runs</Link> / <Link href={links.run(run)}>{run}</Link>
    </>
  );
}

function HandoffTabs({ page }: { readonly page: HandoffAnswer }): ReactNode {
  const [words, change] = useAddressWords();
  const tabs = [
    {
      value: "source",
      word: sourceWord(page),
      content: () => <Source page={page} line={Number(words.get("line") ?? 0)} />,
    },
    { value: "claims", word: `Claims (${page.claims.length})`, content: () => <Claims page={page} /> },
    { value: "canonical", word: "Canonical", content: () => <Canonical page={page} at={words.get("at") ?? ""} /> },
    { value: "convert", word: "Convert", content: () => <Conversion page={page} /> },
    { value: "changes", word: "Changes", content: () => <Changes page={page} /> },
  ];
  const shown = tabs.find(({ value }) => value === words.get("view")) ?? tabs[0];
  return (
    <section className="panel" aria-label="Views of the handoff">
      <Tabs
        value={shown?.value ?? "source"}
        onChange={(view) =>
          change({ view: view === null || view === "source" ? "" : view, at: "", claim: "", line: "" })
        }
        keepMounted={false}
      >
        <Tabs.List>
          {tabs.map(({ value, word }) => (
            <Tabs.Tab key={value} value={value}>
              {word}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ value, content }) => (
          <Tabs.Panel key={value} value={value} className="handoff__panel">
            {value === shown?.value && content()}
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  );
}

function sourceWord(page: HandoffAnswer): string {
  const count = notesOf(page).length;
  return count === 0 ? "Source" : `Source (${count} noted)`;
}

function Source({ page, line }: { readonly page: HandoffAnswer; readonly line: number }): ReactNode {
  const notes = useMemo(() => notesOf(page), [page]);
  const { source, attempt } = page;
  if (source === null) return <Empty title="The text was not kept">It was pruned, or never stored.</Empty>;
  return <TextView text={source} notes={notes} line={line} label={`Source of ${attempt}`} />;
}

/** What is wrong with the text, and what it says that is not true. */
function notesOf({ diagnostics, claims }: HandoffAnswer): readonly Diagnostic[] {
  const refuted = claims.flatMap(({ kind, says, evidence, verdict, range }): Diagnostic[] => {
    if (verdict !== "refuted" || range === null) return [];
    const message = `Not true: ${says} ${evidence}`;
    return [
      { code: "refuted-claim", rule: `claim/${kind}`, severity: "warning", message, range, hint: null, fix: null },
    ];
  });
  return [...diagnostics, ...refuted];
}

function Canonical({ page: { handoff }, at }: { readonly page: HandoffAnswer; readonly at: string }): ReactNode {
  if (handoff === null) {
    return <Empty title="The text could not be read as a handoff">The source shows what is wrong, in place.</Empty>;
  }
  return <ValueTree value={inReadingOrder(handoff)} at={at} />;
}

const FIRST = ["outcome", "status", "summary", "from", "to", "final", "at", "dialect", "task", "issue", "pull_request"];

/** It is stored by the alphabet; people ask first how it ended. */
function inReadingOrder(handoff: object): object {
  const entries = Object.entries(handoff);
  const first = FIRST.flatMap((name) => entries.filter(([key]) => key === name));
  return Object.fromEntries([...first, ...entries.filter(([key]) => !FIRST.includes(key))]);
}

function Changes({ page: { previous, attempt } }: { readonly page: HandoffAnswer }): ReactNode {
  if (previous === null) {
    return <Empty title="There is nothing to compare with">It is the first handoff of this agent in the task.</Empty>;
  }
  return (
    <>
      <p className="soft">
        Since <span className="mono">{previous.attempt}</span> of round {previous.iteration}
      </p>
      {previous.diff === "" ? (
        <Empty icon="check" title="Nothing changed" />
      ) : (
        <TextView text={previous.diff} look="diff" label={`Changes of ${attempt}`} />
      )}
    </>
  );
}
