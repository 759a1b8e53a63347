import { documentLocale } from './document-locale';
import type { ApiRequest } from './request';

const requestWith = (query: object) => ({ query }) as unknown as ApiRequest;

test('a document is shown in the locale that a request names', () => {
  expect(documentLocale(requestWith({}))).toBeUndefined();
  expect(documentLocale(requestWith({ locale: 'de-ch' }))).toBe('de-CH');
  expect(() => documentLocale(requestWith({ locale: 'xx' }))).toThrow(
    expect.objectContaining({ fields: { locale: ['Unsupported locale'] } }),
  );
});
