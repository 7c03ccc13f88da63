/** Why a small text is invalid, and where. Positions count UTF-16 code units from its start. */
export interface PlacedProblem {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint: string;
}

/** Aborts a parse. The file that throws it also catches it. */
export class ParseRefusal extends Error implements PlacedProblem {
  readonly start: number;
  readonly end: number;
  readonly hint: string;

  constructor(start: number, end: number, message: string, hint: string) {
    super(message);
    this.start = start;
    this.end = end;
    this.hint = hint;
  }
}

/** The problem of a parse that was aborted; any other error is thrown again. */
export function refusedParse(error: unknown): PlacedProblem {
  if (!(error instanceof ParseRefusal)) throw error;
  const { start, end, message, hint } = error;
  return { start, end, message, hint };
}
