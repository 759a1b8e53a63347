import type { Callers } from '@billing/chassis/callers';
import type { BalanceServiceServer } from '@billing/proto/billing/checkout/v1/balance';
import type { BrandingServiceServer } from '@billing/proto/billing/checkout/v1/branding';
import type { CheckoutServiceServer } from '@billing/proto/billing/checkout/v1/checkout';
import type { CheckoutLinkServiceServer } from '@billing/proto/billing/checkout/v1/checkout_link';
import type { CreditNoteServiceServer } from '@billing/proto/billing/checkout/v1/credit_note';
import type { HostedPageServiceServer } from '@billing/proto/billing/checkout/v1/hosted_page';
import type { ObligationServiceServer } from '@billing/proto/billing/checkout/v1/obligation';
import type { PaymentServiceServer } from '@billing/proto/billing/checkout/v1/payment';
import type { PaymentMethodServiceServer } from '@billing/proto/billing/checkout/v1/payment_method';
import type { RefundServiceServer } from '@billing/proto/billing/checkout/v1/refund';
import type { CheckoutReportServiceServer } from '@billing/proto/billing/checkout/v1/report';
import type { SellerServiceServer } from '@billing/proto/billing/checkout/v1/seller';
import type { SessionServiceServer } from '@billing/proto/billing/checkout/v1/session';

// Services that may call each method of this service, checked where certificates identify the
// caller.

export const checkoutCallers: Callers<CheckoutServiceServer> = {
  createInvoice: ['subscription'],
  createInvoices: ['subscription'],
  quoteInvoice: ['subscription'],
  quoteInvoices: ['subscription'],
  getInvoice: ['gateway', 'subscription', 'notifier'],
  listInvoices: ['gateway'],
  getBilledCurrency: ['gateway', 'subscription'],
  voidDerivedInvoice: ['subscription'],
  resolveAuthorization: ['subscription'],
  voidInvoice: ['gateway'],
  markUncollectible: ['gateway'],
  createOneOffInvoice: ['gateway'],
  updateDraftInvoice: ['gateway'],
  deleteDraftInvoice: ['gateway'],
  finalizeInvoice: ['gateway'],
  endCollection: ['subscription'],
  reserveForChange: ['subscription'],
  releaseForChange: ['subscription'],
  issueCreditNote: ['subscription'],
};

export const obligationCallers: Callers<ObligationServiceServer> = {
  getObligations: ['customer'],
};

export const sessionCallers: Callers<SessionServiceServer> = {
  createSession: ['gateway'],
  previewSession: ['gateway'],
  getSession: ['gateway'],
  paySession: ['gateway'],
  changeSessionBuyer: ['gateway'],
  answerSessionChallenge: ['gateway'],
  applyDiscountCode: ['gateway'],
  removeDiscountCode: ['gateway'],
  checkSessionRedemption: ['discount'],
  listSessions: ['gateway'],
};

export const checkoutLinkCallers: Callers<CheckoutLinkServiceServer> = {
  createCheckoutLink: ['gateway'],
  getCheckoutLink: ['gateway'],
  listCheckoutLinks: ['gateway'],
  updateCheckoutLink: ['gateway'],
};

export const balanceCallers: Callers<BalanceServiceServer> = {
  listBalances: ['gateway'],
  createBalanceEntry: ['gateway'],
  listBalanceEntries: ['gateway'],
  getBalanceEntry: ['gateway'],
};

export const creditNoteCallers: Callers<CreditNoteServiceServer> = {
  createCreditNote: ['gateway'],
  listCreditNotes: ['gateway', 'notifier'],
  getCreditNote: ['gateway'],
};

export const refundCallers: Callers<RefundServiceServer> = {
  listRefunds: ['gateway'],
  getRefund: ['gateway'],
  settleRefund: ['gateway'],
  listDisputes: ['gateway'],
  getDispute: ['gateway'],
};

export const sellerCallers: Callers<SellerServiceServer> = {
  getSeller: ['gateway'],
  updateSeller: ['gateway'],
  getLogo: ['gateway', 'notifier'],
  createTaxRate: ['gateway'],
  listTaxRates: ['gateway'],
  getTaxRate: ['gateway'],
  updateTaxRate: ['gateway'],
};

export const brandingCallers: Callers<BrandingServiceServer> = {
  getBranding: ['gateway', 'notifier'],
  updateBranding: ['gateway'],
};

export const paymentCallers: Callers<PaymentServiceServer> = {
  payInvoice: ['gateway'],
  recordPayment: ['gateway'],
  answerInvoiceChallenge: ['gateway'],
  savePaymentMethod: ['gateway'],
  beginCardEntry: ['gateway'],
  finishCardEntry: ['gateway'],
  listProviderReports: ['gateway'],
  receiveProviderEvent: ['gateway'],
};

export const paymentMethodCallers: Callers<PaymentMethodServiceServer> = {
  listPaymentMethods: ['gateway'],
  listExpiringCards: ['gateway'],
  keepPaymentMethod: ['gateway'],
  removePaymentMethod: ['gateway'],
};

export const hostedPageCallers: Callers<HostedPageServiceServer> = {
  findHostedPage: ['gateway'],
};

export const checkoutReportCallers: Callers<CheckoutReportServiceServer> = {
  getFunnel: ['gateway'],
  getDunning: ['gateway'],
  listInvoicesAtRisk: ['gateway'],
  getInvoiceCollection: ['gateway'],
  getCustomerAccount: ['gateway'],
  getRecentSales: ['gateway'],
  getTaxReport: ['gateway'],
  getPaymentsReport: ['gateway'],
  getProviderState: ['gateway'],
};
