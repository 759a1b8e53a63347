import type { ApiDocument } from '@billing/gateway/openapi';
import {
  fieldTable,
  nameOf,
  type NamedSchemas,
  type Schema,
  schemaSections,
  table,
  typeOf,
} from './schema-table';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { schema: Schema; example?: unknown } };
  };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: Schema;
}

interface Response {
  readonly content?: { readonly 'application/json'?: { readonly schema?: Schema } };
}

/** An operation with its address. */
interface Endpoint extends Operation {
  readonly method: string;
  readonly path: string;
}

/** Renders the OpenAPI document as Markdown, for readers without scripts. */
export function describeOperations(document: ApiDocument): string {
  const { info, tags = [], components } = document;
  const schemas = (components?.schemas ?? {}) as NamedSchemas;
  const endpoints = endpointsOf(document);
  const names = tags.map(({ name }) => name);
  const lost = endpoints.filter((one) => !one.tags.some((tag) => names.includes(tag)));
  if (lost.length > 0) {
    const ids = lost.map(({ operationId }) => operationId);
    throw new Error(`Operations without a section: ${ids.join(', ')}`);
  }
  const parts = [
    `# ${info.title}`,
    info.description ?? '',
    'Source: [openapi.json](/openapi.json)',
    ...tags.flatMap(({ name, description = '' }) => [
      `## ${name}`,
      description,
      ...endpoints
        .filter((one) => one.tags.includes(name))
        .flatMap((one) => describeEndpoint(one, schemas)),
    ]),
    '## Schemas',
    ...schemaSections(schemas),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function endpointsOf({ paths = {} }: ApiDocument): Endpoint[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Readonly<Record<string, Operation>>).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

function describeEndpoint(endpoint: Endpoint, schemas: NamedSchemas): string[] {
  const { operationId, method, path, summary, description = '', requestBody } = endpoint;
  const body = requestBody?.content['application/json'];
  // Headers are the same for all operations; the introduction of the guides describes them.
  const parameters = (endpoint.parameters ?? []).filter((one) => one.in !== 'header');
  return [
    `### ${summary}`,
    `\`${method} ${path}\` (\`${operationId}\`)`,
    description,
    table(
      ['parameter', 'type', 'description'],
      parameters.map((one) => [`\`${one.name}\``, typeOf(one.schema), one.description ?? '']),
    ),
    body === undefined ? '' : bodyOf(body.schema, schemas),
    body?.example === undefined
      ? ''
      : `\`\`\`json\n${JSON.stringify(body.example, null, 2)}\n\`\`\``,
    successOf(endpoint.responses),
  ];
}

function bodyOf(schema: Schema, schemas: NamedSchemas): string {
  const named = schema.$ref === undefined ? schema : schemas[nameOf(schema.$ref)];
  return `Body:\n\n${fieldTable(named ?? {}) || typeOf(schema)}`;
}

function successOf(responses: Readonly<Record<string, Response>>): string {
  const [status, response] = Object.entries(responses).find(([one]) => one.startsWith('2')) ?? [];
  if (status === undefined) return '';
  const schema = response?.content?.['application/json']?.schema;
  return `Returns ${status}${schema === undefined ? '' : ` with ${typeOf(schema)}`}.`;
}
