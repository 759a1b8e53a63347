import type { Query } from '../../api/client';
import { EmptyState, Panel } from '../../parts/element/layout';
import { EmailTable } from './email-table';

/** Emails about a customer, an invoice or a subscription. */
export function EmailPanel({ query }: { query: Query }) {
  return (
    <Panel title="Emails">
      <EmailTable
        isOfOneResource
        query={query}
        empty={<EmptyState title="No emails yet">Emails to the customer appear here.</EmptyState>}
      />
    </Panel>
  );
}
