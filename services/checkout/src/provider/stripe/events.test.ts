import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { StripeEvents } from './events';
import { signedNotice } from '../../testing/stripe-provider';

const secret = 'whsec_test';
const now = systemClock.now();
const ids = { organizationId: newId(), environmentId: newId(), invoiceId: newId() };
const metadata = {
  billing_organization_id: ids.organizationId,
  billing_environment_id: ids.environmentId,
  billing_invoice_id: ids.invoiceId,
  billing_key: `${ids.invoiceId}:1`,
};
const succeeded = 'payment_intent.succeeded';

function notice(type = succeeded, object: unknown = { id: 'pi_1', metadata }, at = now) {
  return { provider: 'stripe', ...signedNotice({ type, object }, { secret, at }) };
}

const events = new StripeEvents(secret);

test.each([
  succeeded,
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'payment_intent.amount_capturable_updated',
])('the event %s leads to the invoice of a live environment', async (type) => {
  const { organizationId, environmentId, invoiceId } = ids;
  const tenant = { organizationId, environmentId, live: true, manualClock: false };
  expect(await events.read(notice(type))).toMatchObject({ tenant, invoiceId });
});

test('only a success names its payment', async () => {
  expect(await events.read(notice())).toMatchObject({ succeeded: 'pi_1' });
  const failed = await events.read(notice('payment_intent.payment_failed'));
  expect(failed?.succeeded).toBeUndefined();
});

test.each<[string, string, unknown]>([
  ['of another kind', 'customer.created', { id: 'cus_1', metadata }],
  ['of a kind of later years', 'payment_intent.teleported', { id: 'pi_1', metadata }],
  ['about a payment that is not ours', succeeded, { id: 'pi_1', metadata: {} }],
  ['about a payment without metadata', succeeded, { id: 'pi_1', metadata: null }],
  [
    'with ids that cannot be ours',
    succeeded,
    { metadata: { ...metadata, billing_invoice_id: '1' } },
  ],
])('an event %s is ignored', async (_case, type, object) => {
  expect(await events.read(notice(type, object))).toBeUndefined();
});

test.each([
  ['usd', 900, 900n],
  ['isk', 90_000, 900n],
  ['ugx', 90_000, 900n],
  ['mga', 9, 900n],
])('an amount refunded in %s is reported in our units', async (currency, sent, amount) => {
  const charge = { object: 'charge', payment_intent: 'pi_1', currency, amount_refunded: sent };
  expect(await events.readReport(notice('charge.refunded', charge))).toMatchObject({
    ...{ kind: 'REFUND', providerPaymentId: 'pi_1', amount, currency: currency.toUpperCase() },
  });
});

test.each(['refund.created', 'refund.updated', 'refund.failed'])(
  'the event %s is the reason to read the refunds of its payment',
  async (type) => {
    const refund = { object: 'refund', payment_intent: 'pi_1', amount: 900, currency: 'usd' };
    expect(await events.readReport(notice(type, refund))).toEqual({
      kind: 'REFUND_CHANGED',
      providerPaymentId: 'pi_1',
    });
    const other = { ...refund, payment_intent: null };
    expect(await events.readReport(notice(type, other))).toBeUndefined();
  },
);

describe('a signature is refused', () => {
  const refused = expect.objectContaining({ kind: 'permission', reason: 'BAD_SIGNATURE' }) as Error;
  const tampered = notice();
  tampered.body[20] = (tampered.body[20] ?? 0) ^ 1;
  const { body } = notice();
  const other = signedNotice({ type: succeeded, object: {} }, { secret: 'whsec_other', at: now });

  test.each([
    ['of other bytes', tampered],
    ['of another secret', { provider: 'stripe', ...other }],
    [
      'of more than five minutes ago',
      notice(succeeded, { metadata }, new Date(now.getTime() - 301_000)),
    ],
    ['malformed', { provider: 'stripe', body, signature: 'v1=0' }],
    ['missing', { provider: 'stripe', body, signature: '' }],
  ])('if it is %s', async (_case, received) => {
    await expect(events.read(received)).rejects.toEqual(refused);
  });
});

test('a refused signature does not expose the body', async () => {
  const refusal = await events
    .read({ ...notice(), signature: '' })
    .catch((error: unknown) => error);
  expect((refusal as Error).cause).toBeUndefined();
});

test('an event of another provider is refused', async () => {
  await expect(events.read({ ...notice(), provider: 'paypal' })).rejects.toMatchObject({
    kind: 'not_found',
    reason: 'PROVIDER_NOT_FOUND',
  });
});
