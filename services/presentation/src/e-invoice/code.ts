import { Decimal } from '@billing/kernel/decimal';
import type { EInvoice, VatCategory } from './e-invoice';

/** BT-24: specification that a document follows. */
export const specifications = {
  EN16931: 'urn:cen.eu:en16931:2017',
  XRECHNUNG: 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
} as const;

/** BT-23: billing process of Peppol, which XRechnung requires. */
export const billingProcess = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0';

/** BT-3 (UNTDID 1001). */
export const typeCodes = { INVOICE: '380', CREDIT_NOTE: '381' } as const;

/** Unit "one" (UN/ECE Recommendation 20). */
export const unitCode = 'C62';

/** Reason "discount" of an allowance (UNTDID 5189). */
export const discountCode = '95';

/** Scheme of electronic addresses that are email addresses. */
export const emailScheme = 'EM';

/** BT-121 (VATEX); an exemption has a text only. */
export const exemptionCodes: Partial<Record<VatCategory, string>> = {
  AE: 'VATEX-EU-AE',
  O: 'VATEX-EU-O',
};

/** BT-81 (UNTDID 4461): SEPA credit transfer in euro, otherwise credit transfer. */
export function transferCode({ currency }: Pick<EInvoice, 'currency'>): string {
  return currency === 'EUR' ? '58' : '30';
}

/** Amount in the major unit with all decimals of the currency: 2900n is `29.00`. */
export function amountCode(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? '-' : '';
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0');
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Price in the major unit with as many decimals as it has. */
export function priceCode(unitPrice: string, decimals: number): string {
  const { unscaled, scale } = Decimal.parse(unitPrice);
  return Decimal.of(unscaled, scale + decimals).toString();
}

/** Day in UTC: `2026-01-31`. */
export function dayCode(at: Date): string {
  return at.toISOString().slice(0, 10);
}
