import { createLogger } from '@billing/chassis/logging';
import type { Observation } from '@billing/chassis/metrics';
import type { EpochStorage, SlotState } from './epoch';
import { EpochWorker, observeEpochs } from './epoch-worker';

const dead: SlotState = {
  id: '1.0',
  writer: 1,
  dead: true,
  n: 1,
  epoch: 3,
  flush: 'f',
  ids: ['a'],
};

test('epochs go on while the recovery of a slot hangs', async () => {
  let current = 7;
  let nowMs = 0;
  const recovering: string[] = [];
  const storage: Pick<
    EpochStorage,
    'readEpoch' | 'findSlots' | 'findSlot' | 'raiseUntil' | 'advanceCurrent'
  > = {
    readEpoch: () => Promise.resolve({ current, until: 2, generations: [] }),
    findSlots: () => Promise.resolve([dead, { ...dead, id: '2.0', writer: 2, dead: false }]),
    findSlot: () => Promise.resolve(dead),
    raiseUntil: () => Promise.resolve(),
    advanceCurrent: (from) => {
      current = from + 1;
      return Promise.resolve();
    },
  };
  const worker = new EpochWorker({
    storage: storage as EpochStorage,
    recover: ({ id }) => {
      recovering.push(id);
      return new Promise<void>(() => undefined);
    },
    ownWriter: () => 2,
    nowMs: () => nowMs,
    logger: createLogger({ service: 'test', level: 'silent', file: undefined }),
  });
  await worker.run();
  void worker.recoverSlots(new AbortController().signal);
  nowMs = 2_000;
  await worker.run();
  expect(recovering).toEqual(['1.0']);
  expect(current).toBe(8);
});

test('a reading is reported for half a minute, so that others show what a stuck process misses', async () => {
  let nowMs = 0;
  const worker = new EpochWorker({
    storage: {
      readEpoch: () => Promise.resolve({ current: 7, until: 6, generations: [] }),
      findSlots: () => Promise.resolve([]),
    } as Partial<EpochStorage> as EpochStorage,
    recover: () => Promise.resolve(),
    ownWriter: () => undefined,
    nowMs: () => nowMs,
    logger: createLogger({ service: 'test', level: 'silent', file: undefined }),
  });
  const reported: (() => Promise<readonly Observation[]>)[] = [];
  observeEpochs({ observe: (_name, read) => reported.push(read) }, worker);
  const counts = async () => {
    const [lag, slots] = await Promise.all(reported.map((read) => read()));
    return [lag?.length, slots?.length];
  };
  expect(await counts()).toEqual([0, 0]);
  await worker.run();
  nowMs = 30_000;
  expect(await counts()).toEqual([1, 4]);
  nowMs += 1;
  expect(await counts()).toEqual([0, 0]);
});
