import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { plainDecimal } from '@billing/kernel/plain-decimal';

/** A body as JSON says it, and what a JSON number would lose of it. */
export interface IngestBody {
  readonly json: unknown;
  /** Quantities with more digits than a number keeps, as they were written, by the objects that have them; absent: none. */
  readonly written: ReadonlyMap<object, string> | undefined;
}

// A number keeps 15 digits whatever they are; more of them, with their point, are so many characters.
const keptLength = 16;
// Far more than a quantity may have: such a text is refused as it stands.
const writtenLengthMax = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads the bytes of a batch. */
export function readIngestBody(body: Buffer): IngestBody {
  if (body.length === 0) throw invalidInput({ events: ['Required'] });
  try {
    const text = utf8.decode(body);
    return hasLongNumber(body) ? readExactly(text) : { json: JSON.parse(text), written: undefined };
  } catch {
    throw new DomainError('invalid_input', 'MALFORMED_JSON', 'Malformed JSON');
  }
}

/**
 * Whether so many digits stand side by side anywhere, in texts too. Looks at the end of where they may stand first, and goes on behind what
 * is none of them, so it reads about a tenth of the bytes.
 */
function hasLongNumber(body: Buffer): boolean {
  let end = keptLength - 1;
  while (end < body.length) {
    const before = end - keptLength;
    let at = end;
    while (at > before && isOfNumber(body[at])) at -= 1;
    if (at === before) return true;
    end = at + keptLength;
  }
  return false;
}

function isOfNumber(byte = 0): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2e;
}

function readExactly(text: string): IngestBody {
  const written = new Map<object, string>();
  const json: unknown = JSON.parse(
    text,
    function keep(
      this: object,
      name: string,
      value: unknown,
      context?: { readonly source?: string },
    ) {
      if (name === 'quantity' && typeof value === 'number') {
        const exact = exactly(context?.source ?? '');
        if (exact !== plainDecimal(String(value))) written.set(this, exact);
      }
      return value;
    },
  );
  return { json, written };
}

function exactly(source: string): string {
  if (source.length > writtenLengthMax) return source;
  return plainDecimal(/e/i.test(source) ? source : `${source}e0`);
}
