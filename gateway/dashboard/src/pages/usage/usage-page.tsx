import { useState } from 'react';
import type { toJsonUsageReport } from '@billing/gateway/operator/report-routes';
import { quantityText } from '@billing/gateway/amount-text';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { ActivationButton, activeColumn } from '../../parts/resource/active';
import { Bars, Columns } from '../../parts/chart/bars';
import { type Column, DataTable } from '../../parts/table/data-table';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { DaysFilter, useFilters } from '../../parts/form/filters';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { labelText } from '../../parts/text/text';
import { Day, ShortId } from '../../parts/element/values';
import { EventTable } from './event-table';
import { CustomerLink } from '../../resources/customer-link';
import { drawnQuantity, type Meter } from '../../resources/meter';
import { MeterFilter } from '../../resources/pickers';

type UsageReport = ReturnType<typeof toJsonUsageReport>;

/** List of meters, with the usage of one of them. */
export function UsagePage() {
  const refusal = useRefusal('meters');
  const meters = useResource<readonly Meter[]>('/v1/meters');
  return (
    <PageLayout
      title="Usage"
      lead="Metered usage."
      actions={
        <DialogButton label="New meter" refusal={refusal}>
          {(close) => <MeterForm onDone={close} />}
        </DialogButton>
      }
    >
      <Answer of={meters} what="meters">
        {(list) =>
          list.length === 0 ? (
            <Panel>
              <EmptyState title="No meters yet">
                Create one with <em>New meter</em>, add a usage price to a product, and send events
                to <code>POST /v1/events/ingest</code>.
              </EmptyState>
            </Panel>
          ) : (
            <>
              <MeterUsage meters={list} />
              <Panel title="Meters">
                <MeterTable meters={list} refusal={refusal} />
              </Panel>
            </>
          )
        }
      </Answer>
    </PageLayout>
  );
}

function MeterUsage({ meters }: { meters: readonly Meter[] }) {
  const { values, set } = useFilters(['meter', 'days']);
  const chosen = meters.find(({ id }) => id === values.meter) ?? meters[0];
  const days = values.days || '30';
  if (chosen === undefined) return null;
  return (
    <Panel title="Usage by day">
      <div className="filters">
        <MeterFilter
          meters={meters}
          chosen={chosen}
          onChange={(value) => {
            set('meter', value);
          }}
        />
        <DaysFilter
          value={days}
          onChange={(value) => {
            set('days', value);
          }}
          days={[7, 30, 90]}
        />
      </div>
      <UsageView key={chosen.id} meter={chosen} days={days} />
      <h3>Events</h3>
      <EventTable meter={chosen} />
    </Panel>
  );
}

function UsageView({ meter, days }: { meter: Meter; days: string }) {
  const query = { meterId: meter.id, days };
  const answer = useResource<UsageReport>('/dashboard/api/reports/usage', { query });
  return (
    <Answer of={answer} what="usage">
      {(report) =>
        report.customers.length === 0 ? (
          <EmptyState title="No usage in this period">
            Send events to <code>POST /v1/events/ingest</code> with meter ID <code>{meter.id}</code>
            .
          </EmptyState>
        ) : (
          <>
            <Columns
              caption={`Usage of ${meter.name} by day`}
              times={report.days.map(({ day }) => day)}
              series={[
                {
                  label: meter.unit ?? 'units',
                  values: report.days.map(({ value }) => drawnQuantity(value)),
                },
              ]}
              format={(value) => quantityText(String(value))}
            />
            <h3>Top customers</h3>
            <Bars
              caption={`Customers by usage of ${meter.name}`}
              bars={report.customers.map(({ customerId, value }) => ({
                key: customerId,
                label: <CustomerLink id={customerId} />,
                value: drawnQuantity(value),
                text: quantityText(value),
              }))}
            />
          </>
        )
      }
    </Answer>
  );
}

