import { productVersion } from '@billing/chassis/version';
import { z } from 'zod';
import { webhookExamples } from './webhook-examples';
import { webhookHeaders, type WebhookKind, webhookKinds } from './webhook-kinds';

const description = `Create a webhook endpoint with \`POST /v1/webhook-endpoints\` to be notified of changes. By default, an endpoint receives the six
subscription event types; list others in \`events\`: \`checkout.*\` receives all events of checkout sessions, \`invoice.*\` those of invoices, \`*\` all events.
Resources are sent in their state at the time of the event.

\`data\` describes the event. Its strings, numbers, booleans and nulls are repeated at the top level.

Each webhook is a POST request. Respond with 2xx within 15 s to accept it. A failed webhook is retried with the same \`id\` and the same
bytes after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and can be replayed for 30 days. An endpoint is disabled if it responds with
410, or if every attempt fails for five days.

Delivery is at least once: ignore an \`id\` that you have already processed. Webhooks of one resource are sent in the order of their
\`sequence\`, as long as you accept them. Signatures follow Standard Webhooks. New fields may be added at any time.`;

const schemaPrefix = '#/components/schemas/';

/** A JSON schema. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** A webhook type in the document. */
export interface Message {
  readonly name: string;
  readonly summary: string;
  readonly payload: JsonSchema;
  readonly examples: readonly { readonly name: string; readonly payload: unknown }[];
}

/** AsyncAPI 3 document of the webhooks. */
export interface WebhookDocument {
  readonly asyncapi: string;
  readonly info: { readonly title: string; readonly description: string };
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

/** Generates the document from the schemas of the API. */
export function describeWebhooks(): WebhookDocument {
  const schemas = new Schemas();
  const headers = schemas.take(webhookHeaders);
  const examples = webhookExamples();
  const messages = webhookKinds.map((kind) => {
    const message = {
      ...messageOf(kind, schemas),
      headers: { $ref: `${schemaPrefix}WebhookHeaders` },
      examples: examples
        .filter(({ type }) => type === kind.type)
        .map(({ name, payload }) => ({ name, payload })),
    };
    return [kind.type, message] as const;
  });
  const types = webhookKinds.map(({ type }) => type);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Billing webhooks',
      version: productVersion,
      description,
    },
    defaultContentType: 'application/json',
    channels: {
      webhookEndpoint: {
        description: 'The `url` of a webhook endpoint.',
        messages: refs(types, '#/components/messages/'),
      },
    },
    operations: {
      sendWebhook: {
        action: 'send',
        channel: { $ref: '#/channels/webhookEndpoint' },
        summary: 'Notify an endpoint of an event.',
        messages: Object.values(refs(types, '#/channels/webhookEndpoint/messages/')),
        security: [{ $ref: '#/components/securitySchemes/signature' }],
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
      },
    },
    components: {
      messages: Object.fromEntries(messages),
      schemas: { ...schemas.named, WebhookHeaders: headers },
      securitySchemes: {
        signature: {
          type: 'httpApiKey',
          in: 'header',
          name: 'webhook-signature',
          description:
            'Proves the origin of the webhook. Computed with the secret of the endpoint.',
        },
      },
    },
  } as WebhookDocument;
}

function messageOf({ type, summary, payload }: WebhookKind, schemas: Schemas) {
  return { name: type, title: type, summary, payload: schemas.take(payload) };
}

function refs(names: readonly string[], prefix: string): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `${prefix}${name}` }]));
}

/** Converts schemas to the dialect of AsyncAPI and collects named ones as components. */
class Schemas {
  readonly named: Record<string, JsonSchema> = {};

  take(schema: z.ZodType): JsonSchema {
    const made = z.toJSONSchema(schema, {
      target: 'draft-7',
      override: ({ jsonSchema }) => {
        // Webhooks may gain fields.
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      },
    });
    const text = JSON.stringify(made).replaceAll('#/definitions/', schemaPrefix);
    const {
      definitions = {},
      $schema: _dialect,
      ...rest
    } = JSON.parse(text) as {
      definitions?: Record<string, JsonSchema>;
      $schema?: string;
    } & JsonSchema;
    Object.assign(this.named, definitions);
    return rest;
  }
}
