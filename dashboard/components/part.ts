import { type ComponentType, lazy, type LazyExoticComponent } from "react";

/** The files of a part were not there when it was opened; the browser's own message for that does not help. */
export class PartMissing extends Error {
  override readonly name = "PartMissing";
  readonly hint =
    "The server does not answer, does not know this browser any more, or is another version by now. Load the page again; if that does not help, open the link that `baton serve` prints.";

  constructor() {
    super("This part of the page could not be loaded.");
  }
}

/** A part of the page that comes when it is opened. */
export function part<Props>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({
    default: await load().catch((): never => {
      throw new PartMissing();
    }),
  }));
}
