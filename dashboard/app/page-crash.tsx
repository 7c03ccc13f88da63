import { Button } from "@mantine/core";
import { Component, type ReactNode } from "react";
import { Problem } from "../components/states.tsx";

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
    if (this.state.error === null) return this.props.children;
    return (
      <>
        <Problem error={this.state.error} />
        <Button variant="default" size="xs" onClick={() => window.location.reload()}>
          Load the page again
        </Button>
      </>
    );
  }
}
