import type { Finding } from './check';

/** Amounts of an invoice that its document repeats, in minor units. */
export interface InvoiceAmounts {
  readonly id: string;
  readonly status: string;
  readonly billingReason: string;
  readonly lines: readonly {
    readonly amount: bigint;
    readonly discountAmount: bigint;
    readonly tax: bigint;
  }[];
  /** Σ of the discounts of the invoice. */
  readonly discounts: bigint;
  /** Σ of the rows of taxes; null: the invoice is not taxed. */
  readonly taxes: { readonly base: bigint; readonly amount: bigint } | null;
  /** Σ of the successful payments, without overpayments. */
  readonly paid: bigint;
  readonly balanceApplied: bigint;
  /** Σ of what credit notes have lowered. */
  readonly reduced: bigint;
}

/** Usage of a meter that the invoices of a subscription bill, and that metering has settled. */
export interface BilledUsage {
  readonly subscriptionId: string;
  readonly meterId: string;
  /** Decimal texts. */
  readonly billed: string;
  readonly settled: string;
}

/** I1, I19: amounts of an invoice that do not agree with its lines. */
export function checkAmounts(invoice: InvoiceAmounts): Finding[] {
  const { id, lines, discounts, taxes } = invoice;
  const sum = (amounts: readonly bigint[]) => amounts.reduce((all, amount) => all + amount, 0n);
  const subtotal = sum(lines.map(({ amount }) => amount));
  const tax = sum(lines.map((line) => line.tax));
  const ofLines = sum(lines.map(({ discountAmount }) => discountAmount));
  const total = subtotal - discounts + tax;
  const differs = (noun: string, rows: bigint, expected: bigint): Finding[] => {
    const text = `the ${noun} of invoice ${id} are ${String(rows)}, and its lines have ${String(expected)}`;
    return rows === expected ? [] : [{ invariant: 'I1', text }];
  };
  return [
    ...differs('discounts', discounts, ofLines),
    ...differs('taxes', taxes?.amount ?? 0n, tax),
    ...(taxes === null ? [] : differs('bases of taxes', taxes.base, subtotal - discounts)),
    ...(total < 0n ? [{ invariant: 'I1', text: `the total of invoice ${id} is below 0` }] : []),
    ...checkDebt(invoice, total),
  ];
}

function checkDebt(invoice: InvoiceAmounts, total: bigint): Finding[] {
  const { id, status, billingReason, paid, balanceApplied, reduced } = invoice;
  const debt = total - paid - balanceApplied - reduced;
  // The payer of a session confirms an invoice of 0.
  const isOpen = status === 'OPEN' && billingReason !== 'CHECKOUT';
  const isWrong = (status === 'PAID' && debt !== 0n) || (isOpen && debt <= 0n);
  const text = `invoice ${id} is ${status}, and ${String(debt)} of it is outstanding`;
  return isWrong ? [{ invariant: 'I19', text }] : [];
}

/** I4: usage without a settlement would be billed again once its events are sent again. */
export function checkUsage(usages: readonly BilledUsage[]): Finding[] {
  return usages
    .filter(({ billed, settled }) => fixedPoint(billed) > fixedPoint(settled))
    .map(({ subscriptionId, meterId, billed, settled }) => ({
      invariant: 'I4',
      text: `subscription ${subscriptionId} is billed ${billed} of meter ${meterId}, and metering has settled ${settled}`,
    }));
}

// More than quantities have.
const decimals = 30;

/** Converts a decimal text to a whole number of 10⁻³⁰. */
export function fixedPoint(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const magnitude = BigInt(whole + fraction.padEnd(decimals, '0'));
  return text.startsWith('-') ? -magnitude : magnitude;
}

/** Converts a whole number of 10⁻³⁰ to a decimal text. */
export function toDecimal(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  const text = digits.slice(0, -decimals) + (fraction === '' ? '' : `.${fraction}`);
  return value < 0n ? `-${text}` : text;
}
