import type { Finding } from './check';

/** Successful charges and refunds of an invoice. Amounts are minor units. */
export interface ChargedInvoice {
  readonly id: string;
  /** Charges at a provider that pay the invoice: not those that went to the balance as a whole. */
  readonly charges: number;
  /** Refunds that are made or under way, by payment. */
  readonly refunds: readonly {
    readonly paymentId: string;
    readonly refunded: bigint;
    readonly paid: bigint;
  }[];
}

/** Balance and its entries. Amounts are minor units. */
export interface BalanceSums {
  readonly id: string;
  readonly balance: bigint;
  readonly entries: bigint;
  readonly sequence: number;
  readonly count: number;
}

/** Numbers of one series in one environment. */
export interface NumberSeries {
  /** `invoice` or `credit note`. */
  readonly noun: string;
  readonly environmentId: string;
  /** Code of the restore that has begun the series; null: the one before any restore. */
  readonly code: string | null;
  readonly count: number;
  readonly highest: number;
}

/** Redemptions that are held or confirmed. */
export interface RedemptionSums {
  readonly discountId: string;
  readonly taken: number;
  readonly max: number;
}

/** Sums of the documents of a closed system. */
export interface Sums {
  readonly chargedInvoices: readonly ChargedInvoice[];
  readonly balances: readonly BalanceSums[];
  readonly series: readonly NumberSeries[];
  readonly redemptions: readonly RedemptionSums[];
}

/** Checks money, numbers and redemptions against the documents that they are the sums of. */
export function checkSums({ chargedInvoices, balances, series, redemptions }: Sums): Finding[] {
  return [
    ...redemptions.filter(({ taken, max }) => taken > max).map(overRedeemed),
    ...chargedInvoices.filter(({ charges }) => charges > 1).map(chargedTwice),
    ...series.filter(({ count, highest }) => count !== highest).map(withGap),
    ...balances.flatMap(wrongBalance),
    ...chargedInvoices.flatMap(refundedTooMuch),
  ];
}

const overRedeemed = ({ discountId, taken, max }: RedemptionSums): Finding => ({
  invariant: 'I3',
  text: `discount ${discountId} is redeemed ${String(taken)} times, at most ${String(max)} are allowed`,
});

const chargedTwice = ({ id, charges }: ChargedInvoice): Finding => ({
  invariant: 'I6',
  text: `invoice ${id} is paid by ${String(charges)} charges`,
});

function withGap({ noun, environmentId, code, count, highest }: NumberSeries): Finding {
  const series = code === null ? 'before any restore' : `of restore ${code}`;
  const numbers = `the ${noun} numbers ${series} in environment ${environmentId}`;
  return {
    invariant: 'I12',
    text: `${numbers} have a gap: ${String(count)} up to ${String(highest)}`,
  };
}

function wrongBalance({ id, balance, entries, sequence, count }: BalanceSums): Finding[] {
  const finding = (text: string) => ({ invariant: 'I20', text: `balance ${id} ${text}` });
  return [
    ...(balance === entries
      ? []
      : [finding(`is ${String(balance)}, and its entries are ${String(entries)}`)]),
    ...(sequence === count
      ? []
      : [finding(`has ${String(count)} entries, and should have ${String(sequence)}`)]),
  ];
}

function refundedTooMuch({ id, refunds }: ChargedInvoice): Finding[] {
  return refunds
    .filter(({ refunded, paid }) => refunded > paid)
    .map(({ paymentId, refunded, paid }) => {
      const amounts = `${String(refunded)} of ${String(paid)}`;
      const text = `payment ${paymentId} of invoice ${id} is refunded too much: ${amounts}`;
      return { invariant: 'I22', text };
    });
}
