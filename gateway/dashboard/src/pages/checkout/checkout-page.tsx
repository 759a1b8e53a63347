import { useRef, useState } from 'react';
import type { toJsonFunnel } from '@billing/gateway/operator/money-report-routes';
import { useRefusal } from '../../api/environment';
import { useResource } from '../../api/queries';
import { Bars, Columns } from '../../parts/chart/bars';
import { CopyText } from '../../parts/element/buttons';
import { DialogButton } from '../../parts/overlay/dialog';
import { DaysFilter, useFilters } from '../../parts/form/filters';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { Answer, Notice } from '../../parts/element/notices';
import { countText } from '../../parts/text/text';
import { type CheckoutLink, LinkForm } from './link-form';
import { LinkTable } from './link-table';
import { sessionFilterNames, SessionTable } from './session-table';

type Funnel = ReturnType<typeof toJsonFunnel>;

/** Conversion of checkout sessions, and checkout links. */
export function CheckoutPage() {
  const { values, set } = useFilters(['days']);
  const filters = useFilters(sessionFilterNames);
  const days = values.days || '30';
  const [link, setLink] = useState<CheckoutLink>();
  const sessions = useRef<HTMLDivElement>(null);
  // The table is below that of the links.
  const showSessions = (linkId: string) => {
    filters.set('checkoutLinkId', linkId);
    sessions.current?.focus({ preventScroll: true });
    sessions.current?.scrollIntoView();
  };
  const funnel = useResource<Funnel>('/dashboard/api/reports/checkout', { query: { days } });
  return (
    <PageLayout
      title="Checkout"
      lead="Checkout sessions and payment links."
      actions={<NewLink onCreated={setLink} />}
    >
      {link !== undefined && (
        <Notice tone="good">
          <p>
            <a href={link.url} target="_blank" rel="noreferrer">
              {link.label}
            </a>{' '}
            is ready. Open it to try it, or share this link:
          </p>
          <CopyText text={link.url} what="link" />
        </Notice>
      )}
      <LinkTable onShowSessions={showSessions} />
      <Panel title="Funnel">
        <div className="filters">
          <DaysFilter
            value={days}
            onChange={(chosen) => set('days', chosen)}
            days={[7, 30, 90, 365]}
          />
        </div>
        <Answer of={funnel} what="checkout sessions">
          {(answer) => <FunnelView funnel={answer} />}
        </Answer>
      </Panel>
      <SessionTable filters={filters} part={sessions} onShowAll={() => showSessions('')} />
    </PageLayout>
  );
}

function FunnelView({ funnel }: { funnel: Funnel }) {
  const { created, completed, expired, open, days } = funnel;
  if (created + completed + expired === 0) {
    return (
      <EmptyState title="No checkouts in this period">
        Create a checkout link with <em>New link</em>, or a session with{' '}
        <code>POST /v1/checkout</code>.
      </EmptyState>
    );
  }
  const bar = (label: string, value: number) => ({
    key: label,
    label,
    value,
    text: countText(value),
  });
  return (
    <>
      <Bars
        caption="Sessions by outcome"
        bars={[
          bar('Started', created),
          bar('Completed', completed),
          bar('Expired', expired),
          bar('Open', Math.max(0, open)),
        ]}
      />
      {completed + expired > 0 && (
        <Columns
          caption="Sessions by day"
          times={days.map(({ day }) => day)}
          series={[
            { label: 'Completed', color: 2, values: days.map((day) => day.completed) },
            { label: 'Expired', color: 3, values: days.map((day) => day.expired) },
          ]}
          format={countText}
        />
      )}
    </>
  );
}

function NewLink({ onCreated }: { onCreated: (link: CheckoutLink) => void }) {
  const refusal = useRefusal('checkout-links');
  return (
    <DialogButton label="New link" title="New checkout link" refusal={refusal}>
      {(close) => (
        <LinkForm
          onCancel={close}
          onCreated={(link) => {
            onCreated(link);
            close();
          }}
        />
      )}
    </DialogButton>
  );
}
