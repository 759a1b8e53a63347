import { redactSecrets } from '@billing/chassis/redaction';
import type { AuditChange, AuditTarget } from '@billing/proto/billing/identity/v1/operator';

/** Details of a write in the audit log. */
export interface AuditDetail {
  readonly target: AuditTarget | undefined;
  readonly changes: AuditChange[];
  /** Environment time of the write; undefined if it concerns no environment. */
  readonly environmentTime?: Date | undefined;
}

/** A write with its input and outcome. */
export interface Written {
  /** First segment of the path. */
  readonly segment: string;
  /** Id from the path; undefined if the write created a resource. */
  readonly id: string | undefined;
  readonly body: unknown;
  /** Resource before the write, if it existed and is known. */
  readonly before: unknown;
  /** True if the write has removed this resource. */
  readonly isRemoval?: boolean;
  /** Response body. */
  readonly answer: unknown;
}

const valueLengthMax = 500;
const nameLengthMax = 200;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const currencyCode = /^[A-Z]{3}$/;
// Resources whose texts contain no personal data.
const impersonal = new Set([
  'products',
  'discounts',
  'meters',
  'webhook-endpoints',
  'api-keys',
  'sandboxes',
  'checkout-links',
  'operators',
  'organization',
]);
// Fields that say nothing about what was removed.
const unremoved = new Set(['id', 'organizationId', 'createdAt', 'updatedAt']);
// Every value of their bodies is a secret.
const secretSegments = new Set(['second-factor']);
const hidden = /key|secret|token|password|card|metadata|setup|transaction/i;
const personal = /name|mail|phone|address|externalid|taxid|buyerreference/i;
// Matches texts that can only be an enum value, an id or a time.
const plainText =
  /^([A-Z][A-Z_]*|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/;

/**
 * Extracts the resource of a write and the changes of the fields it named, or the fields of what it
 * removed. Leaves out secrets and values that may be personal.
 */
export function auditDetail(written: Written): AuditDetail {
  const { segment, id, body, before, answer } = written;
  const old = fieldsOf(before);
  const made = fieldsOf(answer);
  // A portal session or a checkout session is named by its answer.
  const targetId = id ?? textOf(made.id) ?? textOf(made.sessionId);
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
  const known = { ...old, ...made };
  const customerId = customerIn({ ...fieldsOf(body), ...known });
  const target = { name: nameIn(segment, known), currency: currencyIn(known), customerId };
  const shownChanges = written.isRemoval === true ? removedFields(segment, old) : changes;
  return { target: { type, id: targetId ?? '', ...target }, changes: shownChanges };
}

/** The fields of a removed resource that had a value. */
function removedFields(segment: string, old: Fields): AuditChange[] {
  return Object.entries(old)
    .filter(([field, value]) => value !== null && !unremoved.has(field))
    .map(([field, value]) => {
      return { field, fromJson: shown(segment, field, value), toJson: undefined };
    });
}

/** Name of an impersonal resource, or number of an invoice; undefined for others. */
function nameIn(segment: string, { name, label, url, number }: Fields): string | undefined {
  if (segment === 'invoices' || segment === 'credit-notes') return textOf(number);
  if (!impersonal.has(segment) || segment === 'operators') return undefined;
  const found =
    textOf(name) ?? textOf(label) ?? (segment === 'webhook-endpoints' ? textOf(url) : undefined);
  return found === undefined ? undefined : redactSecrets(found).slice(0, nameLengthMax);
}

/** The customer to whom a resource belongs; undefined if there is none. */
function customerIn({ customerId }: Fields): string | undefined {
  const text = textOf(customerId);
  return text !== undefined && uuid.test(text) ? text : undefined;
}

function currencyIn({ currency }: Fields): string | undefined {
  const text = textOf(currency);
  return text !== undefined && currencyCode.test(text) ? text : undefined;
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

/** JSON of a value that may be recorded, undefined for any other. */
function shown(segment: string, field: string, value: unknown): string | undefined {
  if (value === undefined || isSecret(segment, field)) return undefined;
  if (!impersonal.has(segment) && (personal.test(field) || !isPlain(value))) return undefined;
  const json = redactSecrets(JSON.stringify(value));
  return json.length > valueLengthMax ? undefined : json;
}

/** A code of an operator proves something; one of a discount is public. */
function isSecret(segment: string, field: string): boolean {
  const isCode = segment === 'operators' && /code$/i.test(field);
  return isCode || hidden.test(field) || secretSegments.has(segment);
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return plainText.test(value);
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}

/** Resource type of a path segment: `webhook-endpoints` becomes `webhook_endpoint`. */
function resourceOf(segment: string): string {
  if (segment === 'checkout') return 'checkout_session';
  return segment.replace(/xes$/, 'x').replace(/ies$/, 'y').replace(/s$/, '').replaceAll('-', '_');
}
