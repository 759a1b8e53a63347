import {
  BillingInterval,
  MeterPrice,
  MeterPricingType,
  Price,
  PricingType,
  Product,
} from '@billing/proto/billing/catalog/v1/catalog';
import { Invoice, InvoiceStatus, PaymentStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { CheckoutLink, CollectedFact } from '@billing/proto/billing/checkout/v1/checkout_link';
import { Session, SessionStatus } from '@billing/proto/billing/checkout/v1/session';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import { Meter } from '@billing/proto/billing/metering/v1/metering';
import type { CardEntry } from './payment/card-form';
import { challengePage, processingPage } from './payment/challenge-page';
import { creditNotePage } from './invoice/credit-note-page';
import { confirmInvoiceCardPage, invoicePage } from './invoice/page';
import { closedLinkPage, linkPage } from './link/page';
import { completePage, confirmCardPage, expiredPage, payPage } from './session/page';
import { payerScripts } from './frame/payer-script';
import { type Page, redirectAnswer } from './frame/shell';
import { html } from './frame/html';
import { englishWords, pseudoLocale, usePseudoLanguage } from './frame/testing/pseudo-language';
import { shownAnswer, shownPage } from './frame/testing/shown-page';
import { usageRates } from './terms/usage-terms';

// Replaces every text from outside the gateway.
const hostile = `"><script>alert('x')</script><img src=x onerror="alert(1)"></title></style>`;
const hostileUrl = `javascript:alert('${hostile}')`;
const escapedHostile = html`${hostile}`.for({ locale: 'en' });

beforeAll(usePseudoLanguage);

const now = new Date('2026-01-31T10:00:00Z');
const place = { path: '/checkout/token', isTest: true };

const price = Price.fromPartial({
  type: PricingType.PRICING_TYPE_FLAT,
  currency: 'USD',
  amount: 2900n,
  billingInterval: BillingInterval.BILLING_INTERVAL_MONTHLY,
  intervalCount: 1,
});

const invoice = Invoice.fromPartial({
  number: hostile,
  status: InvoiceStatus.INVOICE_STATUS_OPEN,
  currency: 'USD',
  subtotal: 2900n,
  total: 2900n,
  amountDue: 2900n,
  amountPaid: 1n,
  createdAt: now,
  hostedUrl: hostileUrl,
  discounts: [{ name: hostile, amount: 1n }],
  payments: [{ status: PaymentStatus.PAYMENT_STATUS_FAILED, failureCode: hostile }],
  lineItems: [
    {
      description: hostile,
      quantity: '2',
      amount: 2900n,
      details: { tiers: [{ quantity: '2', unitAmount: '1', flatAmount: '1', amount: '3' }] },
    },
  ],
});

const session = Session.fromPartial({
  id: 'id',
  status: SessionStatus.SESSION_STATUS_OPEN,
  quantity: 1,
  product: { name: hostile, description: hostile, price },
  successUrl: hostileUrl,
  cancelUrl: hostileUrl,
  checkoutUrl: hostileUrl,
  lastPaymentError: { code: hostile, message: hostile },
});

const customer = Customer.fromPartial({ name: hostile, email: hostile });
const { COLLECTED_FACT_NAME, COLLECTED_FACT_ADDRESS } = CollectedFact;
const typed = { email: hostile, quantity: hostile, name: hostile, line1: hostile };
const link = CheckoutLink.fromPartial({
  quantity: { min: 1, max: 5 },
  collect: [COLLECTED_FACT_NAME, COLLECTED_FACT_ADDRESS],
  label: hostile,
  url: hostileUrl,
  returnUrl: hostileUrl,
  discountId: hostile,
});
const product = Product.fromPartial({ id: hostile, name: hostile, description: hostile, price });

const form: CardEntry = { kind: 'FORM' };
const redirect: CardEntry = { kind: 'REDIRECT' };
const problems = {
  ...{ number: [hostile], expiry: [hostile], code: [hostile], email: [hostile] },
  ...{ quantity: [hostile], name: [hostile], country: [hostile] },
};
const kept = { name: hostile };
const rates = usageRates(
  [
    MeterPrice.fromPartial({
      meterId: 'id',
      type: MeterPricingType.METER_PRICING_TYPE_PER_UNIT,
      unitAmount: '1',
    }),
  ],
  [Meter.fromPartial({ id: 'id', name: hostile, unit: hostile })],
);
const sessionView = {
  session,
  invoice,
  rates,
  action: undefined,
  isPaying: false,
  customerLocale: undefined,
  now,
  ...place,
};
const note = { id: hostile, number: hostile, memo: hostile, currency: 'USD' };
const creditNotes = [
  CreditNote.fromPartial({
    ...note,
    total: 1n,
    reduced: 1n,
    issuedAt: now,
    lines: [{ description: hostile }],
  }),
];
const invoiceView = { invoice, customer, creditNotes, ...place };
const linkView = {
  link,
  products: [{ ...product, isDiscounted: false }],
  rates: [rates],
  taxNote: 'PLUS_TAX' as const,
  ...place,
};

/** Markup of the only scripts that pages may load. */
const ownScript = new RegExp(
  `<script src="(${payerScripts.map(({ path }) => path).join('|')})" defer></script>`,
);

const pages: Readonly<Record<string, Page>> = {
  'the page that takes a card': payPage(sessionView, {
    ...{ entry: form, isOptional: false, problems, kept },
  }),
  'its retry': payPage(sessionView, { entry: form, isOptional: false }),
  'the page that leads to a provider': payPage(sessionView, { entry: redirect, isOptional: true }),
  'the page that takes no card': payPage(sessionView, { entry: undefined, isOptional: true }),
  'the confirmation of a card': confirmCardPage(sessionView, hostile),
  'the page of thanks': completePage(sessionView),
  'the expired session': expiredPage(sessionView),
  'the challenge': challengePage(place, { attempt: 1, isOurs: true, amount: hostile }),
  'the challenge of a card that is only kept': challengePage(place, {
    attempt: 1,
    isOurs: true,
    amount: undefined,
  }),
  'the running payment': processingPage(place),
  'the invoice to pay': invoicePage(invoiceView, { entry: form, problems, kept }),
  'the invoice after a decline': invoicePage(invoiceView, { entry: form }),
  'the invoice to look at': invoicePage(invoiceView),
  'the credit note': creditNotePage(invoiceView, hostile),
  'the confirmation of a card for an invoice': confirmInvoiceCardPage(invoiceView, hostile),
  'the link': linkPage(linkView, { nonce: hostile, typed, productId: hostile }, problems),
  'the closed link': closedLinkPage(place),
};

function shown(page: Page): string {
  return shownPage(page);
}

/** Tags and attribute names, without contents. */
function skeleton(markup: string): string {
  return markup.replace(/"[^"]*"/g, '""').replace(/>[^<]*</g, '><');
}

describe.each(Object.entries(pages))('%s', (_name, page) => {
  test('escapes texts from outside', () => {
    const markup = shown(page).replace(ownScript, '');
    expect(markup).not.toMatch(/<script|<img|onerror="|javascript:/i);
    // One of each shows that none was closed early.
    expect(markup.match(/<\/title>/g)).toHaveLength(1);
    expect(markup.match(/<\/style>/g)).toHaveLength(2);
  });

  test('loads no resource except its own script', () => {
    const markup = shown(page);
    expect(skeleton(markup.replace(ownScript, ''))).not.toMatch(
      /<link|<iframe|<object|\sstyle=|\son\w+=|\ssrc=|url\(|@import/i,
    );
    const scripts = ownScript.test(markup) ? "script-src 'self'; connect-src 'self'; " : '';
    expect(shownAnswer(page).headers).toMatchObject({
      'Content-Security-Policy': expect.stringMatching(
        new RegExp(
          `^default-src 'none'; style-src 'sha256-[^']+' 'sha256-[^']+'; ${scripts}base-uri 'none'; form-action 'self'; frame-ancestors 'none'$`,
        ),
      ),
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
  });

  test('shows no text that a pseudo-language leaves in English', () => {
    const markup = shownPage(page, { reader: { locale: pseudoLocale } });
    expect(englishWords(markup, escapedHostile)).toEqual([]);
  });

  test('labels every field', () => {
    const markup = shown(page);
    for (const [, id] of markup.matchAll(/<(?:input|select)\s+id="(\w+)"/g)) {
      expect(markup).toContain(`<label for="${id ?? ''}"`);
    }
    for (const [, id] of markup.matchAll(/aria-describedby="([^"]+)"/g)) {
      for (const one of (id ?? '').split(' ')) expect(markup).toContain(`id="${one}"`);
    }
  });
});

describe('redirect targets of forms', () => {
  const policy = (address: string) =>
    shownAnswer({ title: '', content: '', formTargets: [address] }).headers?.[
      'Content-Security-Policy'
    ];

  test.each([
    ['https://shop.example/thanks?x=1', 'https://shop.example'],
    ['http://localhost:3000/', 'http://localhost:3000'],
    ['http://[::1]:3000/', 'http:'],
    ['https://üñï.example/', 'https://xn--gdad6a.example'],
    ["https://a.example/;script-src 'unsafe-inline'", 'https://a.example'],
  ])('%s is named in the policy as %s', (address, source) => {
    expect(policy(address)).toContain(`form-action 'self' ${source}; frame`);
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'nonsense'])(
    '%s is not named in the policy',
    (address) => {
      expect(policy(address)).toContain("form-action 'self'; frame");
    },
  );
});

test('an address is sent unchanged if a header can contain it', () => {
  const location = (address: string) => redirectAnswer(address).headers?.Location;
  expect(location('https://shop.example/a?b=%20#c')).toBe('https://shop.example/a?b=%20#c');
  expect(location('https://shop.example/ü')).toBe('https://shop.example/%C3%BC');
});
