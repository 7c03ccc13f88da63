import { NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";
import type { RunList, RunStatusWord } from "../../../src/api/answers.ts";
import { useAddressWords } from "../../components/address.ts";
import { RUN_LOOKS } from "../../components/badge.tsx";
import { count } from "../../components/format.ts";
import { Icon } from "../../components/icons.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { PERIODS } from "../../components/periods.ts";
import type { RunFilter } from "./use-runs.ts";

const STATUSES = Object.keys(RUN_LOOKS) as RunStatusWord[];

export function RunFilters({
  filter,
  list,
}: {
  readonly filter: RunFilter;
  readonly list: RunList | undefined;
}): ReactNode {
  const [, change] = useAddressWords();
  const workflows = list?.workflows ?? (filter.workflow === "" ? [] : [filter.workflow]);
  return (
    <search className="run-filters">
      <StatusFilter chosen={filter.status} counts={list?.counts} onChange={(status) => change({ status })} />
      <div className="filters">
        <SearchField label="Search" value={filter.text} onChange={(text) => change({ text })} />
        <NativeSelect
          label="Workflow"
          value={filter.workflow}
          onChange={(event) => change({ workflow: event.currentTarget.value })}
          data={[{ value: "", label: "All workflows" }, ...workflows.map((name) => ({ value: name, label: name }))]}
        />
        <NativeSelect
          label="Changed"
          value={filter.period}
          onChange={(event) => change({ period: event.currentTarget.value })}
          data={PERIODS.map(({ value, label }) => ({ value, label }))}
        />
      </div>
    </search>
  );
}

function StatusFilter({
  chosen,
  counts,
  onChange,
}: {
  readonly chosen: string;
  readonly counts: RunList["counts"] | undefined;
  readonly onChange: (chosen: string) => void;
}): ReactNode {
  const words = new Set(chosen.split(",").filter((word) => word !== ""));
  const toggle = (status: string): void => {
    const next = new Set(words);
    if (!next.delete(status)) next.add(status);
    onChange(STATUSES.filter((word) => next.has(word)).join(","));
  };
  return (
    <div className="status-filter" role="group" aria-label="Status">
      {STATUSES.map((status) => {
        const { meaning, icon, word } = RUN_LOOKS[status];
        return (
          <button
            key={status}
            type="button"
            className={`status-filter__one ink--${meaning}`}
            aria-pressed={words.has(status)}
            onClick={() => toggle(status)}
          >
            <Icon name={icon} />
            <span className="status-filter__word">{word}</span>
            <span className="status-filter__count">{counts === undefined ? "…" : count(counts[status])}</span>
          </button>
        );
      })}
    </div>
  );
}
