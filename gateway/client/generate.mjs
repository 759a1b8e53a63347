// Writes the types of the API and the table of its operations from the gateway's own documents,
// which come from its sources: `--require @swc-node/register --conditions source`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';

const requireSource = createRequire(import.meta.url);
const { describeApi } = requireSource('@billing/gateway/openapi');
const { describeWebhooks } = requireSource('@billing/gateway/asyncapi');
const { routes } = requireSource('@billing/gateway/routes');

const folder = join(import.meta.dirname, 'src/gen');
const document = JSON.parse(JSON.stringify(describeApi(routes)));
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'operations.ts'), operationTable());
writeFileSync(join(folder, 'readings.ts'), readingTable());
writeFileSync(join(folder, 'api.ts'), await types());

function operationTable() {
  const rows = operations.map(({ path, method, operation }) => {
    const takes = operation.requestBody ? 'body' : hasQuery(operation) ? 'query' : undefined;
    return [
      `  ${operation.operationId}: {`,
      ` method: '${method.toUpperCase()}', path: '${path}',`,
      ` takes: ${takes ? `'${takes}'` : 'undefined'}, isPaged: ${String(isPaged(operation))} },`,
    ].join('');
  });
  return `/** Method, path and input of each operation of the API. */
export const operationPaths = {
${rows.join('\n')}
} as const;

export type OperationId = keyof typeof operationPaths;
`;
}

/** For programs that read any resource; not in the bundle of the client. */
function readingTable() {
  const rows = operations.filter(isReading).map(({ path, operation }) => {
    const query = operation.parameters?.filter((one) => one.in === 'query') ?? [];
    const isList = query.length > 0 || isArray(schemaOf(operation));
    const filters = query.map(({ name }) => name).filter((name) => name !== 'page');
    return `  ${JSON.stringify({ path, isList, filters })},`;
  });
  return `/** Path of each operation that returns JSON, and the query of lists without their page. */
export const readings = [
${rows.join('\n')}
];
`;
}

function isReading({ path, method, operation }) {
  return method === 'get' && path.startsWith('/v1/') && schemaOf(operation) !== undefined;
}

function schemaOf({ responses }) {
  return responses[200]?.content?.['application/json']?.schema;
}

function isArray({ $ref, type }) {
  const name = $ref?.replace('#/components/schemas/', '');
  return (name === undefined ? type : document.components.schemas[name].type) === 'array';
}

async function types() {
  for (const { operation } of operations) leaveOutWhatTheClientHandles(operation);
  const { messages, schemas } = describeWebhooks().components;
  const events = JSON.parse(
    JSON.stringify({ schemas, events: Object.values(messages).map(({ payload }) => payload) }),
    (key, value) =>
      key === '$ref'
        ? value.replace('#/components/schemas/', '#/components/schemas/Payload')
        : value,
  );
  for (const [name, schema] of Object.entries(events.schemas)) {
    document.components.schemas[`Payload${name}`] = schema;
  }
  document.components.schemas.Payload = { oneOf: events.events };
  const text = astToString(await openapiTS(document));
  return `${text}
/** An event as a webhook carries it, told apart by its \`type\`. */
export type WebhookEvent = components['schemas']['Payload'];
`;
}

/** Errors are thrown, and headers are set and read by the client. */
function leaveOutWhatTheClientHandles(operation) {
  operation.parameters = operation.parameters?.filter((one) => one.in !== 'header') ?? [];
  for (const [status, response] of Object.entries(operation.responses)) {
    if (Number(status) >= 300) delete operation.responses[status];
    else delete response.headers;
  }
}

function hasQuery({ parameters = [] }) {
  return parameters.some((one) => one.in === 'query');
}

function isPaged({ parameters = [] }) {
  return parameters.some((one) => one.name === 'perPage');
}
