import { ActionIcon, type MantineColorScheme, useMantineColorScheme } from "@mantine/core";
import type { ReactNode } from "react";
import { Icon, type IconName } from "../components/icons.tsx";

const NEXT: Readonly<Record<MantineColorScheme, MantineColorScheme>> = { auto: "light", light: "dark", dark: "auto" };
const ICONS: Readonly<Record<MantineColorScheme, IconName>> = { auto: "screen", light: "sun", dark: "moon" };
const WORDS: Readonly<Record<MantineColorScheme, string>> = { auto: "as the system", light: "light", dark: "dark" };

export function ColorSchemeSwitch(): ReactNode {
  // To hold transitions back Mantine would write a style element, which the policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const label = `Colours: ${WORDS[colorScheme]}. Change to ${WORDS[NEXT[colorScheme]]}`;
  return (
    <ActionIcon variant="default" aria-label={label} title={label} onClick={() => setColorScheme(NEXT[colorScheme])}>
      <Icon name={ICONS[colorScheme]} />
    </ActionIcon>
  );
}
