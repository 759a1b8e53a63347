import { quantityText } from '@billing/gateway/amount-text';
import type { toJsonUsageEvent } from '@billing/proto/json/usage/usage-event';
import { EmptyState } from '../../parts/element/layout';
import { instantColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { ResourceTable } from '../../parts/table/resource-table';
import { customerColumn } from '../../resources/customer-link';
import type { Meter } from '../../resources/meter';

type UsageEvent = ReturnType<typeof toJsonUsageEvent>;

const columns: readonly Column<UsageEvent>[] = [
  instantColumn('Time', ({ timestamp }) => timestamp),
  customerColumn,
  {
    title: 'Quantity',
    align: 'end',
    text: ({ quantity }) => quantity,
    cell: ({ quantity }) => quantityText(quantity),
  },
  {
    title: 'Event ID',
    text: ({ eventId }) => eventId,
    cell: ({ eventId }) => <code>{eventId}</code>,
  },
];

/** Usage events of a meter, as they were ingested. */
export function EventTable({ meter }: { meter: Meter }) {
  return (
    <ResourceTable<UsageEvent>
      caption="Events"
      list="events"
      path="/v1/events"
      hasOrder
      query={{ meterId: meter.id }}
      columns={columns}
      rowKey={({ id }) => id}
      empty={<EmptyState title="No events yet" />}
    />
  );
}
