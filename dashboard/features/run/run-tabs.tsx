import { Tabs } from "@mantine/core";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import type { RunPage } from "../../../src/api/answers.ts";
import { useAddressWords } from "../../components/address.ts";
import { IssueTable, TaskTable } from "./run-tables.tsx";
import { StepsView } from "./steps-view.tsx";
import { Timeline } from "./timeline.tsx";

/** The details of a run, each under a word of the address. */
export function RunTabs({ page }: { readonly page: RunPage }): ReactNode {
  const [words, change] = useAddressWords();
  const place = useShownWhenMeant(words);
  const { view, steps } = page;
  const tabs = [
    { value: "steps", word: `Steps (${steps.length})`, content: () => <StepsView page={page} /> },
    { value: "timeline", word: "Timeline", content: () => <Timeline run={view.run} /> },
    { value: "issues", word: `Issues (${view.issues.length})`, content: () => <IssueTable issues={view.issues} /> },
    { value: "tasks", word: `Tasks (${view.tasks.length})`, content: () => <TaskTable tasks={view.tasks} /> },
  ];
  const shown = tabs.find(({ value }) => value === words.get("tab")) ?? tabs[0];
  return (
    <section ref={place} className="panel run-details" aria-label="Details">
      <Tabs
        value={shown?.value ?? "steps"}
        onChange={(value) => change({ tab: value === null || value === "steps" ? "" : value })}
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
          <Tabs.Panel key={value} value={value}>
            {value === shown?.value && content()}
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  );
}

/** A link to a step or a tab leads there, not to the top of the page. */
function useShownWhenMeant(words: URLSearchParams): RefObject<HTMLElement | null> {
  const place = useRef<HTMLElement>(null);
  const first = useRef(words);
  useEffect(() => {
    const isMeant = ["tab", "step", "attempt", "show"].some((name) => first.current.has(name));
    if (isMeant) place.current?.scrollIntoView({ block: "start" });
  }, []);
  return place;
}
