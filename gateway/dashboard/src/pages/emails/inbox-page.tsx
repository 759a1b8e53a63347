import { useEnvironment } from '../../api/environment';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { ChoiceFilter, Filters, TextFilter, useFilters } from '../../parts/form/filters';
import { emailKindNames, emailKinds } from '../../resources/email/email';
import { EmailTable } from '../../resources/email/email-table';

const kinds = emailKinds.map((kind) => [kind, emailKindNames[kind]] as const);

/** Inbox of a sandbox, whose emails are never sent. */
export function InboxPage() {
  const { kind } = useEnvironment();
  return (
    <PageLayout title="Inbox" lead="Emails of a sandbox stay here. None is sent.">
      <Panel>
        {kind === 'LIVE' ? (
          <EmptyState title="The live environment has no inbox">Choose a sandbox.</EmptyState>
        ) : (
          <Inbox />
        )}
      </Panel>
    </PageLayout>
  );
}

function Inbox() {
  const filters = useFilters(['kind', 'to']);
  return (
    <>
      <Filters state={filters}>
        <ChoiceFilter label="Kind" choices={kinds} {...filters.field('kind')} />
        <TextFilter label="To" {...filters.field('to')} />
      </Filters>
      <EmailTable
        path="/v1/sandboxes/inbox"
        query={filters.values}
        empty={
          <EmptyState title="No emails">
            {filters.isFiltered ? 'Try other filters.' : 'Advance the clock, or create an invoice.'}
          </EmptyState>
        }
      />
    </>
  );
}
