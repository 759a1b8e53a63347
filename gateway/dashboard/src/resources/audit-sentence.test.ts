import { routes } from '@billing/gateway/routes';
import {
  actorText,
  type AuditEntry,
  auditSentence,
  failureText,
  sentenceText,
} from './audit-sentence';

const id = '0190f3c4-0000-7000-8000-00006789abcd';
const entry = (parts: Partial<AuditEntry>): AuditEntry => ({
  id: 'entry',
  at: '2026-11-21T12:00:00.000Z',
  actor: { type: 'OPERATOR', id: 'operator', email: 'olivia@example.com', name: 'Olivia' },
  address: null,
  userAgent: null,
  action: 'POST /v1/products',
  path: '/v1/products',
  target: { type: 'product', id, name: 'Pro', currency: 'USD' },
  changes: {},
  environmentId: null,
  requestId: 'request',
  status: 200,
  environmentTime: null,
  names: {},
  ...parts,
});
const product = { type: 'product', id, name: 'Pro', currency: 'USD' };
const customer = { type: 'customer', id, name: null, currency: null };
const otherId = '0190f3c4-0000-7000-8000-00006789abce';
const invoice = { type: 'invoice', id, name: 'INV-000001', currency: 'USD' };
const names = { [id]: 'Dana Dubois', [otherId]: 'Spring' };

