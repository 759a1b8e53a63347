import { useResource } from '../../api/queries';
import type { Choices } from '../../resources/choices';
import { ChoicesField } from '../../parts/form/choices-field';
import { Form, TextField } from '../../parts/form/form';
import { Answer } from '../../parts/element/notices';
import { labelText } from '../../parts/text/text';
import type { WebhookEndpoint } from './webhook-resources';

/** Input of the form for an endpoint. */
export interface EndpointInput {
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly string[] | undefined;
  readonly headerPrefix: string | undefined;
}

/** Form for an endpoint: its URL and events. */
export function EndpointForm({
  endpoint,
  submit,
  onSubmit,
  onCancel,
}: {
  /** Endpoint to edit; absent for a new one. */
  endpoint?: WebhookEndpoint;
  submit: string;
  onSubmit: (input: EndpointInput) => Promise<unknown>;
  onCancel: () => void;
}) {
  const choices = useResource<Choices>('/dashboard/api/choices');
  return (
    <Answer of={choices} what="event types">
      {({ webhookEvents, defaultWebhookEvents }) => (
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
            hint="A public URL. Local installations also allow http://localhost in sandboxes."
            autoFocus
          />
          <TextField
            name="description"
            label="Description"
            autoComplete="off"
            maxLength={200}
            defaultValue={endpoint?.description ?? ''}
            hint="Optional."
          />
          <TextField
            name="headerPrefix"
            label="Header prefix"
            autoComplete="off"
            maxLength={31}
            pattern="[A-Za-z][A-Za-z0-9-]*"
            defaultValue={endpoint?.headerPrefix ?? 'Billing'}
            hint="Prefix of the headers, such as Billing-Event and Billing-Signature."
          />
          <ChoicesField
            name="events"
            label="Events"
            hint="Optional. Default: the six subscription events."
            choices={webhookEvents}
            groupOf={resourceOf}
            marked={endpoint?.events ?? defaultWebhookEvents}
          />
        </Form>
      )}
    </Answer>
  );
}

/** Resource of an event type, as a label. */
function resourceOf(type: string): string {
  return type.includes('.') ? labelText(type.split('.')[0] ?? '') : '';
}
