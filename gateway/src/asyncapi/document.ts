import { z } from 'zod';
import { webhookExamples } from './webhook-examples';
import { webhookHeaders, type WebhookKind, webhookKinds } from './webhook-kinds';

const description = `What is announced to webhook endpoints, which are made with \`POST /v1/webhook-endpoints\`. An endpoint gets the six
kinds about subscriptions unless its \`events\` name others. Subscriptions and sessions are shown as they were at that moment.

Each is a POST that counts as taken when it is answered 2xx within 15 s. Otherwise it is repeated with the same \`id\` and the same bytes
after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and then given up; for 30 days it can be replayed. An endpoint that answers 410, or
does nothing but fail for five days, is disabled. Webhooks come at least once: forget an \`id\` that you have seen. Those of one
subscription come in the order of their \`sequence\` as long as they are taken. Signatures follow Standard Webhooks. New fields may be
added at any time.`;

const schemaPrefix = '#/components/schemas/';

/** A schema in JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A kind of webhook in the document. */
export interface Message {
  readonly name: string;
  readonly summary: string;
  readonly payload: JsonSchema;
  readonly examples: readonly { readonly name: string; readonly payload: unknown }[];
}

/** The description of the webhooks in AsyncAPI 3. */
export interface WebhookDocument {
  readonly asyncapi: string;
  readonly info: { readonly title: string; readonly description: string };
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

/** Made of the same schemas as the description of the API. */
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
      version: '1.0.0',
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
        summary: 'Announces what happened.',
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
          description: 'Proves to the receiver who sent it, made with the secret of the endpoint.',
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

/** Schemas in the dialect of AsyncAPI, those that have names once for all. */
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
