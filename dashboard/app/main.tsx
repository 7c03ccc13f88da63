import "./styles.ts";
import { createRoot } from "react-dom/client";
import { App, makeClient } from "./app.tsx";
import { askAhead } from "./ask-ahead.ts";

const place = document.querySelector("#root");
if (place === null) throw new Error("The page has no #root.");
const client = makeClient();
askAhead(client, window.location.pathname);
createRoot(place).render(<App client={client} />);
