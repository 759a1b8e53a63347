import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { plainDecimal } from '@billing/kernel/plain-decimal';
import { eventsMax } from './input';

/** A parsed body, and the digits that JSON numbers would lose. */
export interface IngestBody {
  readonly json: unknown;
  /**
   * Original text of quantities with more digits than a number holds, by the event that contains
   * them; absent: none.
   */
  readonly exactQuantities: ReadonlyMap<object, string> | undefined;
}

// A number holds any 15 digits; with the decimal point, a longer one has at least this many
// characters.
const exactLength = 16;
// Far longer than a valid quantity: a longer text is refused as it is.
const quantityTextMax = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses the bytes of a batch. */
export function readIngestBody(body: Buffer): IngestBody {
  if (body.length === 0) throw invalidInput({ events: ['Required'] });
  try {
    const text = utf8.decode(body);
    return hasLongNumber(body)
      ? readExactly(text)
      : { json: JSON.parse(text), exactQuantities: undefined };
  } catch {
    throw new DomainError('invalid_input', 'MALFORMED_JSON', 'Malformed JSON');
  }
}

/**
 * True if the body has a run of that many number characters anywhere, texts included. Checks the
 * last position of a possible run first and skips past a mismatch, so it reads about a tenth of the
 * bytes.
 */
function hasLongNumber(body: Buffer): boolean {
  let end = exactLength - 1;
  while (end < body.length) {
    const before = end - exactLength;
    let at = end;
    while (at > before && isNumberCharacter(body[at])) at -= 1;
    if (at === before) return true;
    end = at + exactLength;
  }
  return false;
}

function isNumberCharacter(byte = 0): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2e;
}

// A reviver would visit each value of the body, thousands of times slower than a second parse.
function readExactly(text: string): IngestBody {
  const json: unknown = JSON.parse(text);
  const quoted = text.replace(quantityPattern, '$1"$2"');
  if (quoted === text) return { json, exactQuantities: undefined };
  const sources = eventsIn(JSON.parse(quoted));
  const exactQuantities = new Map<object, string>();
  for (const [index, event] of eventsIn(json).entries()) {
    const value = quantityIn(event);
    const source = quantityIn(sources[index]);
    if (typeof value !== 'number' || typeof source !== 'string' || !isObject(event)) continue;
    const exact = exactly(source);
    if (exact !== plainDecimal(String(value))) exactQuantities.set(event, exact);
  }
  return { json, exactQuantities };
}

/**
 * Numbers with the name `quantity`, whose letters may be escaped. A quotation mark within a text
 * has a backslash before it, so none of them is part of a text.
 */
const quantityPattern = new RegExp(
  `((?<!\\\\)"${Array.from('quantity', letterPattern).join('')}"\\s*:\\s*)` +
    '(-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)',
  'g',
);

function letterPattern(letter: string): string {
  const [high = '', low = ''] = letter.charCodeAt(0).toString(16);
  return `(?:${letter}|\\\\u00${high}[${low}${low.toUpperCase()}])`;
}

/** Elements of a batch of valid length. */
function eventsIn(json: unknown): readonly unknown[] {
  const events = isObject(json) && 'events' in json ? json.events : json;
  return Array.isArray(events) && events.length <= eventsMax ? events : [];
}

function quantityIn(event: unknown): unknown {
  return isObject(event) && 'quantity' in event ? event.quantity : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function exactly(source: string): string {
  if (source.length > quantityTextMax) return source;
  return plainDecimal(/e/i.test(source) ? source : `${source}e0`);
}
