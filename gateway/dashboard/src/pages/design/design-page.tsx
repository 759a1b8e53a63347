import { type ReactNode, useState } from 'react';
import { UnknownOutcome } from '../../api/problem';
import { successes } from '../../api/successes';
import { Button, CopyButton, CopyText } from '../../parts/element/buttons';
import { EmptyState, Figure, Figures, PageLayout, Panel } from '../../parts/element/layout';
import { Answer, ErrorNotice, Notice, Progress, RetryNotice } from '../../parts/element/notices';
import { Skeleton } from '../../parts/element/skeleton';
import {
  ClockTime,
  Day,
  Facts,
  Instant,
  Money,
  ShortId,
  ShortIdText,
  StatusBadge,
} from '../../parts/element/values';
import { Form, TextField } from '../../parts/form/form';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { Combobox } from '../../parts/overlay/combobox';
import {
  Menu,
  MenuChoice,
  MenuItem,
  MenuLine,
  MenuLink,
  MenuPageLink,
} from '../../parts/overlay/menu';
import { Bars, Columns } from '../../parts/chart/bars';
import { LineChart } from '../../parts/chart/line-chart';
import { Strip } from '../../parts/chart/strip';
import { moneyColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { MetadataLines, MetadataPanel } from '../../parts/resource/metadata';
import { ActivationButton, ActiveBadge, activeColumn } from '../../parts/resource/active';
import { failed, FormParts, refused } from './design-forms';
import { FilterParts, ListParts } from './design-lists';
import { DesignWorkspace } from './design-workspace';

const id = '0190a000-0000-7000-8000-000000000001';
const time = '2026-02-25T09:00:00.000Z';
const tones = ['main', 'quiet', 'danger', 'plain'] as const;
const statuses = ['ACTIVE', 'PAST_DUE', 'ON_TRIAL', 'VOID', 'FAILED', 'INACTIVE'];
/** All parts of the dashboard in all their states. Only in development builds. */
export function DesignPage() {
  return (
    <main>
      <PageLayout
        title="Design"
        lead="Every part in every state."
        actions={<Button tone="main">Main action</Button>}
      >
        <Section name="Buttons">
          <Buttons />
        </Section>
        <Section name="Form">
          <FormParts />
        </Section>
        <Section name="Notices">
          <Notices />
        </Section>
        <Section name="Values">
          <Values />
        </Section>
        <Section name="Table">
          <Rows />
        </Section>
        <Section name="Filters">
          <FilterParts />
        </Section>
        <Section name="Lists">
          <ListParts />
        </Section>
        <Section name="Charts">
          <Charts />
        </Section>
        <Section name="Overlays">
          <Overlays />
        </Section>
      </PageLayout>
    </main>
  );
}

function Section({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div data-section={name.toLowerCase()}>
      <Panel title={name}>{children}</Panel>
    </div>
  );
}

function Buttons() {
  return tones.map((tone) => (
    <div key={tone} className="actions">
      <Button tone={tone}>Create</Button>
      <Button tone={tone} isBusy>
        Create
      </Button>
      <Button tone={tone} disabled>
        Create
      </Button>
      <Button tone={tone} refusal="Viewers have read-only access.">
        Create
      </Button>
    </div>
  ));
}

const refetch = () => undefined;
/** A result that is loading, that failed, and that is there. */
const answers = [
  { data: undefined, error: null, refetch },
  { data: undefined, error: failed, refetch },
  { data: 'Pro', error: null, refetch },
] as const;

function Notices() {
  return (
    <>
      <Notice tone="good">
        <p>Advanced to Feb 28, 2026. Processed 10 events.</p>
      </Notice>
      <Notice tone="wait">
        <p>This sandbox will be deleted on Mar 3, 2026.</p>
      </Notice>
      <ErrorNotice error={failed} onRetry={() => undefined} />
      {[true, false].map((isRepeatable) => (
        <DesignWorkspace
          key={String(isRepeatable)}
          responses={[]}
          retried={new UnknownOutcome(failed, isRepeatable)}
        >
          <RetryNotice />
        </DesignWorkspace>
      ))}
      {answers.map((answer) => (
        <Answer key={answer.data ?? answer.error?.message ?? 'loading'} of={answer} what="plan">
          {(plan) => <p>The plan is {plan}.</p>}
        </Answer>
      ))}
      <Progress label="Exporting invoices" done={40} total={100} />
      <Skeleton label="Loading" />
      <EmptyState title="No invoices yet">
        Invoices appear once a subscription is billed.
      </EmptyState>
    </>
  );
}

function Values() {
  return (
    <>
      <Figures>
        <Figure name="Active" value="93" detail="last 24 hours" href="/" />
        <Figure name="MRR" value="$2,957.34" />
      </Figures>
      <Facts
        facts={[
          ['Created', <Day key="day" at={time} />],
          ['Paid on', <Instant key="instant" at={time} />],
          ['ID', <ShortId key="id" id={id} what="ID" />],
          ['Other ID', <ShortIdText key="text" id={id} />],
          ['Metadata', <MetadataLines key="metadata" metadata={{ plan: 'pro', seats: 12 }} />],
        ]}
      />
      <p className="actions">
        {statuses.map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
      </p>
      <p className="actions">
        <ActiveBadge active /> <ActiveBadge active={false} />
        <Money amount={295_734} currency="USD" /> <ClockTime at={time} />
        <CopyButton text="4242 4242 4242 4242" what="test card" label="Copy" />
      </p>
      <CopyText text="billing_test_0000" what="API key" />
      <DesignWorkspace responses={[]}>
        <MetadataPanel metadata={{ plan: 'pro', seats: 12, trial: true }} path="/v1/customers/1" />
        <MetadataPanel metadata={{}} />
      </DesignWorkspace>
    </>
  );
}

interface Row {
  readonly name: string;
  readonly status: string;
  readonly total: number;
}

const columns: readonly Column<Row>[] = [
  { title: 'Name', text: ({ name }) => name, cell: ({ name }) => <a href="#table">{name}</a> },
  {
    title: 'Status',
    text: ({ status }) => status,
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  moneyColumn(
    'Total',
    ({ total }) => total,
    () => 'USD',
  ),
];

function Rows() {
  const rows = statuses.map((status, index) => ({
    name: `INV-00000${String(index + 1)}`,
    status,
    total: 2_900 * 10 ** index,
  }));
  const prices = [
    { name: 'Starter', active: true },
    { name: 'Legacy', active: false },
  ];
  return (
    <>
      <DataTable caption="Examples" columns={columns} rows={rows} rowKey={({ name }) => name} />
      <DataTable
        caption="Products"
        columns={[{ title: 'Name', text: ({ name }) => name }, activeColumn]}
        rows={prices}
        rowKey={({ name }) => name}
      />
    </>
  );
}

function Charts() {
  const days = [
    { day: '2026-02-23', good: 4, bad: 0 },
    { day: '2026-02-24', good: 3, bad: 1 },
    { day: '2026-02-25', good: 0, bad: 2 },
  ];
  return (
    <>
      <Bars
        caption="Usage"
        bars={[
          { key: 'a', label: 'Acme', value: 90, text: '90' },
          { key: 'b', label: 'Ada Lovelace', value: 30, text: '30' },
        ]}
      />
      <Columns
        caption="MRR movements"
        times={['2026-01', '2026-02']}
        series={[
          { label: 'New', values: [40, 60] },
          { label: 'Churn', values: [-10, -25] },
        ]}
        format={String}
      />
      <Strip caption="Deliveries" days={days} />
      <LineChart
        caption="Monthly recurring revenue"
        times={['2025-12', '2026-01', '2026-02']}
        lines={[
          { label: 'MRR', values: [2_400, 2_700, 2_957] },
          { label: 'Forecast', values: [2_300, null, 3_000] },
        ]}
        format={(value) => `$${String(value)}`}
      />
    </>
  );
}

const options = [
  { id: '1', label: 'Live' },
  { id: '2', label: 'Two years' },
] as const;

function Overlays() {
  const [search, setSearch] = useState('');
  const [selected, setSelected] = useState<{ id: string; label: string }>(options[1]);
  const [theme, setTheme] = useState('light');
  return (
    <div className="actions">
      <DialogButton label="Open dialog" title="New customer">
        {(close) => (
          <Form submit="Create customer" onCancel={close} onSubmit={() => Promise.reject(refused)}>
            <TextField name="email" label="Email" />
          </Form>
        )}
      </DialogButton>
      <ConfirmButton
        label="Open confirmation"
        title="Void INV-000001?"
        confirm="Void invoice"
        onConfirm={() => Promise.reject(failed)}
      >
        <p>The customer no longer owes $29.00. This can’t be undone.</p>
      </ConfirmButton>
      <ActivationButton
        active
        what="Pro"
        refusal={undefined}
        onChange={() => Promise.reject(failed)}
        ending="It cannot be sold any more."
        beginning="It can be sold again."
      />
      <Menu trigger={<Button>Open menu</Button>}>
        <MenuLink href="/account">Your account</MenuLink>
        <MenuPageLink href="/docs">API documentation</MenuPageLink>
        <MenuItem onSelect={() => undefined}>Sign out</MenuItem>
        <MenuLine />
        <MenuChoice
          label="Theme"
          value={theme}
          onChange={setTheme}
          choices={[
            ['light', 'Light', undefined],
            ['dark', 'Dark', undefined],
          ]}
        />
      </Menu>
      <Combobox
        label="Find an environment"
        placeholder="Find by name"
        empty="No environments found"
        trigger={<Button aria-label="Open combobox">{selected.label}</Button>}
        options={options.filter(({ label }) => label.includes(search))}
        selected={selected}
        onSelect={setSelected}
        search={search}
        onSearch={setSearch}
        footer="2 of 2"
      />
      <Button
        onClick={() => successes.add({ title: 'Product created', data: { href: '/' }, timeout: 0 })}
      >
        Show message
      </Button>
    </div>
  );
}
