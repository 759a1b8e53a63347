import type { components } from '@billing/client';
import type { Interval } from './calendar';
import type { Currency } from './people';

/** A product in the demo's shop. */
export interface Offer {
  /** `lookupKey` of the product. */
  readonly key: OfferKey;
  readonly currency: Currency;
  readonly interval: Interval;
  readonly trialDays: number;
  readonly hasSeats: boolean;
  readonly isMetered: boolean;
}

type Schemas = components['schemas'];
type Rate = Schemas['SetMeterPrices']['prices'][number];

export type OfferKey = 'starter' | 'team' | 'team-eu' | 'business' | 'api' | 'coaching';
export type MeterName = 'API calls' | 'Storage';
export type DiscountCode = 'WELCOME20' | 'LAUNCH10' | 'PARTNER15' | 'YEAR25';

export const oneTimeKey = 'onboarding';

function offer(key: OfferKey, interval: Interval, more: Partial<Offer> = {}): Offer {
  const usual = { currency: 'USD', trialDays: 0, hasSeats: false, isMetered: false } as const;
  return { ...usual, key, interval, ...more };
}

export const offers: Readonly<Record<OfferKey, Offer>> = {
  starter: offer('starter', 'MONTHLY', { trialDays: 14 }),
  team: offer('team', 'MONTHLY', { hasSeats: true }),
  'team-eu': offer('team-eu', 'MONTHLY', { currency: 'EUR', hasSeats: true }),
  business: offer('business', 'YEARLY'),
  api: offer('api', 'MONTHLY', { isMetered: true }),
  coaching: offer('coaching', 'WEEKLY'),
};

/** Bodies of `POST /v1/products`. */
export const products: readonly (Schemas['CreateProduct'] & { readonly lookupKey: string })[] = [
  {
    lookupKey: 'starter',
    name: 'Starter',
    description: 'For one person. Two weeks for nothing, then monthly.',
    type: 'FLAT',
    currency: 'USD',
    amount: 1900,
    billingInterval: 'MONTHLY',
    trialDays: 14,
  },
  {
    lookupKey: 'team',
    name: 'Team',
    description: 'Monthly, by seat: the more seats, the less each costs.',
    type: 'VOLUME',
    currency: 'USD',
    amount: 1200,
    billingInterval: 'MONTHLY',
    tiers: [
      { upTo: '10', unitAmount: '1200' },
      { upTo: '25', unitAmount: '1050' },
      { upTo: null, unitAmount: '900' },
    ],
  },
  {
    lookupKey: 'team-eu',
    name: 'Team (Europe)',
    description: 'Monthly, by seat, in euros.',
    type: 'PER_UNIT',
    currency: 'EUR',
    amount: 1100,
    billingInterval: 'MONTHLY',
  },
  {
    lookupKey: 'business',
    name: 'Business',
    description: 'A year for the price of ten months.',
    type: 'FLAT',
    currency: 'USD',
    amount: 149000,
    billingInterval: 'YEARLY',
  },
  {
    lookupKey: 'api',
    name: 'API',
    description: 'Monthly, with 10,000 calls and 10 GB; what goes beyond is billed afterwards.',
    type: 'FLAT',
    currency: 'USD',
    amount: 4900,
    billingInterval: 'MONTHLY',
  },
  {
    lookupKey: 'coaching',
    name: 'Coaching',
    description: 'An hour with an engineer, every week.',
    type: 'FLAT',
    currency: 'USD',
    amount: 2500,
    billingInterval: 'WEEKLY',
  },
  {
    lookupKey: oneTimeKey,
    name: 'Onboarding',
    description: 'A workshop, once.',
    type: 'FLAT',
    currency: 'USD',
    amount: 39000,
    billingInterval: 'ONE_TIME',
  },
];

/** Bodies of `POST /v1/meters`. */
export const meters: readonly (Schemas['CreateMeter'] & { readonly name: MeterName })[] = [
  { name: 'API calls', aggregation: 'SUM', unit: 'calls' },
  { name: 'Storage', aggregation: 'MAX', unit: 'GB' },
];

/** Body of `PATCH /v1/products/:id/meter-prices` for the offer `api`. */
export const meterPrices: readonly (Omit<Rate, 'meterId'> & { readonly meter: MeterName })[] = [
  {
    meter: 'API calls',
    type: 'TIERED',
    includedUnits: '10000',
    tiers: [
      { upTo: '50000', unitAmount: '0.4' },
      { upTo: null, unitAmount: '0.25' },
    ],
  },
  { meter: 'Storage', type: 'PER_UNIT', includedUnits: '10', unitAmount: '20' },
];

/** Bodies of `POST /v1/discounts`; `for` restricts a discount to some products. */
export const discounts: readonly (Omit<Schemas['CreateDiscount'], 'productIds'> & {
  readonly code: DiscountCode;
  readonly for?: readonly OfferKey[];
})[] = [
  {
    code: 'WELCOME20',
    name: 'Welcome',
    type: 'PERCENTAGE',
    value: 20,
    duration: 'REPEATING',
    durationInMonths: 3,
  },
  {
    code: 'LAUNCH10',
    name: 'Ten off the first invoice',
    type: 'FIXED',
    value: 1000,
    currency: 'USD',
    duration: 'ONCE',
    maxRedemptions: 25,
  },
  { code: 'PARTNER15', name: 'Partner', type: 'PERCENTAGE', value: 15, duration: 'FOREVER' },
  {
    code: 'YEAR25',
    name: 'First year',
    type: 'PERCENTAGE',
    value: 25,
    duration: 'ONCE',
    for: ['business'],
  },
];

/** The offers of the public checkout link. */
export const linkOffers: readonly OfferKey[] = ['starter', 'team', 'coaching'];
