/** Everything a command may touch of the world around it. */
export interface Terminal {
  /** Data. */
  out(text: string): void;
  /** Everything else. */
  note(text: string): void;
  /** Standard input, or its first `limit` + 1 bytes. */
  stdin(limit: number): Uint8Array;
  readonly colour: { readonly out: boolean; readonly notes: boolean };
  readonly columns: number;
  readonly version: string;
}
