import { countWrite, OwnWritesByName } from './own-writes';
import { QuietPoll, quietMsDefault } from './quiet-poll';

const start = Date.parse('2026-01-01T00:00:00Z');

/** A poll each second of one collection of this process, and what is due in it. */
function aPoll() {
  const collection = {};
  const writes = new OwnWritesByName().register(collection, 'jobs');
  const world = { ms: 0, setClockMs: 0, isAlone: true, dueAtMs: [] as number[] };
  const reads: number[] = [];
  const poll = new QuietPoll({
    collections: [collection],
    isAlone: () => world.isAlone,
    clock: { now: () => new Date(start + world.ms + world.setClockMs) },
    nowMs: () => world.ms,
  });
  const find = (until: Date) => {
    reads.push(world.ms);
    return Promise.resolve(world.dueAtMs.filter((ms) => start + ms <= until.getTime()));
  };
  return {
    world,
    reads,
    find,
    poll,
    write: (outcome: Promise<void> = Promise.resolve()) => countWrite(writes, () => outcome),
    /** Polls once a second, from now on; returns what was found, by second. */
    run: async (seconds: number) => {
      const found: number[][] = [];
      for (let second = 0; second < seconds; second += 1) {
        found.push([...(await poll.poll(find))]);
        world.ms += 1_000;
      }
      return found;
    },
  };
}

const perWindow = quietMsDefault / 1_000;

describe('a poll of a process that is alone', () => {
  test('reads once in some seconds while nothing is due and nothing is written', async () => {
    const { run, reads } = aPoll();
    await run(2 + 4 * perWindow);
    // The first read looks for what is due, the others also for what becomes due.
    expect(reads).toEqual([0, 1, 6, 11, 16, 21].map((second) => second * 1_000));
  });

  test('finds each document in the first turn after it is due', async () => {
    for (const dueAtMs of [0, 1, 999, 1_000, 2_500, 6_000, 6_001, 7_500, 10_999, 11_000, 17_001]) {
      const { run, world } = aPoll();
      world.dueAtMs = [dueAtMs];
      const found = await run(20);
      expect(found.findIndex((one) => one.length > 0)).toBe(Math.ceil(dueAtMs / 1_000));
    }
  });

  test('reads at its next turn after a write of this process', async () => {
    const { run, world, write } = aPoll();
    await run(4);
    world.dueAtMs = [3_500];
    await write();
    expect(await run(1)).toEqual([[3_500]]);
  });

  test('reads while a write is in flight, and after it', async () => {
    const { run, reads, world, write } = aPoll();
    await run(4);
    let end: () => void = () => undefined;
    const writing = write(new Promise<void>((resolve) => (end = resolve)));
    reads.length = 0;
    await run(3);
    expect(reads).toHaveLength(3);
    end();
    await writing;
    world.dueAtMs = [world.ms];
    expect(await run(1)).toEqual([[world.ms - 1_000]]);
  });

  test('reads again when a write begins during a read that does not see it', async () => {
    const { poll, reads, world, write } = aPoll();
    const found = await poll.poll(async () => {
      reads.push(world.ms);
      await write();
      return [];
    });
    expect(found).toEqual([]);
    world.dueAtMs = [0];
    world.ms = 1_000;
    expect(await poll.poll(() => Promise.resolve(world.dueAtMs))).toEqual([0]);
  });

  test('finds within seconds what another process has written without a heartbeat', async () => {
    const { run, world } = aPoll();
    await run(3);
    world.dueAtMs = [3_000];
    const found = await run(1 + perWindow);
    expect(found.some((one) => one.length > 0)).toBe(true);
  });

  test('reads in each turn while something is due and is not finished', async () => {
    const { run, reads, world } = aPoll();
    world.dueAtMs = [0];
    const found = await run(10);
    expect(reads).toHaveLength(10);
    expect(found).toEqual(Array.from({ length: 10 }, () => [0]));
  });

  test('reads after its clock was set', async () => {
    for (const setClockMs of [-60_000, 60_000]) {
      const { run, reads, world } = aPoll();
      await run(4);
      reads.length = 0;
      world.setClockMs = setClockMs;
      await run(1);
      expect(reads.length).toBeGreaterThan(0);
    }
  });

  test('reads after a failure', async () => {
    const { poll, run, reads } = aPoll();
    await run(1);
    await expect(poll.poll(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    reads.length = 0;
    await run(1);
    expect(reads).toHaveLength(1);
  });
});

test('a poll of a process with other replicas reads in each turn', async () => {
  const { run, reads, world } = aPoll();
  await run(4);
  reads.length = 0;
  world.isAlone = false;
  await run(10);
  expect(reads).toHaveLength(10);
});
