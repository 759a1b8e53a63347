import { readings } from '@billing/client/readings';
import { CommandFailure } from '../terminal/failure';
import { listPath, lists, singlePath, singles } from './resource';

const list = (name: string, filters = {}, page = 1) =>
  listPath(lists.get(name)!, filters, { page });
const single = (name: string, id?: string) => singlePath(singles.get(name)!, id);

test('each reading operation but the feed is a list or a single resource with a name', () => {
  expect(lists.size + singles.size + 1).toBe(readings.length);
  expect([...lists.keys()]).toContain('subscriptions/changes');
  expect([...singles.keys()]).toContain('subscriptions/changes');
});

test.each([
  ['customers', {}, 2, '/v1/customers?page=2'],
  ['customers', { perPage: 5, order: 'asc' }, 1, '/v1/customers?perPage=5&order=asc&page=1'],
  ['products', { ids: ['a', 'b&c'] }, 1, '/v1/products?ids=a%2Cb%26c&page=1'],
  ['meters', { active: true }, 1, '/v1/meters?active=true'],
  ['email-templates', {}, 1, '/v1/email-templates'],
  ['subscriptions/changes', { id: 'a/b' }, 1, '/v1/subscriptions/a%2Fb/changes?page=1'],
  [
    'tax-report',
    { from: '2026-01-01', to: '2026-02-01' },
    1,
    '/v1/tax-report?from=2026-01-01&to=2026-02-01',
  ],
])('the list %s with %j is at its address', (name, filters, page, path) => {
  expect(list(name, filters, page)).toBe(path);
});

test.each([
  ['customers', { page: 2 }],
  ['customers', { method: 'DELETE' }],
  ['subscriptions/changes', {}],
  ['subscriptions/changes', { id: '..' }],
])('the list %s refuses %j', (name, filters) => {
  expect(() => list(name, filters)).toThrow(CommandFailure);
});

test.each([
  ['customers', 'a', '/v1/customers/a'],
  ['customers', '$&', '/v1/customers/%24%26'],
  ['email-templates', 'RECEIPT/en', '/v1/email-templates/RECEIPT/en'],
  ['subscriptions/changes', 'a/b', '/v1/subscriptions/a/changes/b'],
  ['seller', undefined, '/v1/seller'],
])('the resource %s with %j is at its address', (name, id, path) => {
  expect(single(name, id)).toBe(path);
});

test.each([
  ['customers', undefined],
  ['customers', ''],
  ['customers', '..'],
  ['customers', 'a/b'],
  ['subscriptions/changes', '../..'],
  ['seller', 'a'],
])('the resource %s refuses the id %j', (name, id) => {
  expect(() => single(name, id)).toThrow(CommandFailure);
});
