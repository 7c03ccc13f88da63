/** The part of commonmark.js (no types of its own) that serves as the reference reader of Markdown. */
declare module "commonmark" {
  export interface Node {
    readonly type: string;
    readonly level: number;
    readonly info: string | null;
    readonly literal: string | null;
    /** First and last place of a block, each as line and column from 1; inline nodes have none. */
    readonly sourcepos: readonly [readonly [number, number], readonly [number, number]] | undefined;
    readonly firstChild: Node | null;
    readonly next: Node | null;
    walker(): NodeWalker;
  }

  export interface NodeWalker {
    next(): { readonly entering: boolean; readonly node: Node } | null;
  }

  export class Parser {
    parse(text: string): Node;
  }
}
