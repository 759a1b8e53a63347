import { createHash } from 'node:crypto';
import type { BrandColors } from '@billing/kernel/brand-colors';

// Rules of pages that consist of texts and fields.
const plain = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #ffffff; --ink: #16181d; --faint: #5b6270; --line: #dcdfe5; --field: #8a909c;
  --bad: #b3261e; --bad-back: #fdecea; --note-back: #fff6d9; --note-ink: #5c4500;
  --good: #1b6e3c;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #111317; --card: #1b1e24; --ink: #eceef2; --faint: #a3aab8; --line: #343a45; --field: #7b8391;
    --bad: #ffb4ab; --bad-back: #3a1a18; --note-back: #35300f; --note-ink: #ffe9a3;
    --good: #7fd6a0;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--ink); overflow-wrap: anywhere; }
.note { margin: 0; padding: .5rem 1rem; background: var(--note-back); color: var(--note-ink); text-align: center; font-size: .875rem; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 2.5rem; display: grid; gap: 1.5rem; }
.narrow { max-width: 34rem; }
.visit { max-width: 42rem; }
header { max-width: 42rem; margin: 0 auto; padding: 1rem 1rem 0; }
body:has(main.two) header { max-width: 60rem; }
.seller { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: 0; font-weight: 600; }
.seller .logo { margin: 0; }
.narrow-head { max-width: 34rem; }
footer { max-width: 42rem; margin: 0 auto; padding: 0 1rem 2rem; color: var(--faint); font-size: .875rem; text-align: center; }
footer p { margin: 0 0 .5rem; }
footer a { margin: 0 .375rem; white-space: nowrap; }
@media (pointer: coarse) { footer a { display: inline-block; padding: .25rem 0; } }
.fields { gap: 1rem; }
.fields legend { margin-bottom: .5rem; font-size: 1.125rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.5rem; min-width: 0; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.125rem; margin: 0 0 1rem; }
p { margin: 0 0 .75rem; }
p:last-child { margin-bottom: 0; }
a { color: var(--link); }
.faint, .hint { color: var(--faint); font-size: .875rem; }
.description { white-space: pre-line; }
.logo { display: block; max-width: 100%; max-height: 4rem; margin: 0 0 1rem; background: #fff; }
form { display: grid; gap: 1rem; }
fieldset { border: 0; margin: 0; padding: 0; display: grid; gap: .5rem; min-width: 0; }
legend { padding: 0; margin-bottom: .25rem; font-weight: 600; }
.field { display: grid; gap: .25rem; align-content: start; min-width: 0; }
label { font-weight: 600; }
input:not([type=radio], [type=checkbox]), select { width: 100%; font: inherit; padding: .6rem .75rem; color: inherit; background: var(--card); border: 1px solid var(--field); border-radius: .5rem; }
input[aria-invalid=true], select[aria-invalid=true] { border-color: var(--bad); border-width: 2px; }
.choice { display: flex; gap: .75rem; align-items: flex-start; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; font-weight: 400; }
.choice:has(:checked) { border-color: var(--link); }
.choice input { margin: .3rem 0 0; accent-color: var(--link); }
.choice strong, .choice span { display: block; }
button, .button { display: inline-block; width: 100%; font: inherit; font-weight: 650; padding: .75rem 1rem; border-radius: .5rem; border: 1px solid var(--link); background: var(--accent); color: var(--on-accent); text-align: center; text-decoration: none; cursor: pointer; }
button.quiet, .button.quiet { background: transparent; color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.problem { margin: 0 0 1rem; border: 1px solid var(--bad); background: var(--bad-back); border-radius: .5rem; padding: .75rem 1rem; }
.problem h2 { font-size: 1rem; margin: 0; color: var(--bad); }
.problem ul:not(.rows) { margin: .25rem 0 0; padding-left: 1.25rem; }
main > .problem { margin: 0; padding: 1rem 1.5rem; }
h1 + .problem, h1 + .done { margin-top: .75rem; }
.problem a:not(.button) { color: inherit; }
.error { color: var(--bad); font-size: .875rem; }
.aside { margin-top: 1rem; text-align: center; }
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #000; --faint: #444; --line: #bbb; --good: #000; --bad: #000; }
  .unprinted, .note { display: none; }
  main, main.two { display: block; max-width: none; padding: 0; }
  section { border: 0; padding: 0; margin-bottom: 1.5rem; }
  tr { break-inside: avoid; }
}
`;

// Rules of documents, payments and the portal.
const rest = `
.price { font-size: 2rem; font-weight: 650; line-height: 1.2; margin: .25rem 0 .75rem; }
.price .faint { font-weight: 400; }
.rates { margin: 0 0 .75rem; padding-left: 1.25rem; }
table { width: 100%; border-collapse: collapse; margin-top: 1rem; }
caption { text-align: left; }
th, td { padding: .5rem 0 .5rem .75rem; text-align: right; vertical-align: top; font-weight: inherit; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th:first-child, td:first-child { padding-left: 0; text-align: left; overflow-wrap: anywhere; }
th:last-child, td:last-child { white-space: nowrap; }
table + h2 { margin-top: 1.5rem; }
thead th { color: var(--faint); font-size: .875rem; }
tbody tr, tfoot tr.sum { border-top: 1px solid var(--line); }
tfoot tr:first-child { border-top: 1px solid var(--line); }
tfoot th, tfoot td { padding-top: .25rem; padding-bottom: .25rem; }
tfoot .sum th, tfoot .sum td { font-weight: 650; padding-top: .5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--faint); }
dd { margin: 0; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.pair .field { align-content: end; }
.brand { justify-self: end; margin-top: -1.75rem; min-height: 1.5rem; color: var(--faint); font-size: .875rem; }
.line { display: block; }
.other { margin-top: 1.25rem; }
.other > summary { margin-bottom: 1rem; color: var(--link); }
.status { display: inline-block; padding: .1rem .6rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .875rem; font-weight: 600; }
.good { color: var(--good); }
.bad { color: var(--bad); }
details { margin-top: .25rem; }
form + details { margin-top: 1rem; }
summary { cursor: pointer; font-size: .875rem; }
details ul { margin: .25rem 0 0; padding-left: 1.25rem; font-size: .875rem; }
details table { margin-top: .25rem; font-size: .875rem; }
details td:last-child { text-align: left; white-space: normal; overflow-wrap: anywhere; }
@media (min-width: 52rem) {
  main.two { grid-template-columns: minmax(0, 1fr) minmax(0, 24rem); align-items: start; }
}
.bar { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; }
.bar .seller { flex: 1; font-size: 1.125rem; }
nav ul { list-style: none; display: flex; gap: .25rem; margin: .75rem -.25rem 0; padding: .25rem; overflow-x: auto; }
nav li a { display: block; padding: .375rem .5rem; border-radius: .5rem; font-size: .9375rem; text-decoration: none; white-space: nowrap; }
nav li a:hover { text-decoration: underline; }
nav [aria-current] { background: var(--card); color: var(--ink); font-weight: 600; box-shadow: inset 0 0 0 1px var(--line); }
.skip:not(:focus), .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.visit > h1, .visit > .done { margin: 0; }
.short { display: none; }
button.danger { border-color: var(--bad); background: var(--bad); color: var(--card); }
button.plain { width: auto; padding: 0; border: 0; background: none; color: var(--link); font-weight: 400; text-decoration: underline; }
button.small, .button.small { width: auto; padding: .375rem .75rem; }
.rows { list-style: none; margin: 0; padding: 0; }
.rows > li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; padding: .75rem 0; border-top: 1px solid var(--line); }
.rows > li:first-child { border-top: 0; padding-top: 0; }
.rows > li:last-child { padding-bottom: 0; }
.rows > li > :first-child { flex: 1 1 12rem; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; }
.next { margin-bottom: .75rem; }
.after { margin-top: 1rem; }
.done { padding: .5rem 1rem; border: 1px solid var(--good); border-radius: .5rem; color: var(--good); background: var(--card); }
.turning { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: center; margin-top: 1.5rem; }
progress { display: block; width: 100%; height: .75rem; margin-bottom: .75rem; accent-color: var(--link); }
@media (max-width: 36rem) {
  nav ul { justify-content: space-between; gap: 0; }
  nav li a { padding: .375rem .2rem; font-size: .8125rem; }
  nav .long { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  nav .short { display: inline; }
}
`;

/** A style that a page may have, and its name in a content security policy. */
interface Style {
  readonly source: string;
  readonly hash: string;
}

/**
 * Style of a page: one column, two on wide screens, in the color scheme of the reader. Plain pages
 * consist of texts and fields, and do without the rules for everything else.
 */
export function stylesheet({ isPlain = false }: { readonly isPlain?: boolean }): Style {
  return isPlain ? plainStyle : fullStyle;
}

/** Colors of a brand, a style of their own: the stylesheet is the same for all. */
export function brandStyle({ accent, onAccent, linkOnLight, linkOnDark }: BrandColors): string {
  const light = `:root{--accent:${accent};--on-accent:${onAccent};--link:${linkOnLight}}`;
  const dark = `@media (prefers-color-scheme:dark){:root{--link:${linkOnDark}}}`;
  return `${light}${dark}@media print{:root{--link:${linkOnLight}}}`;
}

/** Names a style in a content security policy: a page may have no others. */
export function styleHash(style: string): string {
  return `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
}

const plainStyle = styleOf(plain);
const fullStyle = styleOf(plain + rest);

/** The style without the white space of its source. */
function styleOf(text: string): Style {
  const source = text
    .replace(/\s*\n\s*/g, '')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replaceAll(';}', '}');
  return { source, hash: styleHash(source) };
}
