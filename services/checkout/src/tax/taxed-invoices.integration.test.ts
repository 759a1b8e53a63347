import { eventually, testContext } from '@billing/chassis/testing';
import {
  BillingReason,
  type Invoice,
  type LineItem,
  LineItemKind,
} from '@billing/proto/billing/checkout/v1/checkout';
import {
  BuyerFacts,
  TaxEvidenceKind,
  TaxReason,
} from '@billing/proto/billing/checkout/v1/invoice_tax';
import { TaxPrices, UpdateSellerRequest } from '@billing/proto/billing/checkout/v1/seller';
import { CollectionMethod, TaxExempt } from '@billing/proto/billing/customer/v1/customer';
import { aLineItem, aRequest, type RunningCheckout, startCheckout } from '../testing/rpc';
import { inParallel } from '../testing/store';

let running: RunningCheckout;

beforeAll(async () => {
  running = await startCheckout();
});

afterAll(() => running.stop());

const buyer = BuyerFacts.fromPartial({ buyer: { name: 'Bob', address: { country: 'DE' } } });
const sent = {
  ...{ currency: 'EUR', buyer },
  collectionMethod: CollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
};

type Context = ReturnType<typeof testContext>;

/** A seller whose legal name says whether prices contain tax. */
function setPrices(prices: TaxPrices, context: Context) {
  const request = UpdateSellerRequest.fromPartial({
    updateMask: ['legalName', 'address', 'tax', 'invoicePrefix'],
    legalName: TaxPrices[prices],
    address: { country: 'DE' },
    tax: { prices, registrations: ['DE'] },
    invoicePrefix: prices === TaxPrices.TAX_PRICES_INCLUDE_TAX ? 'IN-' : 'EX-',
  });
  return running.seller.updateSeller(request, context);
}

async function create(context: Context, lineItems: LineItem[] = [aLineItem()]): Promise<Invoice> {
  const { invoice } = await running.checkout.createInvoice(
    aRequest({ ...sent, lineItems }),
    context,
  );
  if (invoice === undefined) throw new Error('No invoice');
  return invoice;
}

test('an invoice that is created while the seller changes has the terms of one version', async () => {
  const context = testContext();
  await setPrices(TaxPrices.TAX_PRICES_EXCLUDE_TAX, context);
  const [invoices] = await Promise.all([
    inParallel(20, () => create(context)),
    (async () => {
      for (let round = 0; round < 10; round += 1) {
        const isEven = round % 2 === 0;
        await setPrices(
          isEven ? TaxPrices.TAX_PRICES_INCLUDE_TAX : TaxPrices.TAX_PRICES_EXCLUDE_TAX,
          context,
        );
      }
    })(),
  ]);
  const seen = invoices.map((invoice) => {
    const { seller, tax, total, number = '', pricesIncludeTax } = invoice;
    const isOdd = (seller?.version ?? 0n) % 2n === 1n;
    return {
      isOdd,
      name: seller?.legalName,
      tax,
      total,
      prefix: number.slice(0, 3),
      pricesIncludeTax,
    };
  });
  const excluding = {
    ...{ isOdd: true, name: 'TAX_PRICES_EXCLUDE_TAX', tax: 551n, total: 3451n, prefix: 'EX-' },
    pricesIncludeTax: false,
  };
  const including = {
    ...{ isOdd: false, name: 'TAX_PRICES_INCLUDE_TAX', tax: 463n, total: 2900n, prefix: 'IN-' },
    pricesIncludeTax: true,
  };
  for (const one of seen) expect(one).toEqual(one.isOdd ? excluding : including);
  const counters = invoices.map(({ number = '' }) => Number(number.slice(3)));
  expect(counters.toSorted((a, b) => a - b)).toEqual(counters.map((_, index) => index + 1));
});

test('an invoice that is created again after the seller has changed stays as it was', async () => {
  const context = testContext();
  await setPrices(TaxPrices.TAX_PRICES_EXCLUDE_TAX, context);
  const request = aRequest(sent);
  const first = await running.checkout.createInvoice(request, context);
  await setPrices(TaxPrices.TAX_PRICES_INCLUDE_TAX, context);
  expect(await running.checkout.createInvoice(request, context)).toEqual(first);
});

