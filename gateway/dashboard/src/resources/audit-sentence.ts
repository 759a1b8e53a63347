import type { NamedAuditEntry } from '@billing/gateway/operator/operator-json';
import { moneyText, pluralText, wordsText } from '../parts/text/text';
import { instantText } from '../parts/text/time-text';
import { pagePathOf } from './page-path';

export type AuditEntry = NamedAuditEntry;

/** Part of a sentence; `href` is relative to the selected environment. */
export type Phrase = string | { readonly text: string; readonly href: string };

/** Actor of an entry, as text. */
export function actorText({ type, id, email, name }: AuditEntry['actor']): string {
  switch (type) {
    case 'OPERATOR':
      return name ?? email ?? id;
    case 'API_KEY':
      return `API key ${shortIdText(id)}`;
    case 'SYSTEM':
      return 'The system';
  }
}

/**
 * The end of an id: ids of objects that were created together begin alike, and differ at their end.
 */
export function shortIdText(id: string): string {
  return id.length > 8 ? `…${id.slice(-8)}` : id;
}

type Target = NonNullable<AuditEntry['target']>;

// Words of the product for a type in the log; others are the type in words.
const nouns: Readonly<Record<string, string>> = {
  api_key: 'API key',
  balance_entry: 'balance entry',
};

const signIn = 'POST /dashboard/api/session';

/**
 * Effects of writes in words; `{}` stands for the target, `{customerId}` for what this field names,
 * and `{amount}` for the money of that field.
 */
const deeds: Readonly<Record<string, string>> = {
  'POST /v1/subscriptions/:id/cancel': 'canceled {}',
  'POST /v1/subscriptions/:id/changes': 'changed the plan of {}',
  'DELETE /v1/subscriptions/:id/changes/:changeId': 'took back a planned change of {}',
  'POST /v1/subscriptions/:id/uncancel': 'undid the cancellation of {}',
  'POST /v1/invoices/:id/pay': 'charged {}',
  'POST /v1/invoices/:id/void': 'voided {}',
  'POST /v1/invoices/:id/finalize': 'finalized {}',
  'POST /v1/invoices/:id/payments': 'recorded a payment of {amount} for {}',
  'POST /v1/invoices/:id/mark-uncollectible': 'marked {} as uncollectible',
  'POST /v1/invoices/:id/send': 'sent {} by email',
  'POST /v1/emails/:id/resend': 'resent {}',
  'POST /v1/emails/:id/bounce': 'reported a bounce of {}',
  'POST /v1/price-migrations/:id/cancel': 'canceled {}',
  'POST /v1/checkout': 'created a checkout for {customerId}',
  'POST /v1/invoices': 'created {} for {customerId}',
  'POST /v1/credit-notes': 'issued {} for {invoiceId}',
  'POST /v1/refunds/:id/settle': 'settled {}',
  'PATCH /v1/products/:id/meter-prices': 'changed the usage prices of {}',
  'POST /v1/customers/:id/meter-credits': 'granted credits to {}',
  'POST /v1/portal/sessions': 'created a portal link for {customerId}',
  'PATCH /v1/portal/settings': 'changed the portal settings',
  'POST /v1/balance-entries': 'adjusted the balance of {customerId} by {amount}',
  'DELETE /v1/api-keys/:id': 'revoked {}',
  'POST /v1/webhook-endpoints/:id/test': 'sent a test webhook to {}',
  'POST /v1/webhook-endpoints/:id/rotate-secret': 'rotated the signing secret of {}',
  'POST /v1/webhook-endpoints/:id/replay': 'replayed webhooks to {}',
  'POST /v1/webhook-endpoints/:id/deliveries/:deliveryId/retry': 'resent a webhook to {}',
  'POST /v1/sandboxes/clock/advance': 'advanced the clock of {}',
  'DELETE /v1/sandboxes/clock/advance': 'stopped the clock of {}',
  'DELETE /dashboard/api/session': 'signed out',
  'DELETE /dashboard/api/sessions/:id': 'ended a session',
  'PUT /dashboard/api/password': 'changed their password',
  'POST /dashboard/api/second-factor': 'began to set up a second factor',
  'POST /dashboard/api/second-factor/confirm': 'turned on their second factor',
  'POST /dashboard/api/second-factor/remove': 'turned off their second factor',
  'DELETE /dashboard/api/operators/:id/second-factor': 'removed the second factor of {}',
  'POST /dashboard/api/operators': 'invited {email}',
  'POST /dashboard/api/operators/:id/reset-link': 'created a password reset link for {}',
  'POST /dashboard/api/password-resets': 'asked for a password reset link',
  'POST /dashboard/api/invitations/accept': 'accepted an invitation',
  'POST /dashboard/api/reset-links/use': 'reset their password',
  'POST /dashboard/api/email-test': 'sent a test email',
  'POST /dashboard/api/system/commands/:service/:id/retry': 'retried a stuck command',
  'POST /dashboard/api/system/commands/:service/:id/skip': 'skipped a stuck command',
  'first-owner --reset': 'created a password reset link for {}, on the machine',
  'reconcile --open': 'opened the system after a restore, although checks had findings',
};

