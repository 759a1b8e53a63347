import { Readable } from 'node:stream';
import { redactSecrets } from '@billing/chassis/redaction';
import { StreamedBody } from './streamed-body';
import type { LoggedBody } from '@billing/proto/billing/identity/v1/request_log';

/** Largest body of the request log, in bytes of UTF-8. */
export const loggedBytesMax = 16 * 1024;

const depthMax = 32;
const censored = '[redacted]';
const shortened = '…';
// Two quotes, a comma, and the mark of a shortened text.
const textBytes = 3 + Buffer.byteLength(shortened);
// `\u001f`: the longest form of a character in JSON.
const characterBytesMax = 6;

// Fields whose value is a secret in every resource, and in objects of callers.
const secretField =
  /(?:secret|password|passphrase|token|credentials?|authorization|(?:private|api|access)[_-]?key|transaction[_-]?id|card[_-]?number)$|^(?:cvc|cvv|pan|pin)$/i;
// Address of a page of a payer, which alone allows a person to see it and to pay.
const pageAddress = /(\/(?:checkout|link|invoice|portal)\/)[\w-]{20,}/g;
const secretParameter = /([?&][\w.-]*(?:secret|password|token|key|signature)=)[^&#\s]+/gi;

/**
 * Body of a request or a response as the request log shows it: JSON without secrets, of limited
 * length. Undefined for files, streams and missing bodies. What is left out for its length is left
 * out whole, so the text stays valid JSON.
 */
export function loggedBody(body: unknown): LoggedBody | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return undefined;
  if (body instanceof Readable || body instanceof StreamedBody) return undefined;
  const copy = new SafeCopy();
  const json = JSON.stringify(copy.of(body)) as string | undefined;
  return json === undefined ? undefined : { json, isShortened: copy.isShortened };
}

/** Longest query of the request log, in characters. */
const queryLengthMax = 4_096;
const secretName = /^(?:key|signature)$/i;

/**
 * Query of a URL as the request log shows it: without secrets, in the form of `URLSearchParams`, by
 * which values are found again when a customer is erased. Undefined without a query. Parameters
 * beyond the longest query are left out whole, and `…` takes their place.
 */
export function loggedQuery(url: string): string | undefined {
  const start = url.indexOf('?');
  const parameters = start === -1 ? [] : [...new URLSearchParams(url.slice(start + 1))];
  let query = '';
  for (const [name, value] of parameters) {
    const isSecret = secretField.test(name) || secretName.test(name);
    const shown = isSecret ? censored : withoutSecrets(value);
    const text = new URLSearchParams([[withoutSecrets(name), shown]])
      .toString()
      .replaceAll('%5Bredacted%5D', censored);
    const longer = query === '' ? text : `${query}&${text}`;
    if (longer.length > queryLengthMax - 2)
      return query === '' ? shortened : `${query}&${shortened}`;
    query = longer;
  }
  return query === '' ? undefined : query;
}

/** Removes secrets of known forms, and the tokens of pages, from a text. */
function withoutSecrets(text: string): string {
  return redactSecrets(text)
    .replace(pageAddress, `$1${censored}`)
    .replace(secretParameter, `$1${censored}`);
}

/** Copies a value without its secrets until the copy is as long as a body may be. */
class SafeCopy {
  isShortened = false;
  private bytesLeft = loggedBytesMax;

  of(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.number(value);
    if (typeof value !== 'object' || value === null) return this.whole(value);
    if (value instanceof Date) return this.text(value.toISOString());
    if (depth >= depthMax) {
      this.isShortened = true;
      return this.whole(null);
    }
    // Its brackets and a comma.
    if (!this.take(3)) return undefined;
    return Array.isArray(value) ? this.array(value, depth) : this.object(value, depth);
  }

  private array(values: readonly unknown[], depth: number): unknown[] {
    const copies: unknown[] = [];
    for (const value of values) {
      const copy = this.of(value ?? null, depth + 1);
      if (copy === undefined) break;
      copies.push(copy);
    }
    return copies;
  }

  private object(value: object, depth: number): object {
    const copies: [string, unknown][] = [];
    for (const [field, nested] of Object.entries(value)) {
      if (nested === undefined) continue;
      const name = withoutSecrets(field);
      // The name and a colon.
      if (!this.take(sizeOf(name) + 1)) break;
      const isSecret = nested !== null && typeof nested !== 'boolean' && secretField.test(field);
      const copy = this.of(isSecret ? censored : nested, depth + 1);
      if (copy === undefined) break;
      copies.push([name, copy]);
    }
    // Defines `__proto__` like any other field.
    return Object.fromEntries(copies);
  }

  /** A long text is cut, after its secrets are removed: the rest of one would not be recognized. */
  private text(value: string): string | undefined {
    const text = withoutSecrets(value);
    const size = sizeOf(text) + 1;
    if (size <= this.bytesLeft) {
      this.bytesLeft -= size;
      return text;
    }
    const length = Math.floor((this.bytesLeft - textBytes) / characterBytesMax);
    this.isShortened = true;
    this.bytesLeft = 0;
    return length <= 0 ? undefined : `${text.slice(0, length)}${shortened}`;
  }

  /** A number may be one of a card. */
  private number(value: number): unknown {
    const text = String(value);
    return this.whole(redactSecrets(text) === text ? value : censored);
  }

  private whole(value: unknown): unknown {
    return this.take(sizeOf(value) + 1) ? value : undefined;
  }

  private take(bytes: number): boolean {
    if (bytes > this.bytesLeft) {
      this.isShortened = true;
      this.bytesLeft = 0;
      return false;
    }
    this.bytesLeft -= bytes;
    return true;
  }
}

/** Bytes of a value as JSON. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
