import { systemClock } from '@billing/chassis/clock';
import { testContext } from '@billing/chassis/testing';
import { CreateOneOffInvoiceRequest } from '@billing/proto/billing/checkout/v1/checkout';
import { TaxPrices, UpdateSellerRequest } from '@billing/proto/billing/checkout/v1/seller';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { type RunningCheckout, startCheckout } from '../testing/rpc';
import { Shop } from '../testing/shop-rpc';
import { inParallel } from '../testing/store';

const shop = new Shop();
let running: RunningCheckout;

beforeAll(async () => {
  running = await startCheckout(systemClock, { CUSTOMER_ADDRESS: await shop.start() });
});

afterAll(async () => {
  await running.stop();
  await shop.stop();
});

type Context = ReturnType<typeof testContext>;
const { TAX_PRICES_EXCLUDE_TAX: exclude, TAX_PRICES_INCLUDE_TAX: include } = TaxPrices;

/** A seller whose name, net days and prefix say whether prices contain tax. */
function setSeller(prices: TaxPrices, context: Context) {
  const isIncluded = prices === include;
  const request = UpdateSellerRequest.fromPartial({
    updateMask: ['legalName', 'address', 'tax', 'invoicePrefix', 'netDays'],
    legalName: isIncluded ? 'Including' : 'Excluding',
    address: { country: 'DE' },
    tax: { prices, registrations: ['DE'] },
    invoicePrefix: isIncluded ? 'IN-' : 'EX-',
    netDays: isIncluded ? 20 : 10,
  });
  return running.seller.updateSeller(request, context);
}

async function aDraft(customerId: string, context: Context): Promise<string> {
  const request = CreateOneOffInvoiceRequest.fromPartial({
    ...{ customerId, lines: [{ description: 'Setup', amount: 2900n }] },
    collectionMethod: CollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
  });
  const { invoice } = await running.checkout.createOneOffInvoice(request, context);
  return invoice?.id ?? '';
}

test('drafts that are finalized while the seller changes have the terms of one version', async () => {
  const context = testContext();
  await setSeller(exclude, context);
  const { id: customerId } = shop.aCustomer();
  const drafts = await inParallel(20, () => aDraft(customerId, context));
  const [finalized] = await Promise.all([
    Promise.all(
      drafts.map(async (id) => (await running.checkout.finalizeInvoice({ id }, context)).invoice!),
    ),
    (async () => {
      for (let round = 0; round < 10; round += 1) {
        await setSeller(round % 2 === 0 ? include : exclude, context);
      }
    })(),
  ]);
  const daysUntil = (due: Date | undefined, from: Date | undefined) =>
    Math.round(((due?.getTime() ?? 0) - (from?.getTime() ?? 0)) / 86_400_000);
  for (const invoice of finalized) {
    const { seller, tax, total, number = '', pricesIncludeTax, dueDate, finalizedAt } = invoice;
    // The first version excludes tax, and each later one is the other.
    const isIncluded = (seller?.version ?? 0n) % 2n === 0n;
    expect({
      ...{ name: seller?.legalName, tax, total, pricesIncludeTax, prefix: number.slice(0, 3) },
      netDays: daysUntil(dueDate, finalizedAt),
    }).toEqual(
      isIncluded
        ? {
            ...{ name: 'Including', tax: 463n, total: 2900n, pricesIncludeTax: true },
            ...{ prefix: 'IN-', netDays: 20 },
          }
        : {
            ...{ name: 'Excluding', tax: 551n, total: 3451n, pricesIncludeTax: false },
            ...{ prefix: 'EX-', netDays: 10 },
          },
    );
  }
  const counters = finalized.map(({ number = '' }) => Number(number.slice(3)));
  expect(counters.toSorted((a, b) => a - b)).toEqual(counters.map((_, index) => index + 1));
  // The document stays as it was finalized.
  for (const { id, total } of finalized) {
    const { invoice } = await running.checkout.getInvoice({ id }, context);
    expect(invoice?.total).toBe(total);
  }
});
