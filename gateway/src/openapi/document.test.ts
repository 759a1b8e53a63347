import { routes } from '../api/routes';
import { answerOfKind } from '../http/error';
import { describeApi } from './document';
import { errorCodes } from '../api/routes/error-codes';

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