/** “changed the price of Pro from $29.00 to $35.00”, without the actor. */
export function auditSentence(entry: AuditEntry): readonly Phrase[] {
  const { action } = entry;
  if (action === signIn) return [signInText(entry)];
  if (action === 'PATCH /dashboard/api/organization') return [organizationText(entry)];
  const own = ownFields[action];
  if (own !== undefined) return [ownText(own, entry)];
  const deed = deeds[action];
  if (deed !== undefined) return filledIn(deed, entry);
  const [method = '', path = ''] = action.split(' ');
  if (method === 'PATCH') return changeSentence(entry);
  if (method === 'DELETE') return filledIn('deleted {}', entry);
  if (method === 'POST' && path.split('/').length === 3) return filledIn('created {}', entry);
  return [`called ${action}`];
}

/** A sentence without its links. */
export function sentenceText(phrases: readonly Phrase[]): string {
  return phrases.map((phrase) => (typeof phrase === 'string' ? phrase : phrase.text)).join('');
}

/**
 * Outcome of a refused or failed write; undefined for a success. Commands on the machine have no
 * status: their entries are written with their effects.
 */
export function failureText({
  status,
  actor,
}: Pick<AuditEntry, 'status' | 'actor'>): string | undefined {
  if (status === null) return actor.type === 'SYSTEM' ? undefined : 'Outcome unknown';
  return status < 400 ? undefined : `Failed (${String(status)})`;
}

/** A refused sign-in names the field that was wrong. */
function signInText({ changes }: AuditEntry): string {
  if ('password' in changes) return 'signed in with a wrong password';
  return 'code' in changes ? 'signed in with a wrong or used code' : 'signed in';
}

/** Fields that operators change of themselves, with their words. */
const ownFields: Readonly<Record<string, { readonly field: string; readonly words: string }>> = {
  'PATCH /dashboard/api/operators/me': { field: 'name', words: 'name' },
  'PUT /dashboard/api/operators/me/email': { field: 'email', words: 'email address' },
};

function ownText({ field, words }: (typeof ownFields)[string], entry: AuditEntry): string {
  const { changes, status } = entry;
  const change = changes[field];
  if (change === undefined && (status ?? 0) >= 400) return `tried to change their ${words}`;
  if (change === undefined) return `saved their ${words} without a change`;
  return `changed their ${words}${spanText(field, change, entry)}`;
}

/** A new name, and changed sign-in rules, turned on or off. */
function organizationText({ changes }: AuditEntry): string {
  const texts = Object.entries(changes).flatMap(([field, { from, to }]) => {
    if (field === 'name') return [`renamed the organization from ${String(from)} to ${String(to)}`];
    const words = ruleWords[field];
    return words === undefined ? [] : [to === true ? words.on : words.off];
  });
  return texts.length === 0 ? 'saved the organization without a change' : texts.join(' and ');
}

const ruleWords: Readonly<Record<string, { readonly on: string; readonly off: string }>> = {
  requireSecondFactor: {
    on: 'required a second factor for sign-in with a password',
    off: 'stopped requiring a second factor',
  },
  providerOnly: {
    on: 'allowed sign-in with the identity provider only',
    off: 'allowed sign-in with passwords again',
  },
};

/** A deed with its places filled in. */
function filledIn(deed: string, entry: AuditEntry): readonly Phrase[] {
  return deed
    .split(/(\{\w*\})/)
    .flatMap((part) => (part.startsWith('{') ? placePhrases(part.slice(1, -1), entry) : [part]))
    .filter((phrase) => phrase !== '');
}

