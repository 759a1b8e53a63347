import { issueDateOf } from './issue-date';

const createdAt = new Date('2026-01-31T00:00:00Z');
const finalizedAt = new Date('2026-02-28T00:00:00Z');

test.each([
  ['a draft', { createdAt, finalizedAt: undefined }, createdAt],
  ['a one-off invoice that was finalized later', { createdAt, finalizedAt }, finalizedAt],
])('the date of %s', (_case, invoice, expected) => {
  expect(issueDateOf(invoice)).toBe(expected);
});
