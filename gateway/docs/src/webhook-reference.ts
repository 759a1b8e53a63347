import type { Message, WebhookDocument } from '@billing/gateway/asyncapi';
import { fieldTable, type NamedSchemas, type Schema, schemaSections, table } from './schema-table';

/** Renders the AsyncAPI document as Markdown: order, headers, and each kind with an example. */
export function describeMessages({ info, components }: WebhookDocument): string {
  const schemas = components.schemas as NamedSchemas;
  const { WebhookHeaders: headers = {}, ...others } = schemas;
  const messages = Object.values(components.messages);
  const kinds = messages.map(({ name, summary }) => [
    `[\`${name}\`](#${name.replace('.', '')})`,
    summary,
  ]);
  const parts = [
    `# ${info.title}`,
    info.description,
    'Source: [asyncapi.json](/asyncapi.json). How to receive them: [Webhooks](receive-webhooks.md).',
    '## Kinds',
    table(['kind', 'sent'], kinds),
    '## Headers',
    fieldTable(headers),
    ...messages.flatMap(describeMessage),
    '## Schemas',
    ...schemaSections(others),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function describeMessage({ name, summary, payload, examples: [example] }: Message): string[] {
  const { data, sequence } = (payload as Schema).properties ?? {};
  return [
    `## ${name}`,
    summary,
    sequence?.description === undefined ? '' : `\`sequence\`: ${sequence.description}`,
    fieldTable(data ?? {}),
    example === undefined ? '' : `\`\`\`json\n${JSON.stringify(example.payload, null, 2)}\n\`\`\``,
  ];
}