test.each<[string, Partial<AuditEntry>]>([
  ['created product Pro', { action: 'POST /v1/products' }],
  [
    'deleted meter Calls',
    { action: 'DELETE /v1/meters/:id', target: { ...product, type: 'meter', name: 'Calls' } },
  ],
  [
    'changed the price of product Pro from $29.00 to $35.00',
    { action: 'PATCH /v1/products/:id', changes: { amount: { from: 2900, to: 3500 } } },
  ],
  [
    'changed product Pro: name from “Pro” to “Team”, trial days from none to 14',
    {
      action: 'PATCH /v1/products/:id',
      changes: { name: { from: 'Pro', to: 'Team' }, trialDays: { from: null, to: 14 } },
    },
  ],
  [
    'changed the phone of customer …6789abcd',
    { action: 'PATCH /v1/customers/:id', target: customer, changes: { phone: {} } },
  ],
  [
    'changed the collection method of customer …6789abcd from charge automatically to send invoice',
    {
      action: 'PATCH /v1/customers/:id',
      target: customer,
      changes: { collectionMethod: { from: 'CHARGE_AUTOMATICALLY', to: 'SEND_INVOICE' } },
    },
  ],
  [
    'deactivated product Pro',
    { action: 'PATCH /v1/products/:id', changes: { active: { from: true, to: false } } },
  ],
  ['saved product Pro without a change', { action: 'PATCH /v1/products/:id' }],
  [
    'voided invoice INV-000001',
    {
      action: 'POST /v1/invoices/:id/void',
      target: invoice,
    },
  ],
  ['signed in', { action: 'POST /dashboard/api/session', target: null }],
  [
    'signed in with a wrong password',
    { action: 'POST /dashboard/api/session', changes: { password: {} } },
  ],
  [
    'signed in with a wrong or used code',
    { action: 'POST /dashboard/api/session', changes: { code: {} } },
  ],
  [
    'required a second factor for sign-in with a password and allowed sign-in with passwords again',
    {
      action: 'PATCH /dashboard/api/organization',
      changes: {
        requireSecondFactor: { from: false, to: true },
        providerOnly: { from: true, to: false },
      },
    },
  ],
  [
    'allowed sign-in with the identity provider only',
    {
      action: 'PATCH /dashboard/api/organization',
      changes: { providerOnly: { from: false, to: true } },
    },
  ],
  [
    'stopped requiring a second factor',
    {
      action: 'PATCH /dashboard/api/organization',
      changes: { requireSecondFactor: { from: true, to: false } },
    },
  ],
  [
    'renamed the organization from Local to Ada GmbH',
    {
      action: 'PATCH /dashboard/api/organization',
      changes: { name: { from: 'Local', to: 'Ada GmbH' } },
    },
  ],
  [
    'saved the organization without a change',
    { action: 'PATCH /dashboard/api/organization', target: null },
  ],
  [
    'created a password reset link for operator …6789abcd, on the machine',
    {
      action: 'first-owner --reset',
      target: { type: 'operator', id, name: null, currency: null },
      status: null,
    },
  ],
  [
    'opened the system after a restore, although checks had findings',
    { action: 'reconcile --open', target: null, status: null },
  ],
  [
    'changed their email address from “olivia@example.com” to “liv@example.com”',
    {
      action: 'PUT /dashboard/api/operators/me/email',
      changes: { email: { from: 'olivia@example.com', to: 'liv@example.com' } },
    },
  ],
  [
    'changed their name to “Liv”',
    { action: 'PATCH /dashboard/api/operators/me', changes: { name: { to: 'Liv' } } },
  ],
  ['saved their name without a change', { action: 'PATCH /dashboard/api/operators/me' }],
  ['called PUT /dashboard/api/anything', { action: 'PUT /dashboard/api/anything' }],
  [
    'changed the collection method of customer Dana Dubois to send invoice',
    {
      action: 'PATCH /v1/customers/:id',
      ...{ target: customer, names },
      changes: { collectionMethod: { to: 'SEND_INVOICE' } },
    },
  ],
  [
    'canceled subscription Pro of Dana Dubois',
    {
      action: 'POST /v1/subscriptions/:id/cancel',
      target: { ...customer, type: 'subscription' },
      names: { [id]: 'Pro of Dana Dubois' },
    },
  ],
  [
    'changed the discount of checkout link Team from none to Spring',
    {
      action: 'PATCH /v1/checkout-links/:id',
      target: { ...product, type: 'checkout_link', name: 'Team' },
      ...{ names, changes: { discountId: { from: null, to: otherId } } },
    },
  ],
  [
    'changed the products of checkout link Team from …6789abcf to Spring and Dana Dubois',
    {
      action: 'PATCH /v1/checkout-links/:id',
      target: { ...product, type: 'checkout_link', name: 'Team' },
      names,
      changes: { productIds: { from: [id.replace(/d$/, 'f')], to: [otherId, id] } },
    },
  ],
  [
    'sent a test webhook to webhook endpoint https://example.com/hooks',
    {
      action: 'POST /v1/webhook-endpoints/:id/test',
      target: { ...customer, type: 'webhook_endpoint' },
      names: { [id]: 'https://example.com/hooks' },
    },
  ],
  [
    'changed the role of operator Ben from viewer to developer',
    {
      action: 'PATCH /dashboard/api/operators/:id',
      target: { ...customer, type: 'operator', name: 'Ben' },
      changes: { role: { from: 'VIEWER', to: 'DEVELOPER' } },
    },
  ],
  [
    'changed the tiers of product Pro from 1 tier to 4 tiers',
    {
      action: 'PATCH /v1/products/:id',
      changes: { tiers: { from: [{}], to: [{}, {}, {}, {}] } },
    },
  ],
  [
    'invited “liv@example.com”',
    {
      action: 'POST /dashboard/api/operators',
      target: { ...customer, type: 'operator', id: null },
      changes: { email: { to: 'liv@example.com' }, role: { to: 'ADMIN' } },
    },
  ],
  [
    'created a portal link for customer Dana Dubois',
    {
      action: 'POST /v1/portal/sessions',
      ...{ target: null, names, changes: { customerId: { to: id } } },
    },
  ],
  [
    'adjusted the balance of customer Dana Dubois by −$5.00',
    {
      action: 'POST /v1/balance-entries',
      target: { ...product, type: 'balance_entry', name: null },
      ...{ names, changes: { customerId: { to: id }, amount: { to: -500 } } },
    },
  ],
  [
    'adjusted the balance of a customer by an amount',
    { action: 'POST /v1/balance-entries', target: { ...customer, type: 'balance_entry' } },
  ],
  [
    'recorded a payment of $12.50 for invoice INV-000001',
    {
      action: 'POST /v1/invoices/:id/payments',
      ...{ target: invoice, changes: { amount: { to: 1250 } } },
    },
  ],
  [
    'issued credit note CN-000001 for invoice INV-000001',
    {
      action: 'POST /v1/credit-notes',
      target: { ...invoice, type: 'credit_note', name: 'CN-000001' },
      names: { [otherId]: 'INV-000001' },
      changes: { amount: { to: 1250 }, invoiceId: { to: otherId } },
    },
  ],
])('an entry says: %s', (text, parts) => {
  expect(sentenceText(auditSentence(entry(parts)))).toBe(text);
});

const writes = routes
  .filter(({ method, readsOnly, isIngest }) => method !== 'GET' && !readsOnly && !isIngest)
  .map(({ method, path }) => `${method} /v1${path}`);

test.each(writes)('a sentence says what %s does', (action) => {
  expect(sentenceText(auditSentence(entry({ action })))).not.toContain('called');
});

test('a target with a page is a link to it', () => {
  expect(auditSentence(entry({}))).toEqual([
    'created ',
    'product ',
    { text: 'Pro', href: `/products/${id}` },
  ]);
});

test('an actor is a name, an address, a key or the system', () => {
  const operator = entry({}).actor;
  expect(actorText(operator)).toBe('Olivia');
  expect(actorText({ ...operator, name: null })).toBe('olivia@example.com');
  expect(actorText({ type: 'API_KEY', id, email: null, name: null })).toBe('API key …6789abcd');
});

test.each([
  [201, 'OPERATOR', undefined],
  [409, 'OPERATOR', 'Failed (409)'],
  [null, 'OPERATOR', 'Outcome unknown'],
  [null, 'SYSTEM', undefined],
] as const)('a write with the status %s by an %s has the outcome %s', (status, type, text) => {
  const actor = { type, id, email: null, name: null };
  expect(failureText({ status, actor })).toBe(text);
});
