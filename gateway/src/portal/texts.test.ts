import { BillingInterval, Price, PricingType } from '@billing/proto/billing/catalog/v1/catalog';
import { Invoice, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { Balance } from '@billing/proto/billing/checkout/v1/balance';
import { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { PaymentMethod } from '@billing/proto/billing/checkout/v1/payment_method';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import { UsageState } from '@billing/proto/billing/metering/v1/metering';
import { ChangeStatus } from '@billing/proto/billing/subscription/v1/change';
import {
  ChangeSettlement,
  PreviewChangeResponse,
} from '@billing/proto/billing/subscription/v1/change_service';
import { Plan } from '@billing/proto/billing/subscription/v1/plan';
import { SubscriptionStatus } from '@billing/proto/billing/subscription/v1/subscription';
import { cardScript } from '../pages/frame/payer-script';
import type { Page } from '../pages/frame/shell';
import { html } from '../pages/frame/html';
import {
  englishWords,
  pseudoLocale,
  usePseudoLanguage,
} from '../pages/frame/testing/pseudo-language';
import { shownPage } from '../pages/frame/testing/shown-page';
import { cancellationPage } from './cancellation-page';
import { detailsOf, detailsPage } from './details-page';
import {
  signInLinkPage,
  signedOutPage,
  expiredVisitPage,
  usedSignInLinkPage,
} from './sign-in-link-page';
import { invoiceListPage } from './invoice-list-page';
import { portalCreditNotePage, portalInvoicePage } from './invoice-payment';
import { overviewPage } from './overview-page';
import { confirmMethodPage, methodsPage } from './payment-method-page';
import { planPage } from './plan-page';
import { planReviewPage } from './plan-review-page';
import { signInPage, signInRequestedPage } from './sign-in/sign-in-page';
import { usagePage } from './usage-page';

// Replaces every text from outside the gateway.
const hostile = `"><script>alert('x')</script><img src=x onerror="alert(1)"></title></style>`;
const escapedHostile = html`${hostile}`.for({ locale: 'en' });

beforeAll(usePseudoLanguage);

const now = new Date('2026-01-31T10:00:00Z');
const visit = {
  customerId: 'id',
  returnUrl: `javascript:alert('${hostile}')`,
  siteUrl: 'https://pay.example',
  formToken: hostile,
  isTest: true,
};
const price = Price.fromPartial({
  type: PricingType.PRICING_TYPE_FLAT,
  currency: 'USD',
  amount: 2900n,
  billingInterval: BillingInterval.BILLING_INTERVAL_MONTHLY,
  intervalCount: 1,
});
const status = SubscriptionStatus.SUBSCRIPTION_STATUS_PAST_DUE;
const plan = Plan.fromPartial({
  productName: hostile,
  subscription: {
    id: hostile,
    status,
    currency: 'USD',
    quantity: 1,
    price,
    currentPeriodEnd: now,
    pendingChange: {
      id: hostile,
      status: ChangeStatus.CHANGE_STATUS_PENDING,
      effectiveAt: now,
      to: { items: [{ productId: 'later', quantity: 1, price }] },
    },
  },
  upcoming: { at: now, subtotal: 2n, discountAmount: 1n, total: 1n, discountName: hostile },
});
const ended = Plan.fromPartial({
  productName: hostile,
  subscription: { status: SubscriptionStatus.SUBSCRIPTION_STATUS_CANCELED, endedAt: now },
});
const customer = Customer.fromPartial({
  name: hostile,
  email: hostile,
  phone: hostile,
  address: { line1: hostile, country: hostile },
});
const invoice = Invoice.fromPartial({
  id: hostile,
  number: hostile,
  status: InvoiceStatus.INVOICE_STATUS_OPEN,
  currency: 'USD',
  total: 2900n,
  amountDue: 2900n,
  createdAt: now,
  hostedUrl: visit.returnUrl,
  lineItems: [{ description: hostile, quantity: '1', amount: 2900n }],
  discounts: [{ name: hostile, amount: 1n }],
});
const method = PaymentMethod.fromPartial({
  id: hostile,
  brand: hostile,
  last4: hostile,
  createdAt: now,
});
const state = UsageState.fromPartial({
  meterName: hostile,
  unit: hostile,
  subscriptionId: hostile,
  periodStart: now,
  periodEnd: now,
  usage: '5',
  includedUnits: '4',
  creditsGranted: '1',
  creditsRemaining: '1',
  overage: '1',
  estimatedAmount: 5n,
  currency: 'USD',
});
const methods = [{ ...method, isDefault: true }, method];
const problems = { number: [hostile], email: [hostile], country: [hostile] };
const entry = { kind: 'FORM' } as const;
const creditNotes = [
  CreditNote.fromPartial({
    ...{ id: hostile, number: hostile, memo: hostile, currency: 'USD', total: 100n, reduced: 100n },
    issuedAt: now,
  }),
];
const place = { path: '/portal/invoices/id', formToken: hostile, isTest: true };
const view = { invoice, customer, creditNotes, ...place };
const overview = {
  visit,
  customer,
  plans: [plan, ended],
  openInvoices: [invoice],
  usage: [state],
  balances: [Balance.fromPartial({ currency: 'USD', balance: 1n })],
  methods,
  settings: { products: [hostile], quantity: true },
  productNames: new Map([['later', hostile]]),
  done: hostile,
  now,
};

const chosen = { productId: hostile, name: hostile, price, isCurrent: false };
const choice = { visit, plan, offer: { plans: [chosen], hasQuantity: true } };
const { lineItems, discounts } = invoice;
const preview = PreviewChangeResponse.fromPartial({
  at: now,
  effectiveAt: now,
  token: hostile,
  dueNow: 2900n,
  creditNotes: [
    { amount: 500n, settledBy: ChangeSettlement.CHANGE_SETTLEMENT_BALANCE },
    { amount: 700n, settledBy: ChangeSettlement.CHANGE_SETTLEMENT_BALANCE },
  ],
  invoice: { currency: 'USD', total: 2900n, amountDue: 2900n, lineItems, discounts },
  usageInvoice: { total: 100n, currency: 'USD' },
  nextInvoice: { total: 2900n, currency: 'USD', periodStart: now },
});
const review = {
  visit,
  plan,
  chosen,
  wanted: { productId: hostile, quantity: 2 },
  preview,
  method,
  notice: undefined,
};

/** Markup of the only script that a page may load. */
const ownScript = `<script src="${cardScript.path}" defer></script>`;

const pages: Readonly<Record<string, Page>> = {
  'the request of a link': signInPage({ path: '/portal/sign-in/id', isTest: true }),
  'the requested link': signInRequestedPage({ isTest: true }),
  'the sign-in page': signInLinkPage({ path: '/portal/token', isTest: true, locale: undefined }),
  'the used sign-in link': usedSignInLinkPage({ isUsed: true, locale: undefined }),
  'the page after signing out': signedOutPage(visit),
  'the page of an expired session': expiredVisitPage(),
  'the overview': overviewPage(overview),
  'the usage': usagePage(visit, [state]),
  'the invoices': invoiceListPage(visit, { invoices: [invoice], page: 2, pages: 3 }),
  'an invoice to pay': portalInvoicePage(visit, view, { methods, entry, problems }),
  'a credit note': portalCreditNotePage(visit, view, hostile),
  'an invoice of a purchase': portalInvoicePage(
    visit,
    { ...view, invoice: { ...invoice, checkoutSessionId: hostile } },
    undefined,
  ),
  'the payment methods': methodsPage({ visit, methods, entry, problems, done: hostile, now }),
  'a refusal': methodsPage({ visit, methods, entry, refusal: hostile, now }),
  'the confirmation of a card': confirmMethodPage(visit, hostile, false),
  'the cancellation': cancellationPage(visit, plan, { hasUsagePrices: true }),
  'the plans': planPage({ ...choice, typed: { quantity: hostile } }),
  'a refused choice of a plan': planPage({
    ...choice,
    problems: { productId: [hostile], quantity: [hostile] },
    refusal: hostile,
  }),
  'the review of a change': planReviewPage(review),
  'the review of a change after a decline': planReviewPage({
    ...review,
    notice: { kind: 'DECLINED', message: hostile },
  }),
  'the contact details': detailsPage(visit, { typed: detailsOf(customer), problems }),
};

describe.each(Object.entries(pages))('%s', (_name, page) => {
  const markup = shownPage(page);

  test('the page escapes texts from outside', () => {
    expect(markup.replace(ownScript, '')).not.toMatch(/<script|<img|onerror="|javascript:/i);
    // Exactly one of each, so none was closed early.
    expect(markup.match(/<\/title>/g)).toHaveLength(1);
    expect(markup.match(/<\/style>/g)).toHaveLength(2);
  });

  test('the page shows no text that a pseudo-language leaves in English', () => {
    const pseudo = shownPage(page, { reader: { locale: pseudoLocale } });
    expect(englishWords(pseudo, escapedHostile)).toEqual([]);
  });

  test('the page labels every field and has one main heading', () => {
    for (const [, id] of markup.matchAll(/<(?:input|select)\s+id="(\w+)"/g)) {
      expect(markup).toContain(`<label for="${id ?? ''}">`.slice(0, -1));
    }
    expect(markup.match(/<h1/g)).toHaveLength(1);
  });

  test('the forms of the page carry the form token, except on the sign-in page', () => {
    const forms = markup.match(/<form /g) ?? [];
    const tokens = markup.match(/name="form_token"/g) ?? [];
    expect(tokens).toHaveLength(page.header === undefined ? 0 : forms.length);
  });
});

test('the review of a change says what is due, given back, and due next', () => {
  const markup = shownPage(planReviewPage(review));
  for (const text of ['Pay $29.00 and change plan', 'Added to your balance</dt>', '$12.00']) {
    expect(markup).toContain(text);
  }
  expect(markup).not.toContain('Taken off open invoices');
});

test('usage whose cost is over the largest amount is not shown as free', () => {
  const usage = [{ ...state, estimatedAmount: undefined }];
  for (const page of [overviewPage({ ...overview, usage }), usagePage(visit, usage)]) {
    const markup = shownPage(page);
    expect(markup).toContain('over the maximum invoice amount');
    expect(markup).not.toContain('about $0.00');
  }
});
