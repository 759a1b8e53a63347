import type { Finding } from './check';

/** A charge at a provider that more than one payment has. */
export interface RepeatedCharge {
  readonly providerPaymentId: string;
  readonly invoiceIds: readonly string[];
}

/** A payment, and its refunds that are made or in progress at the provider, in minor units. */
export interface RefundedPayment {
  readonly invoiceId: string;
  readonly paymentId: string;
  readonly refunded: bigint;
  readonly paid: bigint;
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
  readonly repeatedCharges: readonly RepeatedCharge[];
  readonly refundedPayments: readonly RefundedPayment[];
  readonly balances: readonly BalanceSums[];
  readonly series: readonly NumberSeries[];
  readonly redemptions: readonly RedemptionSums[];
}

/** Checks money, numbers and redemptions against the documents that they are the sums of. */
export function checkSums(sums: Sums): Finding[] {
  return [
    ...sums.redemptions.filter(({ taken, max }) => taken > max).map(overRedeemed),
    ...sums.series.filter(({ count, highest }) => count !== highest).map(withGap),
    ...sums.balances.flatMap(wrongBalance),
    ...sums.refundedPayments.filter(({ refunded, paid }) => refunded > paid).map(overRefunded),
    ...sums.repeatedCharges.map(chargedTwice),
  ];
}

const overRedeemed = ({ discountId, taken, max }: RedemptionSums): Finding => ({
  invariant: 'I3',
  text: `discount ${discountId} is redeemed ${String(taken)} times, at most ${String(max)} are allowed`,
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

const overRefunded = ({ invoiceId, paymentId, refunded, paid }: RefundedPayment): Finding => ({
  invariant: 'I22',
  text: `payment ${paymentId} of invoice ${invoiceId} is refunded too much: ${String(refunded)} of ${String(paid)}`,
});

const chargedTwice = ({ providerPaymentId, invoiceIds }: RepeatedCharge): Finding => ({
  invariant: 'I63',
  text: `charge ${providerPaymentId} is recorded more than once: on ${invoiceIds.join(' and ')}`,
});
