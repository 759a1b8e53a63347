import { redactSecrets } from '@billing/chassis/redaction';
import type { AuditChange, AuditTarget } from '@billing/proto/billing/identity/v1/operator';

/** What the audit log keeps of a write beside who did it. */
export interface AuditDetail {
  readonly target: AuditTarget | undefined;
  readonly changes: AuditChange[];
}

/** What a write was asked with, and what came of it. */
export interface Written {
  /** The first segment of its path. */
  readonly segment: string;
  /** From the path; undefined: the write made something. */
  readonly id: string | undefined;
  readonly body: unknown;
  /** The resource before the write; undefined: not known, or there was none. */
  readonly before: unknown;
  /** What was answered. */
  readonly answer: unknown;
}

const valueLengthMax = 500;
// Of resources whose texts say nothing about people.
const impersonal = new Set([
  'products',
  'discounts',
  'meters',
  'webhook-endpoints',
  'api-keys',
  'sandboxes',
  'checkout-links',
  'operators',
]);
const hidden = /key|secret|token|password|card|metadata|setup|transaction/i;
const personal = /name|mail|phone|address|externalid/i;
// A text that can only be a kind, an id or a time.
const plainText =
  /^([A-Z][A-Z_]*|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/;

/**
 * What a write was about, and which of the fields it named changed how. Secrets, and values that
 * may be personal, are left out.
 */
export function auditDetail({ segment, id, body, before, answer }: Written): AuditDetail {
  const old = fieldsOf(before);
  const made = fieldsOf(answer);
  const targetId = id ?? textOf(made.id);
  const type = resourceOf(segment);
  const named = Object.keys(fieldsOf(body)).filter(
    (field) => field in made || before === undefined,
  );
  const changes = named
    .filter((field) => !isSame(old, made, field))
    .map((field) => {
      const fromJson = before === undefined ? undefined : shown(segment, field, old[field]);
      const to = field in made ? made[field] : fieldsOf(body)[field];
      return { field, fromJson, toJson: shown(segment, field, to) };
    });
  return { target: { type, id: targetId ?? '' }, changes };
}

function isSame(old: Fields, made: Fields, field: string): boolean {
  return field in old && JSON.stringify(old[field]) === JSON.stringify(made[field]);
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && !Array.isArray(value) && !Buffer.isBuffer(value) ? (value as Fields) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The JSON of a value that may be shown; undefined for any other. */
function shown(segment: string, field: string, value: unknown): string | undefined {
  if (value === undefined || hidden.test(field)) return undefined;
  if (!impersonal.has(segment) && (personal.test(field) || !isPlain(value))) return undefined;
  const json = redactSecrets(JSON.stringify(value));
  return json.length > valueLengthMax ? undefined : json;
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return plainText.test(value);
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}

/** `webhook-endpoints` is about a `webhook_endpoint`. */
function resourceOf(segment: string): string {
  if (segment === 'checkout') return 'checkout_session';
  return segment.replace(/xes$/, 'x').replace(/s$/, '').replaceAll('-', '_');
}
