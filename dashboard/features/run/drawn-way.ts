import type { GraphEdge } from "../../../src/api/answers.ts";

/** Where things are drawn, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export type Side = "straight" | "above" | "below";

export interface Known {
  readonly edge: GraphEdge;
  readonly from: Box;
  readonly to: Box;
  readonly side: Side;
}
