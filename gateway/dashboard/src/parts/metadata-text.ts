import { ApiProblem } from '../api/problem';

/** What one keeps with a resource: short texts, numbers and marks by name. */
export type Metadata = Readonly<Record<string, unknown>>;

/** Metadata as lines to be changed: `team: research`. A text that would be read as something else stands in quotes. */
export function metadataToType(metadata: Metadata): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key}: ${valueToType(value)}`)
    .join('\n');
}

/** What such lines say. Throws a problem of the field `metadata`. */
export function typedMetadata(typed: string): Metadata {
  const lines = typed.split('\n').map((line) => line.trim());
  return Object.fromEntries(lines.filter((line) => line !== '').map(entryOf));
}

/** A value for readers. */
export function metadataValueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function entryOf(line: string): readonly [string, unknown] {
  const colon = line.indexOf(':');
  if (colon <= 0) throw metadataProblem(`“${line}” has no colon after its key`);
  const text = line.slice(colon + 1).trim();
  return [line.slice(0, colon).trim(), valueOf(text)];
}

function valueOf(text: string): unknown {
  if (!isLiteral(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw metadataProblem(`${text} is not closed as it was opened`);
  }
}

function valueToType(value: unknown): string {
  const isPlain = typeof value === 'string' && value === value.trim() && value !== '';
  return isPlain && !isLiteral(value) && !value.includes('\n') ? value : JSON.stringify(value);
}

function isLiteral(text: string): boolean {
  return /^(".*|true|false|null|-?\d+(\.\d+)?)$/s.test(text);
}

function metadataProblem(message: string): ApiProblem {
  return new ApiProblem('Some of this was not accepted', {
    status: 400,
    code: 'invalid_request',
    fields: { metadata: [message] },
    requestId: undefined,
  });
}
