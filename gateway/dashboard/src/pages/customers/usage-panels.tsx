import { quantityText } from '@billing/gateway/amount-text';
import type { toJsonCreditGrant } from '@billing/proto/json/credit-grant';
import type { toJsonUsageState } from '@billing/proto/json/usage-state';
import { useRefusal } from '../../api/environment';
import { useResource } from '../../api/queries';
import { dayColumn, moneyColumn } from '../../parts/columns';
import { type Column, DataTable } from '../../parts/data-table';
import { DialogButton } from '../../parts/dialog';
import { EmptyState, Panel } from '../../parts/layout';
import { Answer } from '../../parts/notices';
import { ResourceTable } from '../../parts/resource-table';
import { dayText, wordsText } from '../../parts/text';
import { StatusBadge } from '../../parts/values';
import { CreditForm } from './credit-form';

type UsageState = ReturnType<typeof toJsonUsageState>;
type CreditGrant = ReturnType<typeof toJsonCreditGrant>;

const usageColumns: readonly Column<UsageState>[] = [
  { title: 'Meter', text: ({ meterName }) => meterName },
  { title: 'Used', align: 'end', text: ({ usage, unit }) => unitsText(usage, unit) },
  { title: 'Included', align: 'end', text: ({ includedUnits }) => quantityText(includedUnits) },
  {
    title: 'Credits left',
    align: 'end',
    text: ({ creditsRemaining, creditsGranted }) =>
      `${quantityText(creditsRemaining)} of ${quantityText(creditsGranted)}`,
  },
  { title: 'Balance', align: 'end', text: ({ balance }) => quantityText(balance) },
  moneyColumn(
    'To be billed',
    ({ estimatedAmount }) => estimatedAmount,
    ({ currency }) => currency,
  ),
  {
    title: 'Period',
    text: ({ periodStart, periodEnd }) => `${periodStart} to ${periodEnd}`,
    cell: ({ periodStart, periodEnd }) => `${dayText(periodStart)} to ${dayText(periodEnd)}`,
  },
];

/** What a customer has used in the running period, and has left. */
export function UsagePanel({ customerId }: { customerId: string }) {
  const states = useResource<readonly UsageState[]>(`/v1/customers/${customerId}/state`);
  return (
    <Panel title="Usage and balance">
      <Answer of={states} what="usage">
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="No usage">
              It shows when a product of theirs prices a meter, or when usage comes by{' '}
              <code>POST /v1/events/ingest</code>.
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
  { title: 'Left', align: 'end', text: ({ remaining }) => quantityText(remaining) },
  { title: 'Granted', align: 'end', text: ({ amount }) => quantityText(amount) },
  dayColumn('From', ({ effectiveAt }) => effectiveAt),
  dayColumn('Expires', ({ expiresAt }) => expiresAt),
];

/** Prepaid and given units of meters. */
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
        path={`/v1/customers/${customerId}/meter-credits`}
        columns={creditColumns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No credits">
            Units of a meter beyond what their plan includes. <em>Grant credits</em> gives some.
          </EmptyState>
        }
      />
    </Panel>
  );
}

function unitsText(quantity: string, unit: string | null): string {
  return unit === null ? quantityText(quantity) : `${quantityText(quantity)} ${unit}`;
}
