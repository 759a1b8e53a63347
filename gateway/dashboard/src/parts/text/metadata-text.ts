import { fieldProblem } from '../../api/problem';

/** Metadata of a resource: texts, numbers and booleans by key. */
export type Metadata = Readonly<Record<string, unknown>>;

/** Formats metadata as lines for editing: `team: research`. Ambiguous text is quoted. */
export function metadataToType(metadata: Metadata): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key}: ${valueToType(value)}`)
    .join('\n');
}

/** Parses such lines. Throws an error of the field `metadata`. */
export function typedMetadata(typed: string): Metadata {
  const lines = typed.split('\n').map((line) => line.trim());
  return Object.fromEntries(lines.filter((line) => line !== '').map(entryOf));
}

/** A value as text. */
export function metadataValueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function entryOf(line: string): readonly [string, unknown] {
  const colon = line.indexOf(':');
  if (colon <= 0) throw fieldProblem('metadata', `“${line}” has no colon after the key`);
  const text = line.slice(colon + 1).trim();
  return [line.slice(0, colon).trim(), valueOf(text)];
}

function valueOf(text: string): unknown {
  if (!isLiteral(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw fieldProblem('metadata', `${text} is not valid: check its quotes`);
  }
}

function valueToType(value: unknown): string {
  const isPlain = typeof value === 'string' && value === value.trim() && value !== '';
  return isPlain && !isLiteral(value) && !value.includes('\n') ? value : JSON.stringify(value);
}

function isLiteral(text: string): boolean {
  return /^(".*|true|false|null|-?\d+(\.\d+)?)$/s.test(text);
}
