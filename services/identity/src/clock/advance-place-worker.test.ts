import { Semaphore } from '@billing/chassis/semaphore';
import { AdvancePlace, turnMs } from './advance-place-worker';

const never = new AbortController().signal;

/** Lets everything run that can run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function twoPlaces() {
  let nowMs = 0;
  const running = new Semaphore(2);
  return {
    running,
    aPlace: () => new AdvancePlace(running, () => nowMs),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('a turn is over once it has lasted its time and another advance waits', async () => {
  const { aPlace, pass } = twoPlaces();
  const [first, second, third] = [aPlace(), aPlace(), aPlace()];
  await first.take(never);
  await second.take(never);
  pass(turnMs);
  expect(first.isTurnOver).toBe(false);
  const waiting = third.take(never);
  expect([first.isTurnOver, second.isTurnOver]).toEqual([true, true]);
  const again = first.giveWay(never);
  await waiting;
  expect(third.isTurnOver).toBe(false);
  pass(turnMs - 1);
  expect(third.isTurnOver).toBe(false);
  pass(1);
  expect(third.isTurnOver).toBe(true);
  second.end();
  await again;
  expect([first.isTurnOver, third.isTurnOver]).toEqual([false, false]);
});

test('an advance that gives way waits behind all that have waited before', async () => {
  const { running, aPlace } = twoPlaces();
  const places = Array.from({ length: 5 }, aPlace);
  const order: number[] = [];
  const wait = async (index: number, entered: Promise<void>) => {
    await entered;
    order.push(index);
  };
  const entered = places.map((place, index) => wait(index, place.take(never)));
  await settle();
  expect(order).toEqual([0, 1]);
  entered.push(wait(0, places[0]!.giveWay(never)));
  await settle();
  expect(order).toEqual([0, 1, 2]);
  for (const index of [1, 2, 3]) {
    places[index]!.end();
    await settle();
  }
  expect(order).toEqual([0, 1, 2, 3, 4, 0]);
  expect(running.inUse).toBe(2);
});

test('an advance that is stopped while it waits for its next turn has no place', async () => {
  const { running, aPlace } = twoPlaces();
  const [first, second, third] = [aPlace(), aPlace(), aPlace()];
  await first.take(never);
  await second.take(never);
  const waiting = third.take(never);
  const stop = new AbortController();
  const again = first.giveWay(stop.signal);
  await waiting;
  stop.abort(new Error('Stopped'));
  await expect(again).rejects.toThrow('Stopped');
  first.end();
  await settle();
  expect([running.inUse, running.queued]).toEqual([2, 0]);
  second.end();
  third.end();
  await settle();
  expect(running.inUse).toBe(0);
});
