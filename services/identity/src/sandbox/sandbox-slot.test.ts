import { abandonedSlots, freeNumbers, withoutSlot } from './sandbox-slot';

const now = new Date('2026-01-01T00:00:00Z');
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const slot = (number: number, sandboxId: string, heldAt = now) => ({
  organizationId: 'o',
  number,
  sandboxId,
  heldAt,
});
const sandbox = (id: string, isDeleted = false) => ({ id, isDeleted });

test.each([
  [[], 2, [1, 2]],
  [[1, 3], 2, [2, 4]],
  [[1, 2, 3], 2, [4]],
  [[1, 2, 3, 4], 1, []],
])('with slots %j of 4 taken, the %d lowest free numbers are %j', (taken, count, free) => {
  const slots = taken.map((number) => slot(number, `s${String(number)}`));
  expect(freeNumbers(slots, { count, max: 4 })).toEqual(free);
});

test('sandboxes without a slot are those that are not deleted and hold none', () => {
  const sandboxes = [sandbox('a'), sandbox('b'), sandbox('c', true)];
  expect(withoutSlot([slot(1, 'a')], sandboxes)).toEqual(['b']);
});

test.each([
  ['of a sandbox that is stored', [sandbox('a')], minutesAgo(60), false],
  ['of a deleted sandbox', [sandbox('a', true)], now, true],
  ['whose sandbox is being stored', [], minutesAgo(11), false],
  ['whose sandbox was not stored in time', [], minutesAgo(12), true],
])('a slot %s is abandoned: %#', (_case, sandboxes, heldAt, isAbandoned) => {
  expect(abandonedSlots([slot(1, 'a', heldAt)], sandboxes, now)).toHaveLength(Number(isAbandoned));
});
