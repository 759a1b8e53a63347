import { ChoiceFilter, Filters, type FilterState, useFilters } from '../../parts/form/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { instantText } from '../../parts/text/time-text';
import { CustomerFilter, ProductFilter } from '../../resources/pickers';
import { NewSubscriptionButton } from '../../resources/purchase/new-subscription-button';
import { SubscriptionTable } from '../../resources/subscription-table';

const statuses = [
  ['ACTIVE', 'Active'],
  ['PAST_DUE', 'Past due'],
  ['CANCELED', 'Canceled'],
] as const;
const phases = [
  ['SCHEDULED', 'Scheduled'],
  ['TRIAL', 'On trial'],
  ['REGULAR', 'Billed'],
  ['PAUSED', 'Paused'],
  ['ENDED', 'Ended'],
] as const;

const filterNames = ['status', 'phase', 'customerId', 'productId', 'renewsBefore'] as const;

/** List of subscriptions, with a form for a new one. */
export function SubscriptionListPage() {
  const filters = useFilters(filterNames);
  const { values } = filters;
  return (
    <PageLayout title="Subscriptions" actions={<NewSubscriptionButton />}>
      <Panel>
        <SubscriptionFilters filters={filters} />
        {values.renewsBefore !== '' && (
          <p>Renewals and trial ends before {instantText(values.renewsBefore)}.</p>
        )}
        <SubscriptionTable
          query={values}
          empty={
            filters.isFiltered ? (
              <EmptyState title="No subscriptions found">Try other filters.</EmptyState>
            ) : (
              <EmptyState title="No subscriptions yet">
                Create one with <em>New subscription</em> or send a customer a checkout link.
              </EmptyState>
            )
          }
        />
      </Panel>
    </PageLayout>
  );
}

function SubscriptionFilters({ filters }: { filters: FilterState<(typeof filterNames)[number]> }) {
  return (
    <Filters state={filters}>
      <ChoiceFilter label="Status" choices={statuses} {...filters.field('status')} />
      <ChoiceFilter label="Phase" choices={phases} {...filters.field('phase')} />
      <CustomerFilter {...filters.field('customerId')} />
      <ProductFilter {...filters.field('productId')} />
    </Filters>
  );
}
