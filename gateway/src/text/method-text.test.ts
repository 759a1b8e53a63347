import { expiryText } from './method-text';
import { english } from '@billing/documents/testing/english';

test.each([
  [undefined, '2026-01-31T00:00:00Z', undefined],
  [
    { month: 4, year: 2031 },
    '2026-01-31T00:00:00Z',
    { text: 'Expires 04/2031.', isExpired: false },
  ],
  [
    { month: 1, year: 2026 },
    '2026-01-31T23:59:59Z',
    { text: 'Expires 01/2026.', isExpired: false },
  ],
  [{ month: 1, year: 2026 }, '2026-02-01T00:00:00Z', { text: 'Expired 01/2026.', isExpired: true }],
  [
    { month: 12, year: 2025 },
    '2026-01-01T00:00:00Z',
    { text: 'Expired 12/2025.', isExpired: true },
  ],
])('a card that expires in %j is shown at %s as %j', (expiry, now, shown) => {
  expect(english(expiryText({ expiry }, new Date(now)))).toEqual(shown);
});
