import { BillingInterval, Price, PricingType } from '@billing/proto/billing/catalog/v1/catalog';
import { CheckoutLink, CollectedFact } from '@billing/proto/billing/checkout/v1/checkout_link';
import type { OfferedProduct } from './offer';
import {
  choosableQuantity,
  customerOf,
  orderedQuantity,
  orderProblems,
  readOrderForm,
} from './order-form';

const price = Price.fromPartial({
  type: PricingType.PRICING_TYPE_PER_UNIT,
  currency: 'EUR',
  amount: 1_000_000n,
  billingInterval: BillingInterval.BILLING_INTERVAL_MONTHLY,
  intervalCount: 1,
});
const products = [{ id: 'seats', price } as OfferedProduct];
const { COLLECTED_FACT_NAME, COLLECTED_FACT_ADDRESS } = CollectedFact;

function aLink(change: Partial<CheckoutLink>): CheckoutLink {
  return CheckoutLink.fromPartial({ id: 'link', ...change });
}

function problemsOf(link: Partial<CheckoutLink>, fields: Readonly<Record<string, string>>) {
  const sent = new Map(Object.entries({ email: 'a@b.co', productId: 'seats', ...fields }));
  const offer = { link: aLink(link), products };
  return orderProblems(offer, readOrderForm(sent, offer));
}

const few = { quantity: { min: 2, max: 5 } };
const many = { quantity: { min: 1, max: 1_000_000 } };
const bounds = ['Must be a whole number from 2 to 5'];

test.each<[string, Partial<CheckoutLink>, Record<string, string>, object]>([
  ['no quantity where none is chosen', {}, {}, {}],
  ['a quantity where none is chosen', {}, { quantity: '9' }, {}],
  ['the only quantity', { quantity: { min: 5, max: 5 } }, { quantity: '9' }, {}],
  ['the smallest quantity', few, { quantity: '2' }, {}],
  ['the largest quantity', few, { quantity: ' 5 ' }, {}],
  ['too small a quantity', few, { quantity: '1' }, { quantity: bounds }],
  ['too large a quantity', few, { quantity: '6' }, { quantity: bounds }],
  ['a fraction', few, { quantity: '2.5' }, { quantity: bounds }],
  ['another notation', few, { quantity: '0x3' }, { quantity: bounds }],
  ['an empty quantity', few, { quantity: '' }, { quantity: bounds }],
  [
    'more than the maximum amount',
    many,
    { quantity: '100000' },
    { quantity: ['The total exceeds the maximum amount'] },
  ],
  ['an empty email address', {}, { email: ' ' }, { email: ['Required'] }],
  ['an unknown product', {}, { productId: 'x' }, { productId: ['Required'] }],
  ['no name', { collect: [COLLECTED_FACT_NAME] }, { name: ' ' }, { name: ['Required'] }],
  [
    'no address',
    { collect: [COLLECTED_FACT_ADDRESS] },
    {},
    { line1: ['Required'], city: ['Required'], country: ['Required'] },
  ],
  [
    'the parts that an address needs',
    { collect: [COLLECTED_FACT_ADDRESS] },
    { line1: 'Bahnhofstrasse 1', city: 'Zürich', country: 'CH' },
    {},
  ],
])('a form with %s has these problems', (_case, link, fields, problems) => {
  expect(problemsOf(link, fields)).toEqual(problems);
});

test.each<[Partial<CheckoutLink>, string | undefined, number]>([
  [{}, '7', 1],
  [few, undefined, 2],
  [few, '4', 4],
  [{ quantity: { min: 5, max: 5 } }, '4', 5],
])('with %j and %j typed the quantity is %s', (link, text, quantity) => {
  const sent = new Map<string, string>(text === undefined ? [] : [['quantity', text]]);
  const form = readOrderForm(sent, { link: aLink(link), products });
  const typed = text === undefined ? {} : form.typed;
  expect(orderedQuantity(aLink(link), { ...form, typed })).toBe(quantity);
});

test('a new customer gets only what the page asks for', () => {
  const fields = { email: 'a@b.co', productId: 'seats', name: 'Ada', line1: 'Street', city: '' };
  const sent = new Map(Object.entries(fields));
  const read = (collect: CollectedFact[]) => {
    const link = aLink({ collect });
    return customerOf(readOrderForm(sent, { link, products }), { link, products });
  };
  const known = { email: 'a@b.co', currency: 'EUR' };
  expect(read([])).toEqual({ ...known, name: undefined, address: undefined });
  expect(read([COLLECTED_FACT_NAME, COLLECTED_FACT_ADDRESS])).toEqual({
    ...known,
    name: 'Ada',
    address: { line1: 'Street' },
  });
});

test('a link whose products are all flat fees asks for no quantity', () => {
  const flat = { ...price, type: PricingType.PRICING_TYPE_FLAT };
  const offer = { link: aLink(few), products: [{ id: 'plan', price: flat } as OfferedProduct] };
  expect(choosableQuantity(offer)).toBeUndefined();
  const form = readOrderForm(new Map([['quantity', '9']]), offer);
  expect(orderedQuantity(offer.link, form)).toBe(2);
  expect(choosableQuantity({ link: aLink(few), products })).toEqual(few.quantity);
});
