import fc from 'fast-check';
import { type Activity, runAdvance, type ClockAdvancePorts, type WorkClass } from './clock-advance';

const january = (day: number) => new Date(Date.UTC(2026, 0, day));
const classOrder: readonly WorkClass[] = ['COLLECTION', 'END', 'RENEWAL'];

/** Work due in one service, whose consequences then travel through others. */
interface Work {
  readonly name: string;
  readonly at: Date;
  readonly workClass: WorkClass;
  /** The service of the due work, then those that its consequences reach in turn. */
  readonly route: readonly number[];
  /** Is due when this one ends, maybe at the same instant. */
  readonly next?: Work;
}

interface Travelling {
  readonly work: Work;
  stop: number;
  /** True once the write that moves it is counted. */
  isCounted: boolean;
}

/**
 * Services as seen through the ports. Each call to one of them lets `tick` move traveling work, so
 * work moves between any two checks.
 */
class World {
  now: Date;
  /** The last instant that the clock may reach: a later move is refused, as after a stop. */
  stopsAt: Date | undefined;
  readonly log: { name: string; workClass: WorkClass; at: Date; now: Date }[] = [];
  readonly moves: Date[] = [];
  private readonly due: Work[];
  private readonly travelling: Travelling[] = [];
  private readonly writes: bigint[];

  constructor(
    now: Date,
    work: readonly Work[],
    private readonly options: { services: number; isMoving: () => boolean; losesAnswers: boolean },
  ) {
    this.now = now;
    this.due = [...work];
    this.writes = Array.from({ length: options.services }, () => 0n);
  }

  readonly ports: ClockAdvancePorts = {
    betweenInstants: async () => {
      expect(this.isEmpty).toBe(true);
    },
    nextDue: async (until) => {
      this.tick();
      return this.writes.map((_writes, service) =>
        this.due
          .filter(({ at, route }) => route[0] === service && at <= until)
          .map(({ at }) => at)
          .toSorted((a, b) => a.getTime() - b.getTime())
          .at(0),
      );
    },
    runDue: async (until, workClass, services) => {
      const ready = this.due.filter(
        ({ at, workClass: dueClass, route }) =>
          at <= until && dueClass === workClass && services?.includes(route[0] ?? 0) !== false,
      );
      for (const work of ready) {
        this.due.splice(this.due.indexOf(work), 1);
        this.travelling.push({ work, stop: 0, isCounted: false });
        this.countWrite(work.route[0]);
      }
      if (this.options.losesAnswers) return { processed: 0, isRepeated: true };
      return { processed: ready.length, isRepeated: false };
    },
    activities: async (until, workClass, { services, idleAt } = {}) =>
      [...this.writes.keys()].filter(isIn(services)).map((service, index): Activity => {
        const writes = this.writes[service] ?? 0n;
        this.tick();
        if (writes === idleAt?.[index]) return { pending: 0, due: 0, writes };
        const isRunnable = (work: Work) =>
          work.at <= until && classOrder.indexOf(work.workClass) <= classOrder.indexOf(workClass);
        const due = this.due.filter((work) => work.route[0] === service && isRunnable(work)).length;
        const here = this.travelling.filter(({ work, stop }) => work.route[stop] === service);
        this.tick();
        return { pending: due + here.length, due, writes };
      }),
    moveTo: async (at) => {
      if (this.stopsAt !== undefined && at > this.stopsAt) return false;
      this.now = at;
      this.moves.push(at);
      return true;
    },
    pause: async () => {
      this.tick();
    },
  };

  get isEmpty(): boolean {
    return this.travelling.length === 0;
  }

  begin(work: Work): void {
    this.travelling.push({ work, stop: 0, isCounted: false });
    this.countWrite(work.route[0]);
  }