/** Resources that fields name by id. */
const typeOfField: Readonly<Record<string, string>> = {
  customerId: 'customer',
  invoiceId: 'invoice',
};

function placePhrases(field: string, entry: AuditEntry): readonly Phrase[] {
  const { target, changes, names } = entry;
  if (field === '') return targetPhrases(entry);
  const value = changes[field]?.to;
  const type = typeOfField[field];
  if (type !== undefined) {
    if (typeof value !== 'string') return [`${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`];
    return namedPhrases({ type, id: value, name: names[value] ?? null });
  }
  const currency = target?.currency ?? null;
  if (field === 'amount' && currency === null) return ['an amount'];
  return value === undefined ? [`an ${field}`] : [valueText(field, value, { currency, names })];
}

function changeSentence(entry: AuditEntry): readonly Phrase[] {
  const { target, changes } = entry;
  const fields = Object.entries(changes);
  const [first] = fields;
  if (first === undefined) return filledIn('saved {} without a change', entry);
  const [field, change] = first;
  if (fields.length > 1) {
    const texts = fields.map(
      ([name, one]) => `${fieldText(name, target)}${spanText(name, one, entry)}`,
    );
    return [...filledIn('changed {}', entry), `: ${texts.join(', ')}`];
  }
  if (field === 'active' && typeof change.to === 'boolean') {
    return filledIn(change.to ? 'activated {}' : 'deactivated {}', entry);
  }
  const before = filledIn(`changed the ${fieldText(field, target)} of {}`, entry);
  const span = spanText(field, change, entry);
  return span === '' ? before : [...before, span];
}

type Change = AuditEntry['changes'][string];

/** “ from $29.00 to $35.00”; empty for values that are not recorded. */
function spanText(field: string, change: Change, { target, names }: AuditEntry): string {
  if (!('to' in change)) return '';
  const text = (value: unknown) =>
    valueText(field, value, { currency: target?.currency ?? null, names });
  return 'from' in change
    ? ` from ${text(change.from)} to ${text(change.to)}`
    : ` to ${text(change.to)}`;
}

/** “billing interval” of billingInterval, “discount” of discountId. */
function fieldText(field: string, target: Target | null): string {
  // The amount of a product is its price.
  if (field === 'amount' && target?.type === 'product') return 'price';
  const noun = field.replace(/Id$/, '').replace(/Ids$/, 's');
  return noun.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

interface Known {
  readonly currency: string | null;
  readonly names: Readonly<Record<string, string>>;
}

/** Longer lists are shown as their length. */
const shownEntriesMax = 3;

function valueText(field: string, value: unknown, known: Known): string {
  const { currency, names } = known;
  if (value === null) return 'none';
  if (Array.isArray(value)) {
    if (field === 'tiers') return pluralText(value.length, 'tier');
    const isShown =
      value.length <= shownEntriesMax && value.every((one) => typeof one === 'string');
    if (!isShown) return pluralText(value.length, 'entry', 'entries');
    const texts = value.map((one) => valueText(field, one, known));
    const last = texts.pop() ?? 'none';
    return texts.length === 0 ? last : `${texts.join(', ')} and ${last}`;
  }
  if (typeof value === 'number') {
    const isMoney = /amount$/i.test(field) && Number.isSafeInteger(value) && currency !== null;
    return isMoney ? moneyText(value, currency) : String(value);
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return instantText(value);
  if (/Ids?$/.test(field)) return names[value] ?? shortIdText(value);
  return /^[A-Z]+(_[A-Z]+)*$/.test(value) ? wordsText(value) : `“${value}”`;
}

/** “product Pro”, “customer …b8a90f3c”: what it is, and a link if it has a page. */
function targetPhrases({ target, names }: AuditEntry): readonly Phrase[] {
  if (target === null) return ['something'];
  const name = target.name ?? names[target.id ?? ''] ?? null;
  return namedPhrases({ ...target, name });
}

function namedPhrases({ type, id, name }: Pick<Target, 'type' | 'id' | 'name'>): readonly Phrase[] {
  const noun = nouns[type] ?? wordsText(type);
  if (id === null) return [name === null ? `a ${noun}` : `${noun} ${name}`];
  const text = name ?? shortIdText(id);
  const href = pagePathOf(type, id);
  return href === undefined ? [`${noun} ${text}`] : [`${noun} `, { text, href }];
}
