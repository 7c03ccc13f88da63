/** `knowledge_graph.json` (003). */
export interface GraphFile {
  readonly version: 1;
  readonly last_updated: string;
  readonly nodes: readonly GraphNode[];
  /** Ids of the nodes that have a tag. */
  readonly tag_index: Readonly<Record<string, readonly string[]>>;
}

export interface GraphNode {
  readonly id: string;
  readonly type: GraphNodeType;
  readonly tags: readonly string[];
  /** At most 100 characters. */
  readonly summary: string;
  /** A date. */
  readonly created: string;
  readonly file?: string;
  readonly connections?: readonly string[];
}

export const GRAPH_NODE_TYPES = ["task", "decision", "pattern", "gotcha", "insight"] as const;
export type GraphNodeType = (typeof GRAPH_NODE_TYPES)[number];

export const LONGEST_SUMMARY = 100;

/** A task as both sides of the file know it. */
export interface GraphTask {
  readonly run: string;
  readonly id: string;
  readonly name: string;
  readonly dependsOn: readonly string[];
  readonly at: number;
}
