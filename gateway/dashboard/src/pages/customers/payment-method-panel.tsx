import { cardText } from '@billing/gateway/card-text';
import type { toJsonPaymentMethod } from '@billing/gateway/operator/payment-method-routes';
import { useResource } from '../../api/queries';
import { dayColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { EmptyState, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { expiryText } from '../../parts/text/time-text';

type PaymentMethod = ReturnType<typeof toJsonPaymentMethod>;

const columns: readonly Column<PaymentMethod>[] = [
  { title: 'Card', text: ({ brand, last4 }) => cardText(brand, last4) },
  { title: 'Expires', text: ({ expiry }) => (expiry === null ? '–' : expiryText(expiry)) },
  { title: 'Used for', text: chargedText },
  dayColumn('Saved', ({ createdAt }) => createdAt),
];

/** Saved payment methods of a customer. */
export function PaymentMethodPanel({ customerId }: { customerId: string }) {
  const answer = useResource<{ readonly data: readonly PaymentMethod[] }>(
    '/dashboard/api/payment-methods',
    { query: { customerId } },
  );
  return (
    <Panel title="Payment methods">
      <Answer of={answer} what="payment methods">
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No saved payment method">
              Customers add one at checkout or in the portal.
            </EmptyState>
          ) : (
            <DataTable
              caption="Payment methods"
              columns={columns}
              rows={data}
              rowKey={({ id }) => id}
            />
          )
        }
      </Answer>
    </Panel>
  );
}

function chargedText({ isDefault, subscriptionIds }: PaymentMethod): string {
  if (isDefault) return 'Default';
  return subscriptionIds.length === 0 ? 'Not used' : 'Some subscriptions';
}
