import { useResource } from '../../api/queries';
import type { Choices } from '../../api/resources';
import { ChoicesField, Form, TextField } from '../../parts/form';
import { Answer } from '../../parts/notices';
import type { WebhookEndpoint } from './webhook-resources';

/** What somebody says of an endpoint. */
export interface EndpointWish {
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly string[] | undefined;
  readonly headerPrefix: string | undefined;
}

/** Where webhooks go, and which. */
export function EndpointForm({
  endpoint,
  submit,
  onSubmit,
  onCancel,
}: {
  /** The one to change; absent: a new one. */
  endpoint?: WebhookEndpoint;
  submit: string;
  onSubmit: (wish: EndpointWish) => Promise<unknown>;
  onCancel: () => void;
}) {
  const choices = useResource<Choices>('/dashboard/api/choices');
  return (
    <Answer of={choices} what="kinds of webhooks">
      {({ webhookKinds }) => (
        <Form
          submit={submit}
          onCancel={onCancel}
          onSubmit={(values) => {
            const events = values.all('events');
            return onSubmit({
              url: values.text('url'),
              description: values.optional('description') ?? null,
              events: events.length === 0 ? undefined : events,
              headerPrefix: values.optional('headerPrefix') ?? undefined,
            });
          }}
        >
          <TextField
            name="url"
            label="URL"
            type="url"
            autoComplete="off"
            defaultValue={endpoint?.url}
            hint="https, of a public host."
            autoFocus
          />
          <TextField
            name="description"
            label="Description"
            autoComplete="off"
            maxLength={200}
            defaultValue={endpoint?.description ?? ''}
          />
          <TextField
            name="headerPrefix"
            label="Header prefix"
            autoComplete="off"
            maxLength={31}
            pattern="[A-Za-z][A-Za-z0-9-]*"
            defaultValue={endpoint?.headerPrefix ?? 'Billing'}
            hint="Begins two headers, such as Billing-Event and Billing-Signature."
          />
          <ChoicesField
            name="events"
            label="Kinds"
            hint="None marked: the six of subscriptions."
            choices={webhookKinds}
            marked={endpoint?.events ?? []}
          />
        </Form>
      )}
    </Answer>
  );
}
