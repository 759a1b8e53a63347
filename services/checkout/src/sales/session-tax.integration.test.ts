import type { CallContext } from '@billing/chassis/call-context';
import { eventually, testContext } from '@billing/chassis/testing';
import { InvoiceStatus, PaymentStatus } from '@billing/proto/billing/checkout/v1/checkout';
import {
  TaxEvidenceKind,
  TaxReason,
  TaxStatus,
} from '@billing/proto/billing/checkout/v1/invoice_tax';
import { type Session, SessionStatus } from '@billing/proto/billing/checkout/v1/session';
import { TaxIdType } from '@billing/proto/billing/customer/v1/customer';
import { inParallel } from '../testing/store';
import { outcomeOf, type RunningShop, startShop } from '../testing/session-rpc';

const rounds = 8;

let shop: RunningShop;

beforeAll(async () => {
  shop = await startShop();
});

afterAll(() => shop.stop());

/** A session of a seller that taxes, for a customer without a country. */
async function aTaxedSession(context: CallContext) {
  await shop.setTax(context);
  return shop.create(context);
}

const taxIn = (session: Session, country: string, context: CallContext, taxId?: string) =>
  shop.sessions.changeSessionBuyer({ id: session.id, country, taxId }, context);

const pay = async (
  session: Session,
  expectedAmount: bigint | undefined,
  context: CallContext,
  number = '4242424242424242',
) => {
  const paymentMethodId = await shop.aMethod(session, number, context);
  const payment = { id: session.id, paymentMethodId, returnUrl: '', expectedAmount };
  return shop.sessions.paySession(payment, context);
};

test('a session is taxed by what its payer types, and fills its customer once it is paid', async () => {
  const context = testContext();
  const { session, invoice } = await aTaxedSession(context);
  expect(invoice).toMatchObject({ tax: 551n, total: 3451n });
  const typed = { country: 'FR', state: 'Bretagne', name: 'Bob', taxId: 'FR40303265045' };
  const changed = await shop.sessions.changeSessionBuyer({ id: session.id, ...typed }, context);
  expect(changed.invoice).toMatchObject({
    ...{ tax: 0n, total: 2900n, taxStatus: TaxStatus.TAX_STATUS_ESTIMATED },
    taxes: [{ reason: TaxReason.TAX_REASON_REVERSE_CHARGE, country: 'FR' }],
    buyer: { name: 'Bob', address: { country: 'FR', state: 'Bretagne' } },
  });
  const paid = await pay(session, 2900n, context);
  expect(paid.invoice).toMatchObject({
    ...{ status: InvoiceStatus.INVOICE_STATUS_PAID, total: 2900n, amountPaid: 2900n },
    taxStatus: TaxStatus.TAX_STATUS_FINAL,
  });
  const filled = await eventually(() => {
    const one = shop.peers.filled.find(({ id }) => id === session.customerId);
    if (one === undefined) throw new Error('Not filled yet');
    return Promise.resolve(one);
  });
  expect(filled).toMatchObject({
    ...{ country: 'FR', state: 'Bretagne', name: 'Bob' },
    taxId: { type: TaxIdType.TAX_ID_TYPE_EU_VAT, value: 'FR40303265045' },
  });
});

test('a session keeps the country of the card that paid it, not of one that was declined', async () => {
  const context = testContext();
  const { session } = await aTaxedSession(context);
  await pay(session, 3451n, context, '4000000000000002');
  const { invoice } = await pay(session, 3451n, context, '4000002760000016');
  const { TAX_EVIDENCE_KIND_CARD_COUNTRY: card, TAX_EVIDENCE_KIND_DEFAULT: home } = TaxEvidenceKind;
  expect(invoice).toMatchObject({ tax: 551n, taxStatus: TaxStatus.TAX_STATUS_FINAL });
  expect(invoice?.taxEvidence).toMatchObject([
    { kind: card, value: 'DE' },
    { kind: home, value: 'DE' },
  ]);
});

