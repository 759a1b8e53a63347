import { BalanceEntryKind } from '../gen/billing/checkout/v1/balance';
import {
  BillingReason,
  InvoiceStatus,
  LineItemKind,
  PaymentMethodType,
  PaymentStatus,
} from '../gen/billing/checkout/v1/checkout';
import { CreditNoteReason, CreditNoteSettlement } from '../gen/billing/checkout/v1/credit_note';
import { CollectedFact } from '../gen/billing/checkout/v1/checkout_link';
import { HostedPageKind } from '../gen/billing/checkout/v1/hosted_page';
import { TaxEvidenceKind, TaxReason, TaxStatus } from '../gen/billing/checkout/v1/invoice_tax';
import { DisputeStatus, RefundSettlement, RefundStatus } from '../gen/billing/checkout/v1/refund';
import { RiskKind } from '../gen/billing/checkout/v1/report';
import { SessionEndReason, SessionStatus } from '../gen/billing/checkout/v1/session';
import { TaxPrices, TaxRateSource } from '../gen/billing/checkout/v1/seller';
import { ChargeInitiator, CollectionProgress } from '../gen/billing/event/v1/invoice_event';
import { enumNames } from './enum-names';

export const invoiceStatuses = enumNames(InvoiceStatus, 'INVOICE_STATUS_');
export const billingReasons = enumNames(BillingReason, 'BILLING_REASON_');
export const lineKinds = enumNames(LineItemKind, 'LINE_ITEM_KIND_');
export const paymentStatuses = enumNames(PaymentStatus, 'PAYMENT_STATUS_');
export const paymentMethodTypes = enumNames(PaymentMethodType, 'PAYMENT_METHOD_TYPE_');
export const chargeInitiators = enumNames(ChargeInitiator, 'CHARGE_INITIATOR_');
export const collectionProgress = enumNames(CollectionProgress, 'COLLECTION_PROGRESS_');
export const sessionStatuses = enumNames(SessionStatus, 'SESSION_STATUS_');
export const collectedFacts = enumNames(CollectedFact, 'COLLECTED_FACT_');
export const sessionEndReasons = enumNames(SessionEndReason, 'SESSION_END_REASON_');
export const riskKinds = enumNames(RiskKind, 'RISK_KIND_');
export const hostedPageKinds = enumNames(HostedPageKind, 'HOSTED_PAGE_KIND_');
export const balanceEntryKinds = enumNames(BalanceEntryKind, 'BALANCE_ENTRY_KIND_');
export const taxPrices = enumNames(TaxPrices, 'TAX_PRICES_');
export const taxRateSources = enumNames(TaxRateSource, 'TAX_RATE_SOURCE_');
export const taxStatuses = enumNames(TaxStatus, 'TAX_STATUS_');
export const taxReasons = enumNames(TaxReason, 'TAX_REASON_');
export const taxEvidenceKinds = enumNames(TaxEvidenceKind, 'TAX_EVIDENCE_KIND_');
export const creditNoteReasons = enumNames(CreditNoteReason, 'CREDIT_NOTE_REASON_');
export const creditNoteSettlements = enumNames(CreditNoteSettlement, 'CREDIT_NOTE_SETTLEMENT_');
export const refundStatuses = enumNames(RefundStatus, 'REFUND_STATUS_');
export const refundSettlements = enumNames(RefundSettlement, 'REFUND_SETTLEMENT_');
export const disputeStatuses = enumNames(DisputeStatus, 'DISPUTE_STATUS_');
