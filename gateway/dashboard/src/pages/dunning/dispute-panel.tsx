import { Link } from 'wouter';
import { EmptyState, Panel } from '../../parts/element/layout';
import { ResourceTable } from '../../parts/table/resource-table';
import type { Dispute } from '../../resources/credit/credit-note';
import { allDisputeColumns } from '../../resources/credit/dispute-table';

const open = { status: 'OPEN' };

/** Open disputes. They change neither invoices nor subscriptions. */
export function DisputePanel() {
  return (
    <Panel title="Open disputes" actions={<Link href="/disputes">All disputes</Link>}>
      <ResourceTable<Dispute>
        caption="Open disputes"
        path="/v1/disputes"
        hasOrder
        list="disputes"
        query={open}
        columns={allDisputeColumns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No open disputes">
            Payments that customers dispute at their bank appear here.
          </EmptyState>
        }
      />
    </Panel>
  );
}
