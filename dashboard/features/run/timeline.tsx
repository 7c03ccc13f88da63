import { Button, Checkbox } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useMemo, useRef, useState } from "react";
import type { EventItem } from "../../../src/api/answers.ts";
import { useAddressWords } from "../../components/address.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { TONE_LOOKS } from "../../components/badge.tsx";
import { clockTime, counted, dayOf, exactTime } from "../../components/format.ts";
import { Icon } from "../../components/icons.tsx";
import { Loading, Problem } from "../../components/states.tsx";
import { TextView } from "../../components/text-view.tsx";
import { useEvents } from "./use-events.ts";

/** Everything that happened, in words and as it is stored. */
export function Timeline({ run }: { readonly run: string }): ReactNode {
  const [words, change] = useAddressWords();
  const { query, events } = useEvents(run);
  const all = words.get("events") === "all";
  const newestFirst = words.get("order") !== "oldest";
  const shown = useMemo(() => {
    const told = all ? events : events.filter(({ text }) => text !== null);
    return newestFirst ? told.toReversed() : told;
  }, [events, all, newestFirst]);
  if (query.isPending) return <Loading what="the timeline" />;
  return (
    <>
      <div className="row steps__filter">
        <Checkbox
          size="xs"
          label="Newest first"
          checked={newestFirst}
          onChange={(event) => change({ order: event.currentTarget.checked ? "" : "oldest" })}
        />
        <Checkbox
          size="xs"
          label="Also what only the machine cares about"
          checked={all}
          onChange={(event) => change({ events: event.currentTarget.checked ? "all" : "" })}
        />
        <span className="soft" role="status">
          {counted(shown.length, "event")}
        </span>
        {query.hasNextPage && (
          <Button
            size="compact-xs"
            variant="default"
            loading={query.isFetching}
            onClick={() => void query.fetchNextPage()}
          >
            Load more
          </Button>
        )}
      </div>
      {query.error !== null && <Problem error={query.error} retry={() => void query.refetch()} />}
      <EventRows events={shown} />
    </>
  );
}

/** Of the list, above and below. */
const PADDING = 8;

function EventRows({ events }: { readonly events: readonly EventItem[] }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: events.length,
    getScrollElement: () => box.current,
    estimateSize: () => 29,
    overscan: 20,
    getItemKey: (index) => events[index]?.position ?? index,
  });
  const rows = virtual.getVirtualItems();
  return (
    <div className="timeline__box" ref={box} role="region" aria-label="Timeline" tabIndex={0}>
      <div style={{ height: virtual.getTotalSize() + PADDING, position: "relative" }}>
        <ol
          className="timeline"
          style={{ position: "absolute", inset: 0, bottom: "auto", transform: `translateY(${rows[0]?.start ?? 0}px)` }}
        >
          {rows.map(({ index, key }) => {
            const event = events[index];
            return event === undefined ? null : (
              <li
                key={key}
                data-index={index}
                ref={virtual.measureElement}
                aria-setsize={events.length}
                aria-posinset={index + 1}
              >
                <NewDay at={event.at} after={events[index - 1]?.at ?? Date.now()} />
                <EventRow event={event} />
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}

/** Times of another day look like those of this one. */
function NewDay({ at, after }: { readonly at: number; readonly after: number }): ReactNode {
  const day = dayOf(at);
  return day === dayOf(after) ? null : <p className="timeline__day">{day}</p>;
}

function EventRow({ event }: { readonly event: EventItem }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { meaning, icon, word } = TONE_LOOKS[event.tone];
  return (
    <div className={`timeline__one timeline__one--${event.tone}`}>
      <time className="timeline__time" dateTime={new Date(event.at).toISOString()} title={exactTime(event.at)}>
        {clockTime(event.at)}
      </time>
      <span className={`ink--${meaning}`} title={word}>
        <Icon name={icon} size={14} />
      </span>
      <div className="timeline__text">
        {event.text === null ? <span className="mono">{event.kind}</span> : <AgentText text={event.text} lines={3} />}
      </div>
      <button type="button" className="timeline__kind" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {event.kind} #{event.sequence}
      </button>
      {isOpen && (
        <div className="timeline__data">
          <EventData event={event} />
        </div>
      )}
    </div>
  );
}

function EventData({ event }: { readonly event: EventItem }): ReactNode {
  if (event.data === null) return <p className="soft">Its content was pruned.</p>;
  return <TextView text={JSON.stringify(event.data, null, 2)} label={`Event ${event.sequence}`} />;
}
