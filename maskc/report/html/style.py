"""The look of the page: one style sheet, for light and dark, screen and paper."""

from __future__ import annotations

STYLE = """\
:root {
  color-scheme: light dark;
  --page: #ffffff; --panel: #f6f7f9; --ink: #1b2330; --dim: #56616f; --line: #dfe3e8;
  --accent: #1f6fb5; --tint: #e4eff9; --quiet: #b4bdc8;
  --step-0: #808b98; --step-1: #b35a13; --step-2: #b8860b;
  --step-3: #23845a; --step-4: #1f6fb5; --step-5: #7b3fa8; --warm: 31 111 181;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --panel: #1a2028; --ink: #e5e9ee; --dim: #9ca8b6; --line: #313a46;
    --accent: #6ab0ee; --tint: #1d3247; --quiet: #566373;
    --step-0: #93a0ae; --step-1: #e58f4a; --step-2: #e2c14d;
    --step-3: #52c48d; --step-4: #6ab0ee; --step-5: #c792ee; --warm: 106 176 238;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main { max-width: 1080px; margin: 0 auto; padding: 40px 28px 72px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 20px; margin: 52px 0 6px; padding-top: 14px; border-top: 1px solid var(--line); }
h3 { font-size: 15px; margin: 24px 0 6px; }
p { margin: 6px 0 12px; max-width: 78ch; }
.lead, .note, caption { color: var(--dim); }
.lead { font-size: 17px; margin-bottom: 26px; }
a { color: var(--accent); }
code, .chip, .mono, svg .mono {
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
code { font-size: 13px; overflow-wrap: anywhere; }
nav ul { display: flex; flex-wrap: wrap; gap: 4px 18px; list-style: none; padding: 0; margin: 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px;
  margin: 22px 0; padding: 0; }
.tiles > div { background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
  padding: 12px 16px; }
.tiles dt { color: var(--dim); font-size: 13px; }
.tiles dd { margin: 2px 0 0; font-size: 25px; font-weight: 600; line-height: 1.25;
  font-variant-numeric: tabular-nums; }
.tiles dd small { display: block; font-size: 13px; font-weight: 400; color: var(--dim); }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 22px;
  margin: 14px 0; }
.facts dt { color: var(--dim); }
.facts dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(360px, 1fr));
  gap: 8px 40px; align-items: start; }
.columns > * { min-width: 0; }
.scroll { overflow-x: auto; margin: 10px 0 18px; }
.scroll:focus-visible, summary:focus-visible, a:focus-visible {
  outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
caption { text-align: left; font-size: 13px; padding-bottom: 6px; }
th, td { text-align: left; padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line);
  vertical-align: top; font-variant-numeric: tabular-nums; }
thead th { font-size: 13px; color: var(--dim); border-bottom-color: var(--quiet); }
tbody th { font-weight: 500; }
td:last-child:not(.number) { min-width: 26ch; }
.columns td { min-width: 0; }
th.number, td.number { text-align: right; white-space: nowrap; padding: 5px 20px 5px 0; }
figure { margin: 16px 0 8px; overflow-x: auto; }
figcaption { font-weight: 600; margin-bottom: 4px; }
figcaption span { display: block; font-weight: 400; color: var(--dim); font-size: 13px; }
svg { display: block; font-size: 13px; fill: var(--ink); }
svg.fluid { width: 100%; min-width: 680px; height: auto; }
svg .dim { fill: var(--dim); }
svg .strong { font-weight: 600; }
svg .end { text-anchor: end; }
svg .middle { text-anchor: middle; }
svg .grid { stroke: var(--line); stroke-width: 1; fill: none; }
svg .axis { stroke: var(--quiet); stroke-width: 1; fill: none; }
svg .curve { fill: none; stroke-width: 2.25; stroke-linejoin: round; }
svg .stored { fill: var(--quiet); }
.rule figcaption { font-weight: 400; }
.rule { margin: 6px 0 14px; }
svg.railroad-diagram { font-size: 13px; }
svg.railroad-diagram path { stroke: var(--dim); stroke-width: 1.5; fill: none; }
svg.railroad-diagram rect { stroke: var(--quiet); stroke-width: 1; fill: var(--panel); }
svg.railroad-diagram .terminal rect { fill: var(--tint); stroke: var(--accent); }
svg.railroad-diagram text { text-anchor: middle; fill: var(--ink);
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.heat { line-height: 2; overflow-wrap: anywhere; max-width: none;
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.heat span { padding: 2px 0; margin-right: 1px; white-space: pre-wrap;
  border-bottom: 1px solid var(--line); }
.w1 { background: rgb(var(--warm) / 0.08); } .w2 { background: rgb(var(--warm) / 0.18); }
.w3 { background: rgb(var(--warm) / 0.3); } .w4 { background: rgb(var(--warm) / 0.42); }
.w5 { background: rgb(var(--warm) / 0.55); }
.token { display: inline-block; padding: 0 5px; margin: 0 3px 2px 0; white-space: pre;
  border: 1px solid var(--line); border-radius: 4px; background: var(--panel); }
ol.classes { list-style: none; padding: 0; margin: 12px 0; display: grid; gap: 10px; }
ol.classes > li { display: grid; grid-template-columns: 34px minmax(0, 1fr);
  align-items: baseline; }
ol.classes .dim { color: var(--dim); }
.chips { display: flex; flex-wrap: wrap; gap: 6px; list-style: none; padding: 0; margin: 0; }
.chip { display: inline-block; font-size: 13px; padding: 1px 8px; border-radius: 5px;
  border: 1px solid var(--line); background: var(--panel); overflow-wrap: anywhere; }
.chip small { color: var(--dim); font-size: 12px; }
.chip.open { border-style: dashed; border-color: var(--accent); }
.word { display: flex; flex-wrap: wrap; gap: 4px; align-items: baseline; }
details { margin: 10px 0; }
summary { cursor: pointer; color: var(--accent); }
footer { margin-top: 56px; color: var(--dim); font-size: 13px; }
@media (max-width: 640px) {
  main { padding: 24px 16px 48px; }
  .facts { grid-template-columns: minmax(0, 1fr); }
  .facts dd { margin-bottom: 6px; }
  .columns { grid-template-columns: minmax(0, 1fr); }
  th, td { padding-right: 10px; }
  #next td:last-child, #terminals td:last-child { min-width: 0; }
}
@media print {
  main { max-width: none; padding: 0; }
  h2, figure, tr { break-inside: avoid; }
}
"""
