import { changeOf, endOfDay, firstCall } from './overview';

test('the change of a figure is this month minus the previous month', () => {
  const months = [
    { month: '2026-08', amount: 50 },
    { month: '2026-09', amount: 100 },
    { month: '2026-10', amount: 70 },
  ];
  expect(changeOf({ months })).toBe(-30n);
  expect(changeOf({ months: months.slice(0, 1) })).toBeUndefined();
});

test('the change of a figure beyond safe integers is exact', () => {
  const months = [
    { month: '2026-09', amount: '90071992547409930' },
    { month: '2026-10', amount: '90071992547409931' },
  ];
  expect(changeOf({ months })).toBe(1n);
});

test('a day ends at midnight in UTC', () => {
  expect(endOfDay('2026-12-31T23:59:59.999Z')).toBe('2027-01-01T00:00:00.000Z');
  expect(endOfDay('2026-02-28T00:00:00.000Z')).toBe('2026-03-01T00:00:00.000Z');
});

test('the first call uses the origin of the dashboard', () => {
  expect(firstCall('https://billing.example').split(' \\\n')).toEqual([
    'curl https://billing.example/v1/customers',
    "  -H 'Authorization: Bearer YOUR_KEY'",
    "  -H 'Content-Type: application/json'",
    `  -d '{"email": "ada@example.com", "name": "Ada Lovelace"}'`,
  ]);
});
