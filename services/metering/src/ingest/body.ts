import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { plainDecimal } from '@billing/kernel/plain-decimal';

/** A parsed body, and the digits that JSON numbers would lose. */
export interface IngestBody {
  readonly json: unknown;
  /**
   * Original text of quantities with more digits than a number holds, by the object that contains
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

function readExactly(text: string): IngestBody {
  const exactQuantities = new Map<object, string>();
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
        if (exact !== plainDecimal(String(value))) exactQuantities.set(this, exact);
      }
      return value;
    },
  );
  return { json, exactQuantities };
}

function exactly(source: string): string {
  if (source.length > quantityTextMax) return source;
  return plainDecimal(/e/i.test(source) ? source : `${source}e0`);
}
