import { TextInput } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { Icon } from "./icons.tsx";

/** Time after the last key before it is searched. */
const PAUSE = 250;

/** A search that stands in the address: what is typed goes there after a pause. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const [typed, setTyped] = useState(value);
  const [last, setLast] = useState(value);
  if (value !== last) {
    setLast(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => {
      setLast(typed);
      onChange(typed);
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <TextInput
      className="filters__search"
      type="search"
      size="sm"
      label={label}
      placeholder="Press / to search"
      leftSection={<Icon name="search" />}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
}
