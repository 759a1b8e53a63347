import type { ApiDocument } from '@billing/gateway/openapi';
import { describeOperations } from './api-reference';

function documentWith(tags: readonly string[]): ApiDocument {
  const operation = { operationId: 'listThings', summary: 'List things', tags, responses: {} };
  return {
    ...{ openapi: '3.1.0', info: { title: 'API', version: '1.0.0' }, tags: [{ name: 'Things' }] },
    paths: { '/v1/things': { get: operation } },
  } as unknown as ApiDocument;
}

test('an operation is in the section of its tag', () => {
  expect(describeOperations(documentWith(['Things']))).toContain('`GET /v1/things` (`listThings`)');
});

test.each([[['Others']], [[]]])('an operation with the tags %j has no section', (tags) => {
  expect(() => describeOperations(documentWith(tags))).toThrow(
    'Operations without a section: listThings',
  );
});
