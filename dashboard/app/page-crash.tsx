import { Button } from "@mantine/core";
import { Component, type ReactNode, useEffect, useRef } from "react";
import { PageHead } from "../components/panel.tsx";
import { PartMissing } from "../components/part.ts";
import { Problem } from "../components/states.tsx";
import { useLineState } from "../data/live.tsx";

interface Crash {
  readonly error: unknown;
}

/** A page that breaks leaves the others standing. */
export class PageCrash extends Component<{ readonly children: ReactNode }, Crash> {
  override state: Crash = { error: null };

  static getDerivedStateFromError(error: unknown): Crash {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <>
        <PageHead title="This page cannot be shown" />
        <Problem error={error} />
        <Button variant="default" size="xs" onClick={() => window.location.reload()}>
          Load the page again
        </Button>
        {error instanceof PartMissing && <LoadOnceItIsBack />}
      </>
    );
  }
}

/** The server was away, and answers again. */
function LoadOnceItIsBack(): ReactNode {
  const state = useLineState();
  const wasAway = useRef(false);
  useEffect(() => {
    if (state !== "live") wasAway.current = true;
    else if (wasAway.current) window.location.reload();
  }, [state]);
  return null;
}
