import { languages } from '@billing/presentation/locale';
import { brandColors } from '@billing/kernel/brand-colors';
import {
  BillingInterval,
  MeterPrice,
  MeterPricingType,
  Price,
  PricingType,
  Product,
} from '@billing/proto/billing/catalog/v1/catalog';
import { CheckoutLink, CollectedFact } from '@billing/proto/billing/checkout/v1/checkout_link';
import { Meter } from '@billing/proto/billing/metering/v1/metering';
import { present } from '../../http/answer';
import { defaultLook } from '../frame/look';
import { priceScript } from '../frame/payer-script';
import type { Page } from '../frame/shell';
import { stylesheet } from '../frame/stylesheet';
import { shownPage } from '../frame/testing/shown-page';
import { usageRates } from '../terms/usage-terms';
import { addressNames } from '../frame/address-fields';
import { closedLinkPage, linkPage, type LinkOffer } from './page';

const bytesMax = 20_000;

const { COLLECTED_FACT_NAME, COLLECTED_FACT_ADDRESS } = CollectedFact;
const monthly = {
  currency: 'USD',
  billingInterval: BillingInterval.BILLING_INTERVAL_MONTHLY,
  intervalCount: 1,
};
const tiers = [
  { upTo: '10', unitAmount: '500', flatAmount: '1000' },
  { upTo: '100', unitAmount: '400' },
  { unitAmount: '300' },
];
const products = ['Starter', 'Team', 'Business'].map((name, index) => ({
  ...Product.fromPartial({
    id: `01900000-0000-7000-8000-00000000000${String(index)}`,
    name,
    description: `${name} has all features, and support on each working day.`,
    price: Price.fromPartial({ ...monthly, type: PricingType.PRICING_TYPE_TIERED, tiers }),
  }),
  isDiscounted: index === 0,
}));
const rates = ['Storage', 'API calls'].map((name) => {
  const meter = Meter.fromPartial({ id: name, name, unit: 'units' });
  const type = MeterPricingType.METER_PRICING_TYPE_PER_UNIT;
  const price = MeterPrice.fromPartial({ meterId: name, type, unitAmount: '0.5' });
  return present(usageRates([price], [meter])[0]);
});

/** A link with everything that a seller can switch on. */
const offer: LinkOffer = {
  path: `/link/${'a'.repeat(43)}`,
  isTest: true,
  products,
  rates: products.map(() => rates),
  taxNote: 'PLUS_TAX',
  link: CheckoutLink.fromPartial({
    label: 'Choose your plan',
    url: `https://billing.example.com/link/${'a'.repeat(43)}`,
    returnUrl: 'https://shop.example.com/pricing',
    discountId: 'discount',
    quantity: { min: 1, max: 1_000 },
    collect: [COLLECTED_FACT_NAME, COLLECTED_FACT_ADDRESS],
  }),
};
const form = { nonce: 'n'.repeat(22), productId: products[0]?.id };
const look = {
  ...defaultLook,
  name: 'Ada Analytics',
  colors: brandColors('#2447C9'),
  logo: 'a'.repeat(64),
  supportEmail: 'help@shop.example.com',
  supportUrl: 'https://shop.example.com/help',
  termsUrl: 'https://shop.example.com/terms',
  privacyUrl: 'https://shop.example.com/privacy',
};

const texts = ['email', 'quantity', 'name', ...addressNames];
const chosen = linkPage(offer, { ...form, typed: {} });
const refused = linkPage(
  offer,
  { ...form, typed: Object.fromEntries(texts.map((name) => [name, 'Typed by the visitor'])) },
  Object.fromEntries(texts.map((name) => [name, ['Required']])),
);

test.each(languages)(
  'the page with everything on and its script have at most 20 kB in %s',
  (locale) => {
    const script = Buffer.byteLength(priceScript.source);
    const bytesOf = (page: Page) =>
      Buffer.byteLength(shownPage(page, { look, reader: { locale } })) + script;
    expect(bytesOf(chosen)).toBeLessThanOrEqual(bytesMax);
    expect(bytesOf(refused)).toBeLessThanOrEqual(bytesMax);
    expect(bytesOf(chosen)).toBeGreaterThan(bytesMax / 2);
  },
);

test.each([
  [undefined, '$15.00 every month'],
  ['PLUS_TAX', '$15.00 plus tax every month'],
  ['INCLUDING_TAX', '$15.00 including tax every month'],
] as const)('with the tax note %s a price reads %s', (taxNote, text) => {
  const page = linkPage({ ...offer, taxNote }, { ...form, typed: {} });
  expect(shownPage(page, { look })).toContain(text);
});

const classesOf = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].flatMap(([, names = '']) => names.split(' '));

test.each(Object.entries({ chosen, refused, closed: closedLinkPage(offer) }))(
  'no rule is missing from the shorter style of the %s page',
  (_name, page) => {
    const shown = shownPage(page, { look });
    const style = stylesheet({ isPlain: true }).source;
    expect(shown).toContain(`<style>${style}</style>`);
    const full = stylesheet({}).source;
    expect(full.startsWith(style)).toBe(true);
    const styled = classesOf(style, /\.([a-z-]+)/g);
    const left = classesOf(full.slice(style.length), /\.([a-z-]+)/g);
    const markup = shown.replace(/<style>.*?<\/style>/gs, '');
    const used = classesOf(markup, / class="([^"]*)"/g);
    expect(used.filter((name) => left.includes(name) && !styled.includes(name))).toEqual([]);
    expect(markup).not.toMatch(/<(table|dl|details|progress)\b/);
  },
);
