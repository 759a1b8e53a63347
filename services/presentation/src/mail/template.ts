import type { MailValues, MailVariable } from '../catalogue/mail-kind';
import { oneLine } from '../one-line';

// A variable stands in the Markdown source as a marker: its number between two characters that
// Unicode assigns to no script. Values replace markers after the Markdown was parsed, so that no
// value is ever read as Markdown.
const open = '\uE000';
const close = '\uE001';
const markers = new RegExp(`${open}(\\d+)${close}`, 'g');
const markerCharacters = new RegExp(`[${open}${close}]`, 'g');

const sections = /\{\{#([\w.]+)\}\}([^]*?)\{\{\/\1\}\}/g;
const references = /\{\{([#/]?)([\w.]+)\}\}/g;
// Also names that no variable can have, which are text to a reader, and a mistake of a writer.
const anyReference = /\{\{([#/]?)([^{}]*)\}\}/g;

/** A template whose sections are decided and whose variables are markers. */
export interface MarkedText {
  readonly source: string;
  readonly variables: readonly MailVariable[];
}

/**
 * Decides the sections of a template by the presence of values, and marks its variables. Throws for
 * a variable that is not allowed, and for a section without end.
 */
export function markVariables(
  template: string,
  values: MailValues,
  allowed: readonly MailVariable[],
): MarkedText {
  const marked: MailVariable[] = [];
  const source = template
    .replace(markerCharacters, '\uFFFD')
    .replace(sections, (_, name: string, inside: string) =>
      valueOf(values, variableOf(name, allowed)) === '' ? '' : inside,
    )
    .replace(references, (_, sign: string, name: string) => {
      if (sign !== '') throw new Error(`Unclosed section: ${name}`);
      marked.push(variableOf(name, allowed));
      return `${open}${String(marked.length - 1)}${close}`;
    });
  return { source, variables: marked };
}

/** True if a text of the source is one marker of the variable, and nothing else. */
export function isVariable(text: string, name: MailVariable, marked: MarkedText): boolean {
  const [marker] = text.match(markers) ?? [];
  return marker === text && marked.variables[Number(marker.slice(1, -1))] === name;
}

/** True if a text of the source contains a marker. */
export function hasVariable(text: string): boolean {
  return text.includes(open);
}

/** Replaces the markers of a text by values, each a single line of text. */
export function insertValues(text: string, { variables }: MarkedText, values: MailValues): string {
  return text.replace(markers, (_, index: string) => {
    const name = variables[Number(index)];
    return name === undefined ? '' : valueOf(values, name);
  });
}

/** Variables and sections that a template names in a way that rendering refuses. */
export function referenceProblems(template: string, allowed: readonly MailVariable[]): string[] {
  const problems = new Set<string>();
  let openSection: string | undefined;
  for (const [, sign, name = ''] of template.matchAll(anyReference)) {
    if (!allowed.some((variable) => variable === name)) problems.add(`Unknown variable: ${name}`);
    const isWrong = sign === '#' ? openSection !== undefined : sign === '/' && openSection !== name;
    if (isWrong) problems.add(`Unclosed section: ${openSection ?? name}`);
    if (sign === '#') openSection = name;
    if (sign === '/') openSection = undefined;
  }
  if (openSection !== undefined) problems.add(`Unclosed section: ${openSection}`);
  return [...problems];
}

function valueOf(values: MailValues, name: MailVariable): string {
  return oneLine(values[name] ?? '');
}

function variableOf(name: string, allowed: readonly MailVariable[]): MailVariable {
  const known = allowed.find((variable) => variable === name);
  if (known === undefined) throw new Error(`Unknown variable: ${name}`);
  return known;
}
