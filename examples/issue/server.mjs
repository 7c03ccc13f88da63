// The till as a page, on the port that it is told.
import { createServer } from "node:http";
import { format } from "./src/money.mjs";
import { line } from "./src/receipt.mjs";

createServer((_request, response) => response.end(`${line("Bread", format(210))}\n`)).listen(
  Number(process.env.PORT),
  "127.0.0.1",
);