  private tick(): void {
    for (const moving of [...this.travelling]) {
      if (!this.options.isMoving()) continue;
      const { route, next } = moving.work;
      const isLast = moving.stop + 1 === route.length;
      if (!moving.isCounted) {
        // A write is counted before it happens; until then the work is where it was.
        moving.isCounted = true;
        if (!isLast) this.countWrite(route[moving.stop + 1]);
        else if (next !== undefined) this.countWrite(next.route[0]);
        continue;
      }
      moving.stop += 1;
      moving.isCounted = false;
      if (isLast) this.end(moving);
    }
  }

  private end(moving: Travelling): void {
    const { name, workClass, at, next } = moving.work;
    this.travelling.splice(this.travelling.indexOf(moving), 1);
    this.log.push({ name, workClass, at, now: this.now });
    if (next === undefined) return;
    this.due.push(next);
  }

  private countWrite(service = 0): void {
    this.writes[service] = (this.writes[service] ?? 0n) + 1n;
  }
}

function renewal(name: string, at: Date, { route = [0], next }: Partial<Work> = {}): Work {
  return { name, at, workClass: 'RENEWAL', route, ...(next === undefined ? {} : { next }) };
}

function aWorld(
  work: readonly Work[],
  { services = 2, isMoving = (): boolean => true, losesAnswers = false } = {},
): World {
  return new World(january(1), work, { services, isMoving, losesAnswers });
}

function advance(world: World, to: Date, processed = 0): Promise<number> {
  return runAdvance({ from: world.now, to, processed }, world.ports);
}

function isIn(services: readonly number[] | undefined): (service: number) => boolean {
  return (service) => services?.includes(service) !== false;
}

describe('a clock advance', () => {
  test('waits for handled work although the answer about it was lost', async () => {
    const at = january(3);
    const route = [0, 1, 0, 1, 0];
    const work = [
      { name: 'renewal', at, workClass: 'RENEWAL' as const, route },
      { name: 'end', at, workClass: 'END' as const, route },
    ];
    const world = aWorld(work, { losesAnswers: true });
    await advance(world, at);
    expect(world.log.map(({ name }) => name)).toEqual(['end', 'renewal']);
    expect(world.isEmpty).toBe(true);
  });

  test('with nothing due goes straight to its target', async () => {
    const world = aWorld([]);
    expect(await advance(world, january(9))).toBe(0);
    expect(world.moves).toEqual([january(9)]);
  });

  test('to the present time moves nothing and runs due work', async () => {
    const world = aWorld([renewal('today', january(1))]);
    expect(await advance(world, january(1))).toBe(1);
    expect(world.moves).toEqual([]);
    expect(world.log).toHaveLength(1);
  });

  test('to an instant that has passed in between only waits for quiet', async () => {
    const world = aWorld([renewal('today', january(1))]);
    await runAdvance(
      { from: january(1), to: new Date('2025-12-01T00:00:00.000Z'), processed: 0 },
      world.ports,
    );
    expect(world.moves).toEqual([]);
    expect(world.log).toHaveLength(1);
  });

  test('stops at each due instant, in order', async () => {
    const world = aWorld([
      renewal('third', january(7)),
      renewal('first', january(3)),
      renewal('second', january(5)),
      renewal('later', january(10)),
    ]);
    expect(await advance(world, january(9))).toBe(3);
    expect(world.log.map(({ name, now }) => [name, now])).toEqual([
      ['first', january(3)],
      ['second', january(5)],
      ['third', january(7)],
    ]);
    expect(world.moves).toEqual([january(3), january(5), january(7), january(9)]);
  });

  test('ends after its present instant once it is stopped', async () => {
    const work = [2, 3, 4].map((day): Work => ({
      name: String(day),
      at: january(day),
      workClass: 'RENEWAL',
      route: [0],
    }));
    const world = aWorld(work);
    world.stopsAt = january(3);
    const processed = await runAdvance(
      { from: january(1), to: january(9), processed: 0 },
      world.ports,
    );
    expect(processed).toBe(2);
    expect(world.now).toEqual(january(3));
    expect(world.log.map(({ name }) => name)).toEqual(['2', '3']);
    expect(world.isEmpty).toBe(true);
  });

  test('includes its target and not the instant after it', async () => {
    const world = aWorld([
      renewal('at', january(5)),
      renewal('after', new Date(january(5).getTime() + 1)),
    ]);
    await advance(world, january(5));
    expect(world.log.map(({ name }) => name)).toEqual(['at']);
  });

  test('finishes earlier work at its own time', async () => {
    const world = aWorld([]);
    world.begin(renewal('begun', january(1), { route: [0, 1, 0, 1] }));
    await advance(world, january(9));
    expect(world.log).toMatchObject([{ name: 'begun', now: january(1) }]);
  });

  test('runs collections, then ends, then renewals of one instant, each to its last consequence', async () => {
    const at = january(3);
    const route = [0, 1, 0, 1, 0];
    const world = aWorld([
      { name: 'renewal', at, workClass: 'RENEWAL', route: [0] },
      { name: 'end', at, workClass: 'END', route },
      { name: 'collection', at, workClass: 'COLLECTION', route },
    ]);
    expect(await advance(world, january(9))).toBe(3);
    expect(world.log.map(({ name }) => name)).toEqual(['collection', 'end', 'renewal']);
  });

  test('runs consequences due at the same instant, including those of an earlier class', async () => {
    const at = january(3);
    const last = renewal('last', at);
    const collection: Work = { name: 'retry', at, workClass: 'COLLECTION', route: [1], next: last };
    const world = aWorld([renewal('first', at, { next: collection })]);
    expect(await advance(world, january(9))).toBe(3);
    expect(world.log.map(({ name, now }) => [name, now])).toEqual([
      ['first', at],
      ['retry', at],
      ['last', at],
    ]);
  });

  test('continues the count of the worker before it', async () => {
    const world = aWorld([renewal('one', january(3))]);
    expect(await advance(world, january(9), 41)).toBe(42);
  });
});

