import { endpointStatus, healthOf, healthText, statusText, unreadText } from './endpoint-health';

const reports = [
  {
    endpointId: 'a',
    failingSince: '2026-11-21T10:00:00.000Z',
    days: [{ day: '2026-11-21', delivered: 2, failed: 1 }],
  },
  { endpointId: 'b', failingSince: null, days: [] },
];

test('a strip shows the days of its endpoint only', () => {
  expect(healthOf(reports, 'a')).toEqual([{ day: '2026-11-21', good: 2, bad: 1 }]);
  expect(healthOf(reports, 'c')).toEqual([]);
});

test.each([
  [[], 'No deliveries yet'],
  [[{ day: 'd', good: 3, bad: 0 }], '100% of 3 delivered'],
  [[{ day: 'd', good: 9_999, bad: 1 }], '99.9% of 10,000 delivered'],
  [[{ day: 'd', good: 0, bad: 4 }], '0% of 4 delivered'],
])('the days %j read as %s', (days, text) => {
  expect(healthText(days)).toBe(text);
});

test.each([
  ['a', true, 'FAILING'],
  ['a', false, 'DISABLED'],
  ['b', true, 'ACTIVE'],
  ['c', true, 'ACTIVE'],
])('the endpoint %s, active: %s, is %s', (id, active, status) => {
  expect(endpointStatus({ id, active }, reports).status).toBe(status);
});

test.each([
  [{ data: undefined, error: null }, 'Loading'],
  [{ data: undefined, error: new Error('Service unavailable') }, 'Could not be loaded'],
  [{ data: { data: [] }, error: null }, undefined],
  [{ data: { data: [] }, error: new Error('Service unavailable') }, undefined],
])('reports that were not read say so: %j', (reports, text) => {
  expect(unreadText(reports)).toBe(text);
});

test.each([
  ['b', true, reports, 'Active'],
  ['b', true, undefined, 'Could not be loaded'],
  ['b', false, undefined, 'Disabled'],
])('the status of %s, active: %s, with reports %j is %s', (id, active, data, text) => {
  const error = data === undefined ? new Error('Service unavailable') : null;
  expect(statusText({ id, active }, { data: data && { data }, error })).toBe(text);
});
