import { useCallback, useMemo } from "react";
import { useSearch } from "wouter";
import { navigate } from "wouter/use-browser-location";

/** One word of the address that says what is shown, so that a link shows the same to everybody. */
export function useAddressWord(name: string): [string, (value: string) => void] {
  const [words, change] = useAddressWords();
  const set = useCallback((value: string) => change({ [name]: value }), [name, change]);
  return [words.get(name) ?? "", set];
}

/** Several at once; an empty one leaves the address. */
export function useAddressWords(): [URLSearchParams, (changes: Readonly<Record<string, string>>) => void] {
  const search = useSearch();
  const words = useMemo(() => new URLSearchParams(search), [search]);
  return [words, changeAddress];
}

function changeAddress(changes: Readonly<Record<string, string>>): void {
  const { pathname, search } = window.location;
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  navigate(text === "" ? pathname : `${pathname}?${text}`, { replace: true });
}