test('a wrong field is refused under its name and changes nothing', async () => {
  const context = testContext();
  const { session } = await aTaxedSession(context);
  const before = await shop.read(session.id, context);
  await expect(taxIn(session, 'FR', context, 'FR1')).rejects.toMatchObject({
    fields: { taxId: ['Invalid EU VAT id'] },
  });
  await expect(
    shop.sessions.changeSessionBuyer({ id: session.id, name: 'Bob' }, context),
  ).rejects.toMatchObject({ fields: { country: ['Required'] } });
  expect(await shop.read(session.id, context)).toEqual(before);
});

test('a payment of another amount than is due charges nothing, and can be tried again', async () => {
  const context = testContext();
  const { session } = await aTaxedSession(context);
  await taxIn(session, 'FR', context);
  await expect(pay(session, 3451n, context)).rejects.toMatchObject({ reason: 'AMOUNT_CHANGED' });
  const { session: open, invoice, isPaying } = await shop.read(session.id, context);
  expect(open).toMatchObject({ status: SessionStatus.SESSION_STATUS_OPEN });
  expect(open?.lastPaymentError).toBeUndefined();
  expect([isPaying, invoice?.payments]).toEqual([false, []]);
  const paid = await pay(session, 3480n, context);
  expect(paid.session?.status).toBe(SessionStatus.SESSION_STATUS_COMPLETE);
});

test('a session begun without tax stays without it', async () => {
  const context = testContext();
  const { session } = await shop.create(context);
  await shop.setTax(context);
  const { invoice } = await taxIn(session, 'FR', context);
  expect(invoice).toMatchObject({ tax: 0n, total: 2900n, taxes: [] });
});

test('a session begun without tax stays without it when a code replaces its invoice', async () => {
  const context = testContext();
  shop.peers.aDiscount({ code: 'HALF' });
  const { session } = await shop.create(context, { allowDiscountCodes: true });
  const { id } = session;
  await shop.setTax(context);
  const untaxed = { tax: 0n, taxes: [], taxStatus: TaxStatus.TAX_STATUS_NONE };
  const applied = await shop.sessions.applyDiscountCode({ id, code: 'half' }, context);
  expect(applied.invoice).toMatchObject({ ...untaxed, total: 1450n });
  // Each invoice follows the one before.
  const removed = await shop.sessions.removeDiscountCode({ id }, context);
  expect(removed.invoice).toMatchObject({ ...untaxed, total: 2900n });
  expect((await pay(session, 2900n, context)).invoice).toMatchObject({
    ...{ ...untaxed, amountPaid: 2900n },
    seller: { legalName: 'Ada GmbH' },
  });
});

test('a payer who types while another pays is charged what the paying page has shown', async () => {
  await inParallel(rounds, async (round) => {
    const context = testContext({ deadlineMs: 100_000 });
    const { session } = await aTaxedSession(context);
    const acts = [
      () => taxIn(session, 'FR', context),
      () => pay(session, 3451n, context),
      () => taxIn(session, 'FI', context),
      () => pay(session, 3480n, context),
    ];
    // Each round starts with another act.
    const from = round % acts.length;
    const order = [...acts.slice(from), ...acts.slice(0, from)];
    await Promise.all(order.map((act) => outcomeOf(act())));
    await shop.quiet(context);
    const { session: after, invoice } = await shop.read(session.id, context);
    const charged = (invoice?.payments ?? []).filter(
      ({ status }) => status === PaymentStatus.PAYMENT_STATUS_SUCCEEDED,
    );
    const isPaid = after?.status === SessionStatus.SESSION_STATUS_COMPLETE;
    expect(charged).toHaveLength(isPaid ? 1 : 0);
    if (!isPaid) {
      await pay(session, invoice?.total, context);
      return;
    }
    expect([3451n, 3480n]).toContain(charged[0]?.amount);
    expect(invoice).toMatchObject({
      ...{ total: charged[0]?.amount, amountPaid: charged[0]?.amount },
      taxStatus: TaxStatus.TAX_STATUS_FINAL,
    });
    // The taxes of a paid invoice never change.
    await taxIn(session, 'HU', context);
    const { invoice: last } = await shop.read(session.id, context);
    expect(last).toMatchObject({ taxes: invoice?.taxes, total: invoice?.total });
  });
});
