import type { ReactNode } from "react";

/** Strokes on a grid of 16; the word beside an icon says the same, so none of them is read out. */
const PATHS = {
  runs: "M2.5 4h11M2.5 8h11M2.5 12h7",
  inbox: "M2.5 9.5 4 3.5h8l1.5 6v3h-11zM2.5 9.5h3.2l.8 1.5h3l.8-1.5h3.2",
  knowledge: "M3 3.5h4a1.5 1.5 0 0 1 1 .5 1.5 1.5 0 0 1 1-.5h4v9H9.5L8 13.5 6.5 12.5H3zM8 4v9",
  metrics: "M2.5 13.5h11M4.5 11V8M8 11V3.5M11.5 11V6",
  audit: "M8 2 13 4v4c0 3-2 5-5 6-3-1-5-3-5-6V4zM5.8 8l1.6 1.6L10.4 6.6",
  play: "M5 3.5v9l7.5-4.5z",
  eye: "M1.8 8C3.300 5.200 5.400 3.800 8 3.800s4.700 1.400 6.200 4.200c-1.500 2.800-3.600 4.200-6.200 4.200S3.300 10.800 1.800 8zM8 6.200a1.800 1.800 0 1 0 0 3.600 1.800 1.800 0 0 0 0-3.600z",
  person: "M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8zM3 13.5c.5-2.7 2.4-4 5-4s4.5 1.3 5 4",
  hourglass:
    "M4.5 2.500h7M4.5 13.500h7M5 2.500c0 3 3 3.5 3 5.500s-3 2.5-3 5.500M11 2.500c0 3-3 3.5-3 5.500s3 2.5 3 5.5",
  check: "M3 8.500l3.2 3.200L13 4.8",
  cross: "M4 4l8 8M12 4l-8 8",
  stop: "M8 2.500a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM4.2 4.200l7.6 7.6",
  warning: "M8 2.5 14 13H2zM8 6.500v3M8 11.200v.3",
  question:
    "M8 2.500a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM6.3 6.500c.1-2.3 3.5-2.2 3.4 0 0 1.3-1.7 1.3-1.7 2.500M8 11v.3",
  info: "M8 2.500a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 7.300v3.400M8 5.200v.3",
  dot: "M8 6.500a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z",
  circle: "M8 3.500a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z",
  loop: "M12.5 6.500A4.8 4.8 0 0 0 3.5 6M3.5 9.500a4.8 4.8 0 0 0 9 .5M12.7 3.500v3h-3M3.3 12.500v-3h3",
  sun: "M8 5.300a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.400zM8 1.500v1.300M8 13.200v1.300M1.5 8h1.300M13.2 8h1.300M3.4 3.400l.9.9M11.7 11.700l.9.9M12.6 3.400l-.9.9M4.3 11.700l-.9.9",
  moon: "M13 9.500A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.500z",
  screen: "M2.5 3.500h11v7.500h-11zM6 13.500h4",
  keyboard: "M1.5 4.500h13v7h-13zM4 7h.1M6.6 7h.1M9.2 7h.1M11.8 7h.1M5 9.300h6",
  search: "M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM10 10l3.5 3.5",
  copy: "M5.5 5.500h7v8h-7zM3.5 10.500v-8h7",
  download: "M8 2.500v7.500M4.8 7 8 10.2 11.2 7M3 13.500h10",
  arrow: "M3 8h10M9 4l4 4-4 4",
  back: "M13 8H3M7 4 3 8l4 4",
  line: "M2.5 8h2.500l2-4.5 2.5 9 2-4.500h2",
  cut: "M2.5 8h4M9.5 8h4M7 5l2 6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): ReactNode {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