function MeterTable({
  meters,
  refusal,
}: {
  meters: readonly Meter[];
  refusal: string | undefined;
}) {
  const remove = useAction(
    ({ id }: Meter) => ({ method: 'DELETE', path: `/v1/meters/${id}` }),
    'Meter deleted',
  );
  const columns: readonly Column<Meter>[] = [
    { title: 'Name', text: ({ name }) => name },
    { title: 'Aggregation', text: ({ aggregation }) => labelText(aggregation) },
    { title: 'Unit', text: ({ unit }) => unit ?? '' },
    activeColumn,
    { title: 'ID', text: ({ id }) => id, cell: ({ id }) => <ShortId id={id} what="meter ID" /> },
    {
      title: 'Created',
      text: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Day at={createdAt} />,
    },
    {
      title: 'Actions',
      text: () => '',
      cell: (meter) => (
        <span className="actions">
          <MeterActions {...{ meter, refusal }} />
          <ConfirmButton
            label="Delete"
            title={`Delete ${meter.name}?`}
            refusal={refusal}
            onConfirm={() => remove.mutateAsync(meter)}
          >
            <p>New events for this meter are rejected. Recorded usage is still billed.</p>
          </ConfirmButton>
        </span>
      ),
    },
  ];
  return <DataTable caption="Meters" columns={columns} rows={meters} rowKey={({ id }) => id} />;
}

/** Renames, deactivates or activates a meter. */
function MeterActions({ meter, refusal }: { meter: Meter; refusal: string | undefined }) {
  const change = useAction(
    (body: object) => ({ method: 'PATCH', path: `/v1/meters/${meter.id}`, body }),
    'Meter saved',
  );
  return (
    <>
      <DialogButton label="Edit" title="Edit meter" tone="quiet" refusal={refusal}>
        {(close) => (
          <Form
            submit="Save"
            onCancel={close}
            onSubmit={async (values) => {
              const unit = values.optional('unit') ?? null;
              await change.mutateAsync({ name: values.text('name'), unit });
              close();
            }}
          >
            <TextField
              name="name"
              label="Name"
              hint="Shown on invoices."
              defaultValue={meter.name}
            />
            <TextField
              name="unit"
              label="Unit"
              hint="Optional, such as calls or GB."
              defaultValue={meter.unit ?? ''}
            />
          </Form>
        )}
      </DialogButton>
      <ActivationButton
        active={meter.active}
        what={meter.name}
        refusal={refusal}
        onChange={change.mutateAsync}
        ending="New events for this meter are rejected. Recorded usage is still billed."
        beginning="The meter accepts events again."
      />
    </>
  );
}

function MeterForm({ onDone }: { onDone: () => void }) {
  const [aggregation, setAggregation] = useState('SUM');
  const create = useAction<object, { readonly name: string }>(
    (body) => ({ method: 'POST', path: '/v1/meters', body }),
    ({ name }) => ({ text: `Meter ${name} created`, href: '/usage' }),
  );
  return (
    <Form
      submit="Create meter"
      onCancel={onDone}
      onSubmit={async (values) => {
        await create.mutateAsync({
          name: values.text('name'),
          aggregation,
          unit: values.optional('unit'),
          uniqueProperty: values.optional('uniqueProperty'),
        });
        onDone();
      }}
    >
      <TextField name="name" label="Name" hint="Shown on invoices." />
      <SelectField
        name="aggregation"
        label="Aggregation"
        value={aggregation}
        onChange={setAggregation}
        choices={[
          ['SUM', 'Sum of quantities'],
          ['COUNT', 'Number of events'],
          ['MAX', 'Largest quantity'],
          ['LATEST', 'Latest quantity'],
          ['UNIQUE_COUNT', 'Distinct values of a property'],
        ]}
      />
      {aggregation === 'UNIQUE_COUNT' && (
        <TextField name="uniqueProperty" label="Property" hint="Such as userId." />
      )}
      <TextField name="unit" label="Unit" hint="Optional, such as calls or GB." />
    </Form>
  );
}
