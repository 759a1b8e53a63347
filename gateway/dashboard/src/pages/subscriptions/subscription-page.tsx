import { Link } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useResource } from '../../api/queries';
import type { Page } from '../../api/client';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { MetadataPanel } from '../../parts/resource/metadata';
import { Answer } from '../../parts/element/notices';
import { countText, labelText } from '../../parts/text/text';
import { coveredDaysText, dayText } from '../../parts/text/time-text';
import { Day, Facts, ShortId, StatusBadge } from '../../parts/element/values';
import { AuditLink } from '../../resources/audit/audit-link';
import { customerName } from '../../resources/customer';
import { DiscountLink } from '../../resources/discount-link';
import { EmailPanel } from '../../resources/email/email-panel';
import { useNow } from '../../resources/environment-time';
import type { Invoice } from '../../resources/invoice/invoice';
import { InvoiceTable } from '../../resources/invoice/invoice-table';
import { priceText } from '../../resources/product';
import { ProductLink } from '../../resources/product-links';
import { Cancellation } from './cancellation';
import { Pause } from './pause';
import { PendingChange } from './pending-change';
import type { SubscriptionChange } from './plan-change';
import { PlanChange } from './plan-change-dialog';
import { nextStep, displayedStatus, type Subscription } from '../../resources/subscription';
import { timelineOf } from './timeline';
import { TimelineView } from './timeline-view';

const drawnMax = 100;

/** Page of one subscription: timeline, details and invoices. */
export function SubscriptionPage({ id = '' }: { readonly id?: string }) {
  const answer = useResource<Subscription>(`/v1/subscriptions/${id}`);
  return (
    <Answer of={answer} what="subscription">
      {(subscription) => <SubscriptionView subscription={subscription} />}
    </Answer>
  );
}

function SubscriptionView({ subscription }: { subscription: Subscription }) {
  const refusal = useRefusal('subscriptions');
  const { id, customer, customerId } = subscription;
  const name = customer === null ? customerId : customerName(customer);
  const next = nextStep(subscription);
  return (
    <PageLayout
      title={`Subscription of ${name}`}
      lead={
        <>
          <StatusBadge status={displayedStatus(subscription)} />{' '}
          {next !== undefined && `${next.what} on ${dayText(next.at)}`}
        </>
      }
      back={{ href: '/subscriptions', label: 'Subscriptions' }}
      actions={
        <>
          <PlanChange subscription={subscription} refusal={refusal} />
          <Pause subscription={subscription} refusal={refusal} />
          <Cancellation subscription={subscription} refusal={refusal} />
        </>
      }
    >
      <PendingChange subscription={subscription} refusal={refusal} />
      <Panel title="Timeline">
        <SubscriptionTimeline subscription={subscription} />
      </Panel>
      <Panel title="Details" actions={<AuditLink id={subscription.id} />}>
        <SubscriptionFacts subscription={subscription} name={name} />
      </Panel>
      <Panel title="Invoices">
        <InvoiceTable
          isOfOneCustomer
          query={{ subscriptionId: id }}
          empty={
            <EmptyState title="No invoices yet">
              The first invoice is created when the trial ends or the first period starts.
            </EmptyState>
          }
        />
      </Panel>
      <EmailPanel query={{ subscriptionId: id }} />
      <MetadataPanel
        metadata={subscription.metadata}
        path={`/v1/subscriptions/${id}`}
        refusal={refusal}
      />
    </PageLayout>
  );
}

function SubscriptionTimeline({ subscription }: { subscription: Subscription }) {
  const now = useNow();
  const { id: subscriptionId } = subscription;
  const invoices = useResource<Page<Invoice>>('/v1/invoices', {
    query: { subscriptionId, perPage: drawnMax },
  });
  const changes = useResource<Page<SubscriptionChange>>(
    `/v1/subscriptions/${subscriptionId}/changes`,
    { query: { perPage: drawnMax } },
  );
  return (
    <Answer of={invoices} what="timeline">
      {({ data, total }) => (
        <Answer of={changes} what="changes">
          {({ data: changed, total: all }) => (
            <>
              <TimelineView timeline={timelineOf(subscription, data, changed, now)} />
              {total > data.length && (
                <p className="faint">Shows the latest {countText(data.length)} invoices.</p>
              )}
              {all > changed.length && (
                <p className="faint">Shows the latest {countText(changed.length)} changes.</p>
              )}
            </>
          )}
        </Answer>
      )}
    </Answer>
  );
}

/** Rows of the items after the main one. */
function otherItems({ items: [, ...others] }: Subscription) {
  return others.map(({ id, productId, price, quantity }, index) => {
    const row = (
      <span key={id}>
        <ProductLink id={productId} />
        {price !== null && `, ${priceText(price)}`}
        {quantity > 1 && ` × ${countText(quantity)}`}
      </span>
    );
    return [`Item ${countText(index + 2)}`, row] as const;
  });
}

function SubscriptionFacts({ subscription, name }: { subscription: Subscription; name: string }) {
  const { price, cancelReason, discountId, currentPeriodStart, currentPeriodEnd } = subscription;
  return (
    <Facts
      facts={[
        [
          'Customer',
          <Link key="customer" href={`/customers/${subscription.customerId}`}>
            {name}
          </Link>,
        ],
        ['Product', <ProductLink key="product" id={subscription.productId} />],
        ['Price', price === null ? '–' : priceText(price)],
        ['Quantity', countText(subscription.quantity)],
        ...otherItems(subscription),
        ['Discount', discountId === null ? '–' : <DiscountLink key="discount" id={discountId} />],
        ['Current period', coveredDaysText(currentPeriodStart, currentPeriodEnd)],
        ['Started', <Day key="started" at={subscription.startAt} />],
        ...dayFacts([
          ['Trial ends', subscription.trialEnd],
          ['Paused', subscription.pausedAt],
          ['Resumes', subscription.resumeAt],
          ['Canceled on', subscription.canceledAt],
          ['Ended', subscription.endedAt],
        ]),
        ...(cancelReason === null
          ? []
          : [['Cancellation reason', labelText(cancelReason)] as const]),
        ['Entitled', subscription.entitled ? 'Yes' : 'No'],
        ['ID', <ShortId key="id" id={subscription.id} what="ID" />],
      ]}
    />
  );
}

/** Facts of the days that are set. */
function dayFacts(days: readonly (readonly [string, string | null])[]) {
  return days.flatMap(([name, at]) =>
    at === null ? [] : [[name, <Day key={name} at={at} />] as const],
  );
}
