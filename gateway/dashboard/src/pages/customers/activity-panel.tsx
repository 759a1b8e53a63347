import { useState } from 'react';
import type { CustomerActivity } from '@billing/gateway/operator/customer-routes';
import { useResource } from '../../api/queries';
import { ChoiceFilter } from '../../parts/form/filters';
import { EmptyState, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { Instant } from '../../parts/element/values';
import { type Customer, customerName } from '../../resources/customer';
import { Sentence } from '../../resources/sentence';
import { activityLine, topics, withCustomerName } from './activity';

/** Everything that happened to a customer, newest first. */
export function ActivityPanel({ customer }: { customer: Customer }) {
  const { id } = customer;
  const activity = useResource<CustomerActivity>(`/dashboard/api/customers/${id}/activity`);
  return (
    <Panel title="Activity">
      <Answer of={activity} what="activity">
        {(answer) => <Feed activity={answer} of={{ id, name: customerName(customer) }} />}
      </Answer>
    </Panel>
  );
}

// Enough to see the last months; all the rest is one press away.
const shownFirst = 10;

function Feed({
  activity: { data, isMore, hasChanges },
  of,
}: {
  activity: CustomerActivity;
  of: { readonly id: string; readonly name: string };
}) {
  const [topic, setTopic] = useState('');
  const [isWhole, setWhole] = useState(false);
  const lines = data
    .map((event) => ({ ...activityLine(event), id: event.id, at: event.at }))
    .filter((line) => topic === '' || line.topic === topic);
  const shown = isWhole ? lines : lines.slice(0, shownFirst);
  return (
    <>
      <div className="filters">
        <ChoiceFilter label="Show" value={topic} onChange={setTopic} choices={topics} />
      </div>
      {lines.length === 0 ? (
        <EmptyState title="Nothing of this kind happened" />
      ) : (
        <ol className="feed" aria-label="Activity">
          {shown.map(({ id, at, tone, sentence }) => (
            <li key={id} className={tone}>
              <span>
                <Sentence of={withCustomerName(sentence, of)} />
              </span>
              <span className="faint">
                <Instant at={at} />
              </span>
            </li>
          ))}
        </ol>
      )}
      {shown.length < lines.length && (
        <button type="button" className="button plain" onClick={() => setWhole(true)}>
          Show all {lines.length}
        </button>
      )}
      {isMore && shown.length === lines.length && (
        <p className="faint">Older activity is in the lists of invoices and subscriptions.</p>
      )}
      {!hasChanges && (
        <p className="faint">Changes by people and keys are shown to owners and admins.</p>
      )}
    </>
  );
}
