import { quantityText } from '@billing/gateway/amount-text';
import type { toJsonCreditGrant } from '@billing/proto/json/credit-grant';
import type { toJsonUsageState } from '@billing/proto/json/usage/usage-state';
import { useRefusal } from '../../api/environment';
import { useResource } from '../../api/queries';
import { dayColumn, moneyColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { DialogButton } from '../../parts/overlay/dialog';
import { EmptyState, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { ResourceTable } from '../../parts/table/resource-table';
import { wordsText } from '../../parts/text/text';
import { coveredDaysText } from '../../parts/text/time-text';
import { StatusBadge } from '../../parts/element/values';
import { CreditForm } from './credit-form';

type UsageState = ReturnType<typeof toJsonUsageState>;
type CreditGrant = ReturnType<typeof toJsonCreditGrant>;

const usageColumns: readonly Column<UsageState>[] = [
  { title: 'Meter', text: ({ meterName }) => meterName },
  { title: 'Used', align: 'end', text: ({ usage, unit }) => unitsText(usage, unit) },
  { title: 'Included', align: 'end', text: ({ includedUnits }) => quantityText(includedUnits) },
  {
    title: 'Credits remaining',
    align: 'end',
    text: ({ creditsRemaining, creditsGranted }) =>
      `${quantityText(creditsRemaining)} of ${quantityText(creditsGranted)}`,
  },
  { title: 'Balance', align: 'end', text: ({ balance }) => quantityText(balance) },
  moneyColumn(
    'Estimated amount',
    ({ estimatedAmount }) => estimatedAmount,
    ({ currency }) => currency,
  ),
  {
    title: 'Period',
    text: ({ periodStart, periodEnd }) => `${periodStart} to ${periodEnd}`,
    cell: ({ periodStart, periodEnd }) => coveredDaysText(periodStart, periodEnd),
  },
];

/** Usage of a customer in the current period, and the remaining balance. */
export function UsagePanel({ customerId }: { customerId: string }) {
  const states = useResource<readonly UsageState[]>(`/v1/customers/${customerId}/state`);
  return (
    <Panel title="Usage and balance">
      <Answer of={states} what="usage">
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="No usage">
              Usage appears when a subscribed product has a usage-based price, or when events arrive
              through <code>POST /v1/events/ingest</code>.
            </EmptyState>
          ) : (
            <DataTable
              caption="Usage"
              columns={usageColumns}
              rows={rows}
              rowKey={({ meterId, subscriptionId }) => `${meterId} ${subscriptionId ?? ''}`}
            />
          )
        }
      </Answer>
    </Panel>
  );
}

const creditColumns: readonly Column<CreditGrant>[] = [
  { title: 'Credits', text: ({ name, source }) => name ?? wordsText(source) },
  {
    title: 'Status',
    text: ({ status }) => wordsText(status),
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  { title: 'Remaining', align: 'end', text: ({ remaining }) => quantityText(remaining) },
  { title: 'Granted', align: 'end', text: ({ amount }) => quantityText(amount) },
  dayColumn('Effective from', ({ effectiveAt }) => effectiveAt),
  dayColumn('Expires', ({ expiresAt }) => expiresAt),
];

/** Paid and promotional credits of a customer. */
export function CreditPanel({ customerId }: { customerId: string }) {
  const refusal = useRefusal('customers');
  return (
    <Panel
      title="Credits"
      actions={
        <DialogButton label="Grant credits" tone="quiet" refusal={refusal}>
          {(close) => <CreditForm customerId={customerId} onDone={close} />}
        </DialogButton>
      }
    >
      <ResourceTable<CreditGrant>
        caption="Credits"
        list="credits"
        path={`/v1/customers/${customerId}/meter-credits`}
        hasOrder
        columns={creditColumns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No credits">
            Add prepaid units on top of the plan with <em>Grant credits</em>.
          </EmptyState>
        }
      />
    </Panel>
  );
}

function unitsText(quantity: string, unit: string | null): string {
  return unit === null ? quantityText(quantity) : `${quantityText(quantity)} ${unit}`;
}