describe('quiet', () => {
  test('is not reported while work moves from a service that is checked later to one that was just checked', async () => {
    // Every check finds both services idle: the work is always in the service that is not being
    // checked. Only the counts of writes show it.
    let looks = 0;
    const hopsMax = 9;
    const world = aWorld([]);
    let hops = 0;
    const ports: ClockAdvancePorts = {
      ...world.ports,
      activities: async () => {
        looks += 1;
        const writes = BigInt(hops);
        if (hops < hopsMax) hops += 1;
        return [
          { pending: 0, due: 0, writes },
          { pending: 0, due: 0, writes },
        ];
      },
    };
    await runAdvance({ from: january(1), to: january(1), processed: 0 }, ports);
    expect(hops).toBe(hopsMax);
    expect(looks).toBeGreaterThan(hopsMax);
  });

  test('backs off from 10 ms to at most 200 ms while there is work', async () => {
    const pauses: number[] = [];
    let looks = 0;
    const ports: ClockAdvancePorts = {
      betweenInstants: async () => undefined,
      nextDue: async () => [undefined],
      runDue: async () => ({ processed: 0, isRepeated: false }),
      activities: async () => {
        looks += 1;
        return [{ pending: looks < 9 ? 1 : 0, due: 0, writes: 0n }];
      },
      moveTo: async () => true,
      pause: async (ms) => {
        pauses.push(ms);
      },
    };
    await runAdvance({ from: january(1), to: january(1), processed: 0 }, ports);
    expect(pauses.slice(0, 7)).toEqual([10, 20, 40, 80, 160, 200, 200]);
  });

  test('is awaited by asking the busy service alone, and all services from time to time', async () => {
    const asked: string[] = [];
    const ports: ClockAdvancePorts = {
      betweenInstants: async () => undefined,
      nextDue: async () => [undefined, undefined],
      runDue: async () => ({ processed: 0, isRepeated: false }),
      activities: async (_until, _workClass, { services = [0, 1] } = {}) => {
        asked.push(services.join());
        const pending = asked.length < 24 ? 1 : 0;
        const reports = [
          { pending: 0, due: 0, writes: 0n },
          { pending, due: 0, writes: 0n },
        ];
        return reports.filter((_report, index) => services.includes(index));
      },
      moveTo: async () => true,
      pause: async () => undefined,
    };
    await runAdvance({ from: january(1), to: january(1), processed: 0 }, ports);
    const alone = Array.from({ length: 20 }, () => '1');
    expect(asked.slice(0, 24)).toEqual(['0,1', '0,1', ...alone, '0,1', '1']);
    expect(asked.slice(24)).toEqual(expect.arrayContaining(['0,1', '0,1']));
  });

  test('needs three checks and no pause when nothing happens', async () => {
    let looks = 0;
    let pauses = 0;
    const world = aWorld([]);
    const ports: ClockAdvancePorts = {
      ...world.ports,
      activities: async (until, workClass, asked) => {
        looks += 1;
        return world.ports.activities(until, workClass, asked);
      },
      pause: async () => {
        pauses += 1;
      },
    };
    await runAdvance({ from: january(1), to: january(1), processed: 0 }, ports);
    expect({ looks, pauses }).toEqual({ looks: 3, pauses: 0 });
  });

  test.each(classOrder)(
    'is checked once at an instant with work of one class (%s)',
    async (workClass) => {
      const at = january(3);
      const work: Work = { name: 'only', at, workClass, route: [0] };
      const world = aWorld([work]);
      const looksAt: Date[] = [];
      const ports: ClockAdvancePorts = {
        ...world.ports,
        // The work ends before the check.
        runDue: async (until, dueClass, asked) => {
          const ran = await world.ports.runDue(until, dueClass, asked);
          while (!world.isEmpty) await world.ports.pause(0);
          return ran;
        },
        activities: async (until, dueClass, asked) => {
          looksAt.push(until);
          return world.ports.activities(until, dueClass, asked);
        },
      };
      expect(await runAdvance({ from: january(1), to: january(9), processed: 0 }, ports)).toBe(1);
      expect(looksAt).toEqual([january(1), at, january(9)].flatMap((one) => [one, one, one]));
    },
  );
});

