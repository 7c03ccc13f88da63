import { ActionIcon, Button, Kbd } from "@mantine/core";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { navigate } from "wouter/use-browser-location";
import { Icon } from "../components/icons.tsx";
import { links } from "../components/links.ts";

const PLACES: Readonly<Record<string, { readonly href: string; readonly word: string }>> = {
  r: { href: links.runs, word: "Runs" },
  i: { href: links.inbox, word: "Inbox" },
  k: { href: links.knowledge, word: "Knowledge" },
  m: { href: links.metrics, word: "Metrics" },
  a: { href: links.audit, word: "Audit" },
};

/** After `g` the next key says where to. */
const WAIT_FOR_SECOND = 1_500;

export function Shortcuts(): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useShortcuts(dialog);
  return (
    <>
      <ActionIcon
        variant="default"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={() => dialog.current?.showModal()}
      >
        <Icon name="keyboard" />
      </ActionIcon>
      <dialog ref={dialog} className="dialog" aria-labelledby="shortcuts-title">
        <h2 id="shortcuts-title">Keyboard shortcuts</h2>
        <ShortcutList />
        <Button size="xs" variant="default" onClick={() => dialog.current?.close()}>
          Close
        </Button>
      </dialog>
    </>
  );
}

function ShortcutList(): ReactNode {
  const rows: readonly (readonly [readonly string[], string])[] = [
    ...Object.entries(PLACES).map(([key, { word }]) => [["g", key], `Go to ${word}`] as const),
    [["/"], "Search on this page"],
    [["?"], "Show this list"],
    [["Esc"], "Close"],
  ];
  return (
    <table className="plain-table">
      <thead className="visually-hidden">
        <tr>
          <th>Keys</th>
          <th>What they do</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([keys, word]) => (
          <tr key={word}>
            <td>
              {keys.map((key) => (
                <Kbd key={key} size="sm" mr={4}>
                  {key}
                </Kbd>
              ))}
            </td>
            <td>{word}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function useShortcuts(help: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    let goneAt = 0;
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const place = Date.now() - goneAt < WAIT_FOR_SECOND ? PLACES[event.key] : undefined;
      goneAt = event.key === "g" ? Date.now() : 0;
      if (place !== undefined) navigate(place.href);
      else if (event.key === "?") help.current?.showModal();
      else if (event.key === "/") focusSearch(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [help]);
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  if (field === null) return;
  event.preventDefault();
  field.focus();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, dialog[open]") !== null;
}
