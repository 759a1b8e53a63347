import { type Currency, exponentOf } from '@billing/kernel/currency';
import { DomainError } from '@billing/kernel/domain-error';
import type { EInvoiceProfile, VatCategory } from '@billing/presentation/e-invoice';
import { type Invoice, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import {
  type InvoiceBuyer,
  type InvoiceSeller,
  TaxStatus,
} from '@billing/proto/billing/checkout/v1/invoice_tax';

/** Limit of decimals of an amount in EN 16931. */
const decimalsMax = 2;

const withoutDocument = [
  InvoiceStatus.INVOICE_STATUS_DRAFT,
  InvoiceStatus.INVOICE_STATUS_VOID,
] as const satisfies readonly InvoiceStatus[];

/** Refuses an invoice that may still change, is voided or is not taxed. */
export function checkFinalised({ status, taxStatus }: Pick<Invoice, 'status' | 'taxStatus'>): void {
  const hasDocument = !withoutDocument.some((one) => one === status);
  if (!hasDocument || taxStatus !== TaxStatus.TAX_STATUS_FINAL) {
    throw refused('E_INVOICE_NEEDS_FINALISED_INVOICE', 'a finalised invoice');
  }
}

/** Decimals of the currency; refuses one with more than amounts can have. */
export function checkedDecimals(currency: string): number {
  const decimals = exponentOf(currency as Currency);
  if (decimals > decimalsMax) {
    throw refused('E_INVOICE_NEEDS_CURRENCY', 'a currency with at most 2 decimals');
  }
  return decimals;
}

/** Facts that a document needs to be valid. */
export interface NeededFacts {
  readonly seller: InvoiceSeller | undefined;
  readonly buyer: InvoiceBuyer | undefined;
  readonly categories: readonly VatCategory[];
  readonly profile: EInvoiceProfile;
}

/** Seller and buyer of a document; refuses missing facts by their paths. */
export function checkedParties(facts: NeededFacts): {
  readonly seller: InvoiceSeller;
  readonly buyer: InvoiceBuyer;
} {
  const missing = missingPaths(facts);
  const { seller, buyer } = facts;
  if (missing.length > 0 || seller === undefined || buyer === undefined) {
    throw refused('E_INVOICE_NEEDS_FIELDS', missing.join(', '));
  }
  return { seller, buyer };
}

function missingPaths({ seller, buyer, categories, profile }: NeededFacts): string[] {
  const isOutOfScope = categories.includes('O');
  const needed: [string, unknown][] = [
    isOutOfScope
      ? ['seller.registrationNumber', seller?.registrationNumber]
      : ['seller.taxIds', seller?.taxIds[0]],
    ['buyer.name', buyer?.name],
    ['buyer.address.country', buyer?.address?.country],
    ...(categories.includes('AE') ? [['buyer.taxIds', buyer?.taxIds[0]] as [string, unknown]] : []),
    ...(profile === 'XRECHNUNG' ? neededByXRechnung(seller, buyer) : []),
  ];
  return needed.filter(([, value]) => value === undefined || value === '').map(([path]) => path);
}

function neededByXRechnung(
  seller: InvoiceSeller | undefined,
  buyer: InvoiceBuyer | undefined,
): [string, unknown][] {
  return [
    ['seller.contactName', seller?.contactName],
    ['seller.phone', seller?.phone],
    ['seller.email', seller?.email],
    ['seller.address.city', seller?.address?.city],
    ['seller.address.postalCode', seller?.address?.postalCode],
    ['seller.bankAccount', seller?.bankAccount],
    ['buyer.email', buyer?.email],
    ['buyer.address.city', buyer?.address?.city],
    ['buyer.address.postalCode', buyer?.address?.postalCode],
    ['buyer.buyerReference', buyer?.buyerReference],
  ];
}

function refused(reason: string, needed: string): DomainError {
  return new DomainError('failed_precondition', reason, `E-invoice needs ${needed}`);
}
