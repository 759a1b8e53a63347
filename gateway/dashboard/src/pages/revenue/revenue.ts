import type { toJsonRevenue } from '@billing/gateway/dashboard/money-report-routes';
import { largestFirst } from './largest-first';

export type Revenue = ReturnType<typeof toJsonRevenue>;
export type RevenueMonth = Revenue['months'][number];

/** What a month added to the recurring revenue, all in all, in the smallest unit. */
export function netOf({
  new: added,
  expansion,
  contraction,
  churned,
}: Pick<RevenueMonth, 'new' | 'expansion' | 'contraction' | 'churned'>): bigint {
  return BigInt(added) + BigInt(expansion) - BigInt(contraction) - BigInt(churned);
}

/** The columns of the chart: what came stands up, what went hangs down. */
export function movementsOf(
  months: readonly RevenueMonth[],
): readonly { readonly label: string; readonly values: readonly number[] }[] {
  const up = (name: 'new' | 'expansion') => months.map((month) => Number(month[name]));
  const down = (name: 'contraction' | 'churned') => months.map((month) => 0 - Number(month[name]));
  return [
    { label: 'New', values: up('new') },
    { label: 'Expansion', values: up('expansion') },
    { label: 'Churned', values: down('churned') },
    { label: 'Contraction', values: down('contraction') },
  ];
}

/** The currency that is shown: the wanted one where it has revenue, else the one that has most of it. */
export function chosenRevenue(data: readonly Revenue[], currency: string): Revenue | undefined {
  return data.find((one) => one.currency === currency) ?? largestFirst(data, recurringNow)[0];
}

function recurringNow({ months }: Revenue): number | string {
  return months.at(-1)?.mrr ?? 0;
}
