import { day } from '../testing/fixtures';
import { mayStand } from './reassert-remade-bill';

const at = day('02-10');

test.each([
  ['of a system without a restore has none', { createdAt: day('02-09') }, undefined, false],
  ['of a subscription from before it may have one', { createdAt: day('02-10') }, { at }, true],
  ['of a subscription from after it has none', { createdAt: day('02-11') }, { at }, false],
  ['by a manual clock may have one', { createdAt: day('02-11'), manualClock: true }, { at }, true],
])('an invoice from before a restore: a bill %s', (_name, bill, last, expected) => {
  expect(mayStand({ manualClock: false, ...bill }, { isRecovering: false, last })).toBe(expected);
});

test('an invoice from before a restore: any bill may have one while the system recovers', () => {
  const bill = { createdAt: day('02-11'), manualClock: false };
  expect(mayStand(bill, { isRecovering: true, last: undefined })).toBe(true);
});