describe('for any due work, any route and any timing of the checks', () => {
  const services = 3;
  const workWithout = (next: fc.Arbitrary<Work | undefined>) =>
    fc.record({
      day: fc.integer({ min: 1, max: 6 }),
      workClass: fc.constantFrom(...classOrder),
      route: fc.array(fc.integer({ min: 0, max: services - 1 }), { minLength: 1, maxLength: 6 }),
      next,
    });
  const toWork = ({ day, next, ...rest }: { day: number } & Omit<Work, 'name' | 'at'>): Work => {
    const at = january(day);
    // A consequence cannot be due before its cause.
    const later = next === undefined || next.at >= at ? next : { ...next, at };
    return { ...rest, name: 'work', at, ...(later === undefined ? {} : { next: later }) };
  };
  const leaf = workWithout(fc.constant(undefined)).map(toWork);
  const work = workWithout(fc.option(leaf, { nil: undefined })).map(toWork);

  test('all work ends at its own instant, in the order of classes, and none is left', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(work, { maxLength: 8 }),
        fc.infiniteStream(fc.boolean()),
        async (works, coin) => {
          const isMoving = () => coin.next().value;
          const world = aWorld(works, { services, isMoving });
          const all = works.reduce((sum, { next }) => sum + (next === undefined ? 1 : 2), 0);

          const processed = await advance(world, january(9));

          expect(processed).toBe(all);
          expect(world.log).toHaveLength(all);
          expect(world.isEmpty).toBe(true);
          expect(world.now).toEqual(january(9));
          for (const { at, now } of world.log) expect(now).toEqual(at);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('no work of a class begins before the last consequence of the classes before it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(leaf, { maxLength: 8 }),
        fc.infiniteStream(fc.boolean()),
        async (works, coin) => {
          const world = aWorld(works, { services, isMoving: () => coin.next().value });
          await advance(world, january(9));
          const order = world.log.map(
            ({ at, workClass }) => at.getTime() * 10 + classOrder.indexOf(workClass),
          );
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
