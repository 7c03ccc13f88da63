import { ActionIcon } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { Icon } from "./icons.tsx";

/** Copies exactly what it is given. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): ReactNode {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={`Copy ${what}`}
        title={`Copy ${what}`}
        onClick={() =>
          void navigator.clipboard.writeText(text).then(
            () => setCopied(true),
            () => setCopied(false),
          )
        }
      >
        <Icon name={copied ? "check" : "copy"} size={14} />
      </ActionIcon>
      <span role="status" className="visually-hidden">
        {copied ? `${what} copied` : ""}
      </span>
    </>
  );
}
