import { callScopes } from '@billing/chassis/call-context';
import { ResultType, type SearchResult } from '@billing/proto/billing/search/v1/search';
import { readableServices, toJsonSearchResult } from './search-routes';

const found = (facts: Partial<SearchResult>): SearchResult => ({
  type: ResultType.RESULT_TYPE_CUSTOMER,
  id: '0190a000-0000-7000-8000-000000000001',
  title: 'Ada Lovelace',
  detail: '',
  status: '',
  amount: undefined,
  currency: '',
  ...facts,
});

describe('the detail of a result', () => {
  test.each<[string, Partial<SearchResult>, string]>([
    ['is empty without facts', {}, ''],
    ['is the text alone', { detail: 'ada@example.com' }, 'ada@example.com'],
    ['joins text and status', { detail: 'PRO', status: 'PAST_DUE' }, 'PRO · Past due'],
    [
      'ends with the amount in major units',
      { status: 'OPEN', amount: 2900n, currency: 'USD' },
      'Open · $29.00',
    ],
    ['shows an amount of zero', { amount: 0n, currency: 'JPY' }, '¥0'],
  ])('%s', (_case, facts, detail) => {
    expect(toJsonSearchResult(found(facts)).detail).toBe(detail);
  });
});

test('a result names its type as other responses name values', () => {
  const type = ResultType.RESULT_TYPE_WEBHOOK_ENDPOINT;
  expect(toJsonSearchResult(found({ type })).type).toBe('WEBHOOK_ENDPOINT');
});

describe('a search asks', () => {
  test('every service for a caller with all scopes', () => {
    expect(readableServices(callScopes([])).length).toBe(6);
  });

  test('only the services whose resources the caller may read', () => {
    const scopes = ['customers:read', 'invoices:write', 'webhook-endpoints:read'];
    expect(readableServices(scopes)).toEqual(['customer', 'notifier']);
  });
});
