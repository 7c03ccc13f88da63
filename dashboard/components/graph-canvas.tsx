import "@xyflow/react/dist/base.css";
import "./graph-canvas.css";
import { Controls, type Edge, type Node, ReactFlow, type ReactFlowProps } from "@xyflow/react";
import type { ReactNode, Ref } from "react";

/** A drawn graph that can be moved and zoomed, and not changed. What is in it stands in a list below, too. */
export function GraphCanvas<N extends Node, E extends Edge = Edge>({
  boxRef,
  label,
  look,
  height,
  flow,
}: {
  readonly boxRef?: Ref<HTMLDivElement>;
  readonly label: string;
  readonly look: string;
  readonly height: number;
  /** Null until the place for it was measured. */
  readonly flow: (ReactFlowProps<N, E> & { readonly key: string }) | null;
}): ReactNode {
  return (
    <div ref={boxRef} className={`graph-canvas ${look}`} role="group" aria-label={label} style={{ height }}>
      {flow !== null && <Flow {...flow} key={flow.key} />}
    </div>
  );
}

function Flow<N extends Node, E extends Edge>(own: ReactFlowProps<N, E>): ReactNode {
  return (
    <ReactFlow<N, E>
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      zoomOnScroll={false}
      preventScrolling={false}
      proOptions={{ hideAttribution: true }}
      {...own}
    >
      <Controls showInteractive={false} position="bottom-right" orientation="horizontal" />
    </ReactFlow>
  );
}
