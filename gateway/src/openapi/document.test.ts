import { routes } from '../api/routes/routes';
import { describeWebhooks } from '../asyncapi/document';
import { answerOfKind } from '../http/error';
import { describeApi } from './document';
import { errorCodes } from '../api/routes/error-codes';
import { renderReferencePage } from './reference-page';

const document = describeApi(routes);
const described = routes.map(({ operation }) => operation);

function operationsOf(path: string): Record<string, any> {
  return (document.paths ?? {})[path] as Record<string, any>;
}

test.each(
  routes.map(({ method, path, hidesUnavailability }) => [method, path, hidesUnavailability]),
)('%s %s is in the document with its errors', (method, path, hidesUnavailability) => {
  const operation = operationsOf(`/v1${path.replace(/:(\w+)/g, '{$1}')}`)[method.toLowerCase()];
  expect(operation.operationId).toMatch(/^[a-z]+[A-Z]/);
  const unavailable = hidesUnavailability === true ? [] : ['503', '504'];
  for (const status of ['401', '403', '404', '405', '429', '500', ...unavailable]) {
    expect(operation.responses).toHaveProperty(status);
  }
  const changes = method === 'POST' || method === 'PATCH';
  for (const status of ['400', '409', '413', '415', '422']) {
    if (changes) expect(operation.responses).toHaveProperty(status);
  }
});

test('operation ids are unique', () => {
  const ids = described.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(described.flatMap(({ id, body }) => (body === undefined ? [] : [[id, body] as const])))(
  'the example of %s is valid against its schema',
  (_id, body) => {
    const { examples = [] } = body.meta() ?? {};
    expect(examples).not.toHaveLength(0);
    for (const example of examples)
      expect(body.safeParse(example)).toMatchObject({ success: true });
  },
);

test('every error with a fixed code has its status in the document', () => {
  for (const { status, code } of Object.values(answerOfKind)) {
    if (code === undefined) continue;
    expect(errorCodes).toHaveProperty(code);
    expect(errorCodes[code as keyof typeof errorCodes].status).toBe(status);
  }
});

describe('the reference page', () => {
  const webhooks = describeWebhooks();
  const page = renderReferencePage(document, webhooks);

  test('the page shows every operation and every schema', () => {
    for (const { id } of described) expect(page).toContain(`<article id="${id}">`);
    for (const name of Object.keys(document.components?.schemas ?? {})) {
      expect(page).toContain(`<article id="${name}">`);
    }
  });

  test('the page shows every webhook type', () => {
    for (const type of Object.keys(webhooks.components.messages)) {
      expect(page).toContain(`<article id="${type}">`);
    }
  });

  test('every link of the page has a target', () => {
    for (const [, id] of page.matchAll(/href="#([^"]*)"/g)) expect(page).toContain(`id="${id}"`);
  });

  test('the page needs no script and no external resource', () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|style=|\son\w+=|src=|url\(|@import/i);
  });
});
