import { useAction, useResource } from '../../api/queries';
import { Form, SelectField, TextField } from '../../parts/form';
import { Answer, Notice } from '../../parts/notices';
import { fromTimeField } from '../../parts/time-field';
import type { Meter } from '../usage/meter';

const sources = [
  ['PROMOTIONAL', 'Given'],
  ['PAID', 'Paid for'],
] as const;

/** Grants a customer units of a meter beyond what their plan includes. */
export function CreditForm({ customerId, onDone }: { customerId: string; onDone: () => void }) {
  const meters = useResource<readonly Meter[]>('/v1/meters');
  const grant = useAction((body: object) => ({
    method: 'POST',
    path: `/v1/customers/${customerId}/meter-credits`,
    body,
  }));
  return (
    <Answer of={meters} what="meters">
      {(known) =>
        known.length === 0 ? (
          <Notice tone="wait">
            <p>
              There is no meter yet. Make one by <code>POST /v1/meters</code>.
            </p>
          </Notice>
        ) : (
          <Form
            submit="Grant credits"
            onCancel={onDone}
            onSubmit={async (values) => {
              await grant.mutateAsync({
                meterId: values.text('meterId'),
                amount: values.text('amount').trim(),
                source: values.text('source'),
                name: values.optional('name') ?? null,
                expiresAt: fromTimeField(values.optional('expiresAt')) ?? null,
              });
              onDone();
            }}
          >
            <SelectField
              name="meterId"
              label="Meter"
              choices={known.map(({ id, name, unit }) => [
                id,
                `${name}${unit === null ? '' : `, in ${unit}`}`,
              ])}
            />
            <TextField name="amount" label="Units" inputMode="decimal" />
            <SelectField name="source" label="They are" choices={sources} />
            <TextField name="name" label="Name" hint="Such as “To try it out”." />
            <TextField
              name="expiresAt"
              label="Expire"
              type="datetime-local"
              hint="In UTC. Empty: never."
            />
          </Form>
        )
      }
    </Answer>
  );
}
