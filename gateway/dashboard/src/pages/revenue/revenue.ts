import type { toJsonRevenue } from '@billing/gateway/operator/money-report-routes';
import { largestFirst } from '../../parts/text/amount';

export type Revenue = ReturnType<typeof toJsonRevenue>;
export type RevenueMonth = Revenue['months'][number];

/** Net change of the recurring revenue in a month, in the smallest unit. */
export function netOf({
  new: added,
  expansion,
  reactivation,
  contraction,
  churned,
}: Pick<RevenueMonth, 'new' | 'expansion' | 'reactivation' | 'contraction' | 'churned'>): bigint {
  const gains = BigInt(added) + BigInt(expansion) + BigInt(reactivation);
  return gains - BigInt(contraction) - BigInt(churned);
}

/** Columns of the chart: gains are positive, losses are negative. */
export function movementsOf(
  months: readonly RevenueMonth[],
): readonly { readonly label: string; readonly values: readonly number[] }[] {
  const up = (of: (month: RevenueMonth) => number) => months.map(of);
  const down = (name: 'contraction' | 'churned') => months.map((month) => 0 - Number(month[name]));
  return [
    { label: 'New', values: up((month) => Number(month.new)) },
    {
      label: 'Expansion, reactivation',
      values: up(({ expansion, reactivation }) => Number(expansion) + Number(reactivation)),
    },
    { label: 'Churned', values: down('churned') },
    { label: 'Contraction', values: down('contraction') },
  ];
}

/** Revenue in the requested currency if any, otherwise in the currency with the most revenue. */
export function chosenRevenue(data: readonly Revenue[], currency: string): Revenue | undefined {
  return data.find((one) => one.currency === currency) ?? largestFirst(data, recurringNow)[0];
}

function recurringNow({ months }: Revenue): number | string {
  return months.at(-1)?.mrr ?? 0;
}
