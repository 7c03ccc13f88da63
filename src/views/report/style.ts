/** The look of a report: the reader's own light or dark, and room for wide tables on narrow screens. */
export const STYLE = `
:root { color-scheme: light dark; --page: #ffffff; --text: #1c2430; --quiet: #5b6675; --rule: #d9dee5; --panel: #f5f7f9;
  --good: #1f7a4d; --bad: #b3261e; --warning: #8a5300; --first: #2f5fb3; --second: #a8591c; --idle: #9aa5b1; }
@media (prefers-color-scheme: dark) { :root { --page: #14181d; --text: #e6e9ed; --quiet: #a3adb8; --rule: #333b45;
  --panel: #1c2228; --good: #56c08d; --bad: #f2857d; --warning: #e0a64a; --first: #82aaf0; --second: #e39a5f;
  --idle: #66717d; } }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.status { font-size: .9rem; font-weight: 600; padding: .15rem .6rem; border: 1px solid; border-radius: 1rem; white-space: nowrap; }
.status.good { color: var(--good); } .status.bad { color: var(--bad); }
.status.warning { color: var(--warning); } .status.plain { color: var(--first); }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11rem, 45%), 1fr)); gap: .5rem; margin: 1rem 0; }
dl div { background: var(--panel); border-radius: .5rem; padding: .5rem .75rem; }
dt { color: var(--quiet); font-size: .8rem; } dd { margin: 0; overflow-wrap: anywhere; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem; }
figure { margin: 0; max-width: 46rem; background: var(--panel); border-radius: .5rem; padding: .75rem; }
figcaption { font-size: .85rem; color: var(--quiet); } svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--quiet); font: 11px system-ui, sans-serif; } .grid { stroke: var(--rule); fill: none; }
rect.good, circle.good { fill: var(--good); } rect.bad, circle.bad { fill: var(--bad); }
rect.first, circle.first { fill: var(--first); } rect.second, circle.second { fill: var(--second); }
rect.quiet, circle.quiet { fill: var(--idle); } .line { fill: none; stroke-width: 2; }
.line.first { stroke: var(--first); } .line.second { stroke: var(--second); } .line.bad { stroke: var(--bad); }
.line.good { stroke: var(--good); } .line.quiet { stroke: var(--idle); }
.key { margin-left: .75rem; white-space: nowrap; }
.key i { display: inline-block; width: .7em; height: .7em; border-radius: 2px; margin-right: .3em; }
.key .good { background: var(--good); } .key .bad { background: var(--bad); } .key .quiet { background: var(--idle); }
.key .first { background: var(--first); } .key .second { background: var(--second); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; margin: .75rem 0; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { color: var(--quiet); font-weight: 600; white-space: nowrap; } td { overflow-wrap: break-word; max-width: 32rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; white-space: nowrap; }
td.hash { overflow-wrap: anywhere; min-width: 11rem; width: 17rem; font: .8rem/1.4 ui-monospace, monospace; }
.said { white-space: pre-wrap; unicode-bidi: isolate; } li { overflow-wrap: anywhere; }
@media (max-width: 40rem) { td:not(.number, .hash) { min-width: 6rem; } td.hash { min-width: 17rem; } th { white-space: normal; } }
footer { margin-top: 2.5rem; color: var(--quiet); font-size: .8rem; overflow-wrap: anywhere; }
`;
