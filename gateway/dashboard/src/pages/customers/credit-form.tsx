import { useAction, useResource } from '../../api/queries';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { TimeField } from '../../parts/form/time-field';
import { Answer, Notice } from '../../parts/element/notices';
import { typedCount } from '../../parts/text/amount';
import { typedDecimal } from '../../parts/text/decimal';
import { typedTime } from '../../parts/text/local-time-field';
import type { Meter } from '../../resources/meter';
import { MeterField } from '../../resources/pickers';

const sources = [
  ['PROMOTIONAL', 'Promotional'],
  ['PAID', 'Paid'],
] as const;

/** Form that grants a customer units of a meter on top of their plan. */
export function CreditForm({ customerId, onDone }: { customerId: string; onDone: () => void }) {
  const meters = useResource<readonly Meter[]>('/v1/meters');
  const grant = useAction(
    (body: object) => ({
      method: 'POST',
      path: `/v1/customers/${customerId}/meter-credits`,
      body,
    }),
    'Credits granted',
  );
  return (
    <Answer of={meters} what="meters">
      {(known) =>
        known.length === 0 ? (
          <Notice tone="wait">
            <p>No meters yet. Create one on the Usage page first.</p>
          </Notice>
        ) : (
          <Form
            submit="Grant credits"
            onCancel={onDone}
            onSubmit={async (values) => {
              await grant.mutateAsync({
                meterId: values.text('meterId'),
                amount: typedDecimal(values.text('amount')),
                source: values.text('source'),
                name: values.optional('name') ?? null,
                effectiveAt: typedTime(values.optional('effectiveAt')) ?? null,
                expiresAt: typedTime(values.optional('expiresAt')) ?? null,
                priority: typedCount(values.optional('priority')) ?? null,
              });
              onDone();
            }}
          >
            <MeterField meters={known} />
            <TextField name="amount" label="Units" inputMode="decimal" />
            <SelectField name="source" label="Type" choices={sources} />
            <TextField name="name" label="Name" hint="Optional, such as “Welcome credits”." />
            <TimeField name="effectiveAt" label="Starts" hint="Optional. Default: now." />
            <TimeField name="expiresAt" label="Expires" hint="Optional." />
            <TextField
              name="priority"
              label="Priority"
              inputMode="numeric"
              hint="Optional. 0 to 255, the lowest is used first. Default: 100."
            />
          </Form>
        )
      }
    </Answer>
  );
}
