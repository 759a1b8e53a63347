import type { Stored } from '@billing/chassis/aggregate';
import { systemClock } from '@billing/chassis/clock';
import { testTenant } from '@billing/chassis/testing';
import type { Environment } from '../environment/environment';
import type { WorkClass } from './clock-advance';
import type { DueWorkPeer } from './clock-advance-worker';
import { catchUpClock } from './clock-catch-up-worker';

const january = (day: number) => new Date(Date.UTC(2026, 0, day));

const environment = {
  state: { id: 'e1', clock: { kind: 'MANUAL', now: january(31), advances: [] } },
  tenant: testTenant({ manualClock: true }),
} as unknown as Stored<Environment>;

interface Due {
  readonly at: Date;
  readonly workClass: WorkClass;
}

/** A service whose due work ends when it is handled, unless it `keeps` it. */
function peerWith(due: Due[], { keeps = false } = {}) {
  const handled: string[] = [];
  const isDue = (until: Date) => due.filter(({ at }) => at <= until);
  const peer: DueWorkPeer = {
    nextDue: (until) =>
      Promise.resolve(
        isDue(until)
          .map(({ at }) => at)
          .toSorted((a, b) => a.getTime() - b.getTime())
          .at(0),
      ),
    runDue: (until, workClass) => {
      const found = isDue(until).filter((one) => one.workClass === workClass);
      for (const one of found) {
        handled.push(`${workClass} ${one.at.toISOString().slice(0, 10)}`);
        if (!keeps) due.splice(due.indexOf(one), 1);
      }
      return Promise.resolve(found.length);
    },
    activity: () => Promise.resolve({ due: keeps ? 1 : 0, pending: 0, writes: 0n }),
    settle: () => Promise.resolve(0),
  };
  return { peer, handled };
}

test('due work is done from instant to instant, at one instant in the order of its classes', async () => {
  const renewing = peerWith([
    { at: january(20), workClass: 'RENEWAL' },
    { at: january(10), workClass: 'RENEWAL' },
    { at: january(40), workClass: 'RENEWAL' },
  ]);
  const ending = peerWith([{ at: january(20), workClass: 'END' }]);
  const peers = [renewing.peer, ending.peer];
  expect(await catchUpClock(environment, { peers, clock: systemClock })).toEqual({
    clocks: 1,
    clockDue: 3,
  });
  expect(renewing.handled).toEqual(['RENEWAL 2026-01-10', 'RENEWAL 2026-01-20']);
  expect(ending.handled).toEqual(['END 2026-01-20']);
});

test('work that stays due after it was handled is left in the end', async () => {
  const { peer } = peerWith([{ at: january(10), workClass: 'RENEWAL' }], { keeps: true });
  expect(await catchUpClock(environment, { peers: [peer], clock: systemClock })).toMatchObject({
    clocksLeft: 1,
  });
});
