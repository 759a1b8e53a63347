import { systemClock } from '@billing/chassis/clock';
import { createLogger } from '@billing/chassis/logging';
import { sliceCount } from '@billing/chassis/slice';
import { UsageAudit, type UsageAuditDependencies } from './audit-worker';

test('samples begin at the given slice, and go on through all slices', async () => {
  const sampled: number[] = [];
  const store = {
    ofSlice: (slice: number) => {
      sampled.push(slice);
      return [];
    },
  };
  const audit = new UsageAudit({
    store,
    slices: { filter: () => ({}) },
    firstSlice: sliceCount - 2,
    clock: systemClock,
  } as unknown as UsageAuditDependencies);
  for (let run = 0; run < 4; run += 1) await audit.sample(new AbortController().signal);
  expect(sampled).toEqual([sliceCount - 2, sliceCount - 1, 0, 1]);
});

test('a check whose caller left ends after a series without hours, and the next call continues', async () => {
  const keys = ['a:c:m:', 'b:c:m:', 'c:c:m:'];
  const store = {
    firstFrom: (from: string) => {
      const _id = keys.find((key) => key >= from);
      return Promise.resolve(_id === undefined ? null : { _id });
    },
  };
  const audit = new UsageAudit({
    store,
    // Usage that is being deleted has no hours.
    isDeleted: () => true,
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent', file: undefined }),
  } as unknown as UsageAuditDependencies);
  const left = AbortSignal.abort();
  const check = (after: string, signal = left) =>
    audit.check({ prefix: '', isRepaired: false, after }, signal);
  expect(await check('')).toMatchObject({ compared: [], next: 'a:c:m:!' });
  expect(await check('a:c:m:!')).toMatchObject({ compared: [], next: 'b:c:m:!' });
  const { signal } = new AbortController();
  expect(await check('b:c:m:!', signal)).toMatchObject({ compared: [], next: '' });
});