test('a quote has the amounts of the invoice, and stores nothing', async () => {
  const context = testContext();
  await setPrices(TaxPrices.TAX_PRICES_EXCLUDE_TAX, context);
  const request = aRequest(sent);
  const { lineItems, ...quote } = await running.checkout.quoteInvoice(
    { invoice: request },
    context,
  );
  const { total } = await running.checkout.listInvoices({ page: 1, perPage: 1 }, context);
  expect(total).toBe(0);
  expect(quote).toMatchObject({ subtotal: 2900n, tax: 551n, total: 3451n, balanceApplied: 0n });
  const { invoice } = await running.checkout.createInvoice(request, context);
  expect(invoice).toMatchObject({ ...quote, lineItems });
});

test('a line that corrects another is taxed like that one (M13)', async () => {
  const context = testContext();
  await setPrices(TaxPrices.TAX_PRICES_EXCLUDE_TAX, context);
  const source = await create(context, [aLineItem(10_000n)]);
  const [line] = source.lineItems;
  const taxedAs = { invoiceId: source.id, lineItemId: line?.id ?? '' };
  const changed = await create(context, [
    { ...aLineItem(-5000n), taxedAs },
    { ...aLineItem(15_000n), taxCategory: 'standard' },
  ]);
  expect(changed).toMatchObject({ tax: 1900n, total: 11_900n });
  const plain = await create(testContext(), [aLineItem()]);
  expect(plain).toMatchObject({ tax: 0n, total: 2900n, seller: undefined, taxes: [] });
  expect(plain.lineItems[0]?.taxReason).toBe(TaxReason.TAX_REASON_UNSPECIFIED);
  const foreign = { ...aLineItem(), taxedAs: { invoiceId: plain.id, lineItemId: line?.id ?? '' } };
  await expect(create(context, [foreign])).rejects.toMatchObject({
    fields: { lineItems: ['taxedAs: Line not found'] },
  });
});

test('a bill of lines put off is created although its buyer pays no tax any more', async () => {
  const context = testContext();
  await setPrices(TaxPrices.TAX_PRICES_EXCLUDE_TAX, context);
  const source = await create(context, [aLineItem(10_000n)]);
  const taxedAs = { invoiceId: source.id, lineItemId: source.lineItems[0]?.id ?? '' };
  const kind = LineItemKind.LINE_ITEM_KIND_REMAINING_TIME;
  const lineItems = [
    { ...aLineItem(-5000n), kind: LineItemKind.LINE_ITEM_KIND_UNUSED_TIME, taxedAs },
    { ...aLineItem(5500n), kind },
  ];
  const reverse = { ...buyer, taxExempt: TaxExempt.TAX_EXEMPT_REVERSE };
  const bill = (billingReason: BillingReason) =>
    aRequest({ ...sent, buyer: reverse, lineItems, billingReason });
  const ofEnd = bill(BillingReason.BILLING_REASON_SUBSCRIPTION_CANCEL);
  const quote = await running.checkout.quoteInvoice({ invoice: ofEnd }, context);
  expect(quote).toMatchObject({ tax: 0n, total: 500n });
  const { invoice } = await running.checkout.createInvoice(ofEnd, context);
  expect(invoice).toMatchObject({ tax: 0n, total: 500n });
  // A change is not stored yet when its invoice is quoted.
  const ofChange = bill(BillingReason.BILLING_REASON_SUBSCRIPTION_CHANGE);
  await expect(running.checkout.quoteInvoice({ invoice: ofChange }, context)).rejects.toMatchObject(
    { fields: { lines: ['Total must not be negative'] } },
  );
  const { invoice: ofStored } = await running.checkout.createInvoice(ofChange, context);
  expect(ofStored).toMatchObject({ total: 500n });
});

test('an invoice keeps the country of the card to which it is charged, and is not taxed by it', async () => {
  const context = testContext();
  await setPrices(TaxPrices.TAX_PRICES_EXCLUDE_TAX, context);
  const { customerId, ...request } = aRequest({ currency: 'EUR' });
  const authorizedTransactionId = 'txn_4000002760000016';
  await running.checkout.createInvoice(
    { ...request, customerId, authorizedTransactionId },
    context,
  );
  const { TAX_EVIDENCE_KIND_CARD_COUNTRY: card, TAX_EVIDENCE_KIND_DEFAULT: home } = TaxEvidenceKind;
  await eventually(async () => {
    const next = aRequest({ currency: 'EUR', customerId });
    const { invoice } = await running.checkout.createInvoice(next, context);
    expect(invoice?.taxEvidence).toMatchObject([
      { kind: card, value: 'DE' },
      { kind: home, value: 'DE' },
    ]);
  });
});
