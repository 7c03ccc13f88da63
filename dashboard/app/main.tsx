import "./styles.ts";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

const place = document.querySelector("#root");
if (place === null) throw new Error("The page has no #root.");
createRoot(place).render(<App />);
