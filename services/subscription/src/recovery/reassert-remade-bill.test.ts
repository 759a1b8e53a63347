import { day } from '../testing/fixtures';
import { mayStand } from './reassert-remade-bill';

const at = day('02-10');

test.each([
  ['of a system without a restore has none', { dueAt: day('02-09') }, undefined, false],
  ['due before the last restore may have one', { dueAt: day('02-10') }, { at }, true],
  ['due after the last restore has none', { dueAt: day('02-11') }, { at }, false],
  ['by a manual clock may have one', { dueAt: day('02-11'), manualClock: true }, { at }, true],
])('an invoice from before a restore: a bill %s', (_name, bill, last, expected) => {
  expect(mayStand({ manualClock: false, ...bill }, { isRecovering: false, last })).toBe(expected);
});

test('an invoice from before a restore: any bill may have one while the system recovers', () => {
  const bill = { dueAt: day('02-11'), manualClock: false };
  expect(mayStand(bill, { isRecovering: true, last: undefined })).toBe(true);
});
