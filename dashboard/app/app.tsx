import { createTheme, MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ServerError } from "../data/ask-server.ts";
import { LiveProvider } from "../data/live.tsx";
import { Routes } from "./routes.tsx";
import { Shell } from "./shell.tsx";

const theme = createTheme({ respectReducedMotion: true, cursorType: "pointer" });

/** Mantine writes no style elements of its own: the Content-Security-Policy allows none, and `tokens.css` has them. */
export function App({ client }: { readonly client: QueryClient }): ReactNode {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={client}>
        <LiveProvider>
          <Shell>
            <Routes />
          </Shell>
        </LiveProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Live updates tell what is stale, so nothing gets stale by itself. */
export function makeClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < 2 && !isFinal(error),
      },
    },
  });
}

/** Asking again would bring the same answer. */
function isFinal(error: unknown): boolean {
  return error instanceof ServerError && error.status !== null && error.status < 500 && error.status !== 429;
}
