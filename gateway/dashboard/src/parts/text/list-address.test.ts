import {
  isOldestFirst,
  lastPageInstead,
  listParameter,
  pageIn,
  toFirstPages,
  withParameters,
} from './list-address';

const parameters = (text: string) => new URLSearchParams(text);

test('an empty value removes a parameter and keeps the others', () => {
  const next = withParameters(parameters('status=OPEN&page=2'), { status: '', customerId: 'a' });
  expect(next.toString()).toBe('page=2&customerId=a');
});

test('a changed filter starts all lists of the page at their first page and keeps their order', () => {
  const before = parameters('page=2&links.page=3&order=asc&stage=page&homepage=1');
  expect(toFirstPages(before).toString()).toBe('order=asc&stage=page&homepage=1');
  expect(toFirstPages(parameters('before=21&type=a')).toString()).toBe('type=a');
});

test.each([
  ['', 1],
  ['page=3', 3],
  ['page=0', 1],
  ['page=-1', 1],
  ['page=2.5', 1],
  ['page=9999999999', 1],
  ['links.page=3', 1],
])('the page of %p is %p', (text, page) => {
  expect(pageIn(parameters(text), '')).toBe(page);
});

test('each list of a page has a page and an order of its own', () => {
  const shown = parameters('page=2&links.page=4&links.order=asc');
  expect([pageIn(shown, ''), pageIn(shown, 'links')]).toEqual([2, 4]);
  expect([isOldestFirst(shown, ''), isOldestFirst(shown, 'links')]).toEqual([false, true]);
  expect(listParameter('links', 'order')).toBe('links.order');
});

test.each([
  ['a page with rows', { page: 2, rows: 1, total: 26 }, undefined],
  ['an empty list', { page: 1, rows: 0, total: 0 }, undefined],
  ['a later page of an empty list', { page: 2, rows: 0, total: 0 }, undefined],
  ['a page past the end', { page: 2, rows: 0, total: 25 }, 1],
  ['a page far past the end', { page: 9, rows: 0, total: 26 }, 2],
  // The total of a list that is not read to its end is an estimate.
  ['an empty last page', { page: 2, rows: 0, total: 26 }, undefined],
])('%s: of %p the list shows instead page %p', (_name, { page, rows, total }, instead) => {
  expect(lastPageInstead({ page, rows, total, perPage: 25 })).toBe(instead);
});
