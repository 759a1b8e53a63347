import type { toJsonPayments } from '@billing/gateway/operator/money-report-routes';
import { largestFirst } from '../../parts/text/amount';

export type Payments = ReturnType<typeof toJsonPayments>;
export type PaymentsMonth = Payments['months'][number];

/** Payments in the requested currency if any, otherwise in the one with most invoiced. */
export function chosenPayments(data: readonly Payments[], currency: string): Payments | undefined {
  return data.find((one) => one.currency === currency) ?? largestFirst(data, invoicedLast)[0];
}

/** Money that came in less refunds and lost disputes, in the smallest unit. */
export function netPaymentsOf({
  collected,
  external,
  refunded,
  disputesLost,
}: PaymentsMonth): bigint {
  return BigInt(collected) + BigInt(external) - BigInt(refunded) - BigInt(disputesLost);
}

/** True for a month in which anything happened. */
export function hasPayments({ month: _month, ...sums }: PaymentsMonth): boolean {
  return Object.values(sums).some((sum) => Number(sum) !== 0);
}

function invoicedLast({ months }: Payments): number | string {
  return months.at(-1)?.invoiced ?? 0;
}
