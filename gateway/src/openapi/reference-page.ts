import type { Message, WebhookDocument } from '../asyncapi/document';
import type { ApiDocument } from './document';
import { escaped, framed } from './frame';
import { guides } from './guide-page';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: { readonly 'application/json'?: { readonly schema?: Schema } };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    name: string;
    in: string;
    description?: string;
    schema: Schema;
  }[];
  readonly requestBody?: {
    readonly content: { 'application/json': { schema: Schema; example?: unknown } };
  };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Endpoint extends Operation {
  readonly method: string;
  readonly path: string;
}

/** Renders the reference page of the API and its webhooks. */
export function renderReferencePage(document: ApiDocument, webhooks: WebhookDocument): string {
  const { info, tags = [], components } = document;
  const messages = Object.values(webhooks.components.messages);
  const endpoints = endpointsOf(document);
  const responses = (components?.responses ?? {}) as Readonly<Record<string, Response>>;
  const schemas = {
    ...components?.schemas,
    WebhookHeaders: webhooks.components.schemas.WebhookHeaders,
  } as Readonly<Record<string, Schema>>;
  const content = `<header><h1>${escaped(info.title)}</h1>${paragraphs(info.description)}
<p>Machine-readable: <a href="/openapi.json">openapi.json</a> (OpenAPI), <a href="/asyncapi.json">asyncapi.json</a> (AsyncAPI)</p></header>
<nav><h2>Guides</h2><ul>${guides.map(({ name, title }) => `<li><a href="/docs/${name}">${escaped(title)}</a></li>`).join('')}</ul>
${tags.map(({ name }) => contents(name, endpoints)).join('')}
<h2><a href="#webhooks">Webhooks</a></h2><ul>${messages.map(({ name }) => `<li><a href="#${name}">${name}</a></li>`).join('')}</ul>
<h2><a href="#schemas">Schemas</a></h2></nav>
<main>${endpoints.map((endpoint) => article(endpoint, responses)).join('\n')}
<h2 id="webhooks">${escaped(webhooks.info.title)}</h2>${paragraphs(webhooks.info.description)}
<p>Headers: <a href="#WebhookHeaders">WebhookHeaders</a></p>
${messages.map(messageArticle).join('\n')}
<h2 id="schemas">Schemas</h2>
${Object.entries(schemas).map(schemaArticle).join('\n')}</main>`;
  return framed(info.title, content);
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

function contents(tag: string, endpoints: readonly Endpoint[]): string {
  const links = endpoints
    .filter(({ tags }) => tags.includes(tag))
    .map(
      ({ operationId, summary }) => `<li><a href="#${operationId}">${escaped(summary)}</a></li>`,
    );
  return links.length === 0 ? '' : `<h2>${escaped(tag)}</h2><ul>${links.join('')}</ul>`;
}

function article(endpoint: Endpoint, shared: Readonly<Record<string, Response>>): string {
  const { operationId, method, path, summary, parameters = [], requestBody } = endpoint;
  const body = requestBody?.content['application/json'];
  return `<article id="${operationId}">
<h2>${escaped(summary)}</h2>
<p><code>${method} ${escaped(path)}</code></p>
${paragraphs(endpoint.description)}
${table(
  ['parameter', 'in', 'type', 'description'],
  parameters.map((one) => [code(one.name), one.in, typeOf(one.schema), prose(one.description)]),
)}
${body === undefined ? '' : `<h3>Body</h3><p>${typeOf(body.schema)}</p>${json(body.example)}`}
<h3>Responses</h3>
${table(
  ['status', 'body', 'description'],
  Object.entries(endpoint.responses).map((one) => answerRow(one, shared)),
)}
</article>`;
}

function answerRow(
  [status, response]: [string, Response],
  shared: Readonly<Record<string, Response>>,
): string[] {
  const { description, content } = shared[nameOf(response.$ref)] ?? response;
  const schema = content?.['application/json']?.schema;
  return [status, schema === undefined ? '' : typeOf(schema), prose(description)];
}

function schemaArticle([name, schema]: [string, Schema]): string {
  return `<article id="${name}"><h3>${name}</h3>${paragraphs(schema.description)}${fields(schema)}</article>`;
}

/** Article of a webhook type: the fields of `data` and an example body. */
function messageArticle({ name, summary, payload, examples: [example] }: Message): string {
  const { data, sequence } = (payload as Schema).properties ?? {};
  const envelope = sequence === undefined ? '' : `<p>${prose(sequence.description)}</p>`;
  return `<article id="${name}"><h3>${name}</h3><p>${prose(summary)}</p>${envelope}
${fields(data ?? {})}<details><summary>Example</summary>${json(example?.payload)}</details></article>`;
}

function fields({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([field, value]) => [
    code(field) + (required.includes(field) ? '' : ' <small>optional</small>'),
    typeOf(value),
    prose(value.description),
  ]);
  return table(['field', 'type', 'description'], rows);
}

/** Describes a schema in words; a named schema links to its article. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return `<a href="#${name}">${name}</a>`;
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ');
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (schema.properties !== undefined)
    return `{ ${Object.keys(schema.properties).map(code).join(', ')} }`;
  const { type = '', format, minimum, maximum, minLength, maxLength } = schema;
  const range = [minimum ?? minLength, maximum ?? maxLength];
  const bounds = range.some((bound) => bound !== undefined) ? range.map(text).join('…') : '';
  return escaped([[type].flat().join(' or '), format, bounds].filter(Boolean).join(' '));
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const head = heads.map((one) => `<th>${one}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<table><tr>${head}</tr>${body.join('')}</table>`;
}

function paragraphs(description = ''): string {
  return description
    .split('\n\n')
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${prose(paragraph)}</p>`)
    .join('');
}

/** Renders code spans, the only Markdown that descriptions use. */
function prose(description = ''): string {
  return escaped(description).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function json(value: unknown): string {
  return value === undefined ? '' : `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;
}

function code(name: string): string {
  return `<code>${escaped(name)}</code>`;
}

function nameOf(reference = ''): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function text(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}
