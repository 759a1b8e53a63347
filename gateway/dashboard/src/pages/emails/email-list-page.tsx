import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { ChoiceFilter, Filters, TextFilter, useFilters } from '../../parts/form/filters';
import { ConfirmButton } from '../../parts/overlay/dialog';
import { instantColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { ResourceTable } from '../../parts/table/resource-table';
import { labelText } from '../../parts/text/text';
import { emailKindNames, emailKinds, type EmailSuppression } from '../../resources/email/email';
import { EmailTable } from '../../resources/email/email-table';
import { CustomerFilter } from '../../resources/pickers';

export const emailStatuses = [
  ['PENDING', 'Pending'],
  ['SENT', 'Sent'],
  ['FAILED', 'Failed'],
  ['BOUNCED', 'Bounced'],
  ['SKIPPED', 'Skipped'],
  ['UNKNOWN', 'Unknown'],
] as const;

const kinds = emailKinds.map((kind) => [kind, emailKindNames[kind]] as const);

/** Emails to customers, and the addresses that get none. */
export function EmailListPage() {
  const filters = useFilters(['status', 'kind', 'customerId', 'to']);
  return (
    <PageLayout title="Emails">
      <Panel>
        <Filters state={filters}>
          <ChoiceFilter label="Status" choices={emailStatuses} {...filters.field('status')} />
          <ChoiceFilter label="Kind" choices={kinds} {...filters.field('kind')} />
          <CustomerFilter {...filters.field('customerId')} />
          <TextFilter label="To" {...filters.field('to')} />
        </Filters>
        <EmailTable
          query={filters.values}
          empty={
            filters.isFiltered ? (
              <EmptyState title="No emails found">Try other filters.</EmptyState>
            ) : (
              <EmptyState title="No emails yet">
                Invoices, payments and subscriptions cause emails to customers.
              </EmptyState>
            )
          }
        />
      </Panel>
      <SuppressionPanel />
    </PageLayout>
  );
}

const suppressionColumns: readonly Column<EmailSuppression>[] = [
  { title: 'Address', text: ({ email }) => email },
  { title: 'Reason', text: ({ reason }) => labelText(reason) },
  instantColumn('Suppressed', ({ createdAt }) => createdAt),
  {
    title: 'Actions',
    text: () => '',
    cell: (suppression) => <DeleteSuppression suppression={suppression} />,
  },
];

function SuppressionPanel() {
  return (
    <Panel title="Suppressed addresses">
      <ResourceTable<EmailSuppression>
        caption="Suppressed addresses"
        path="/v1/email-suppressions"
        hasOrder
        list="suppressions"
        columns={suppressionColumns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No suppressed addresses">
            Addresses that refuse an email appear here, and get no more emails.
          </EmptyState>
        }
      />
    </Panel>
  );
}

function DeleteSuppression({ suppression: { id, email } }: { suppression: EmailSuppression }) {
  const refusal = useRefusal('email-suppressions');
  const remove = useAction(
    () => ({ method: 'DELETE', path: `/v1/email-suppressions/${id}` }),
    `${email} gets emails again`,
  );
  return (
    <ConfirmButton
      label="Delete"
      title={`Delete the suppression of ${email}?`}
      refusal={refusal}
      onConfirm={() => remove.mutateAsync({})}
    >
      Later emails are sent to the address.
    </ConfirmButton>
  );
}
