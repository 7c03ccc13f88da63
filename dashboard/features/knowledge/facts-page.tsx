import "./knowledge.css";
import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { useAddressWords } from "../../components/address.ts";
import { count } from "../../components/format.ts";
import { PageHead } from "../../components/panel.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { useTitle } from "../../components/title.ts";
import { factsQuery } from "../../data/queries.ts";
import { FactCard } from "./fact-card.tsx";
import { KINDS, STATUSES } from "./fact-words.ts";

const FILTERS = ["text", "type", "status", "tag", "file", "task"] as const;
const PAGE_SIZE = 100;

/** What was learned, and whether it still stands. */
export function FactsPage(): ReactNode {
  useTitle("Knowledge");
  const [words] = useAddressWords();
  const text = words.toString();
  const filter = useMemo(() => filterOf(new URLSearchParams(text)), [text]);
  const query = useQuery(factsQuery(filter));
  return (
    <>
      <PageHead title="Knowledge">
        <p className="soft facts__about">
          Facts out of handoffs. The next agents are given those that are trusted and whose source still stands;
          quarantined ones wait for a proof or for you.
        </p>
      </PageHead>
      <FactFilters filter={filter} />
      <Answer of={query} what="what is known">
        {({ facts }) => (
          <>
            <p className="soft facts__count" role="status">
              {facts.length >= Number(filter["limit"] ?? PAGE_SIZE) ? "The first " : ""}
              {count(facts.length)} {facts.length === 1 ? "fact" : "facts"}
            </p>
            {facts.length === 0 ? (
              <NoFacts isFiltered={text !== ""} />
            ) : (
              <ul className="facts">
                {facts.map((item) => (
                  <FactCard key={item.fact.id} item={item} />
                ))}
              </ul>
            )}
          </>
        )}
      </Answer>
    </>
  );
}

function filterOf(words: URLSearchParams): Record<string, string> {
  const given = FILTERS.flatMap((name) => {
    const value = words.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), limit: String(PAGE_SIZE) };
}

function FactFilters({ filter }: { readonly filter: Readonly<Record<string, string>> }): ReactNode {
  const [, change] = useAddressWords();
  const narrowed = (["tag", "file", "task"] as const).filter((name) => filter[name] !== undefined);
  return (
    <search className="facts__filters">
      <div className="filters">
        <SearchField label="Search" value={filter["text"] ?? ""} onChange={(text) => change({ text })} />
        <NativeSelect
          label="Kind"
          value={filter["type"] ?? ""}
          onChange={(event) => change({ type: event.currentTarget.value })}
          data={[{ value: "", label: "All kinds" }, ...KINDS.map((value) => ({ value, label: value }))]}
        />
        <NativeSelect
          label="Status"
          value={filter["status"] ?? ""}
          onChange={(event) => change({ status: event.currentTarget.value })}
          data={[{ value: "", label: "All but retired" }, ...STATUSES]}
        />
      </div>
      {narrowed.length > 0 && (
        <p className="facts__narrowed">
          {narrowed.map((name) => (
            <button key={name} type="button" className="chip chip--word" onClick={() => change({ [name]: "" })}>
              {name} {filter[name]} <span aria-hidden="true">×</span>
              <span className="visually-hidden">, take this filter away</span>
            </button>
          ))}
        </p>
      )}
    </search>
  );
}

function NoFacts({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  return (
    <div className="panel">
      {isFiltered ? (
        <Empty icon="search" title="No fact fits">
          Look for fewer words, or take a filter away.
        </Empty>
      ) : (
        <Empty icon="knowledge" title="Nothing was learned yet">
          Patterns, gotchas, decisions and open questions of accepted handoffs come here by themselves.
        </Empty>
      )}
    </div>
  );
}
