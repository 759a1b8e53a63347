import { unchanged } from '@billing/kernel/transition';
import { type Environment, type Lease, openLive, openSandbox } from './environment';
import {
  isHeldBy,
  findAdvance,
  finishAdvance,
  advanceResultOf,
  LeaseLost,
  manualClockOf,
  moveTo,
  releaseLease,
  renewLease,
  isStopping,
  requestAdvance,
  stopAdvances,
  stopWaiting,
  takeOver,
  waitingCallsMax,
} from './sandbox-clock';

// Real time; the sandbox's own days are those of January.
const real = (second: number) => new Date(Date.UTC(2026, 5, 1, 0, 0, second));
const january = (day: number) => new Date(Date.UTC(2026, 0, day));
const leaseOf = (owner: string, untilSecond: number): Lease => ({
  owner,
  until: real(untilSecond),
});

function aSandbox(): Environment {
  const input = { name: '', clock: 'MANUAL', startsAt: january(1) } as const;
  return openSandbox('sandbox', input, real(0)).state;
}

function request(
  environment: Environment,
  day: number,
  { id = 'a', owner = 'worker', at = 0, callId = 'call', replica = 'here', gone = '' } = {},
) {
  const claim = leaseOf(owner, at + 5);
  const call = { id: callId, until: real(at + 60), replica, since: real(at) };
  const isGone = (other: string) => other === gone;
  const asked = { to: january(day), id, claim, now: real(at), call, isGone };
  return requestAdvance(environment, asked).state;
}

const call = { id: 'call', until: real(60) };
const aRequest = {
  ...{ id: 'a', claim: leaseOf('worker', 5), now: real(0), call },
  isGone: () => false,
};

/** Returns the violations of a refusal; undefined when nothing is refused. */
function problemsOf(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as { fields: unknown }).fields;
  }
}

describe('the calls that wait for a clock', () => {
  const tooMany = expect.objectContaining({
    kind: 'resource_exhausted',
    reason: 'TOO_MANY_WAITING',
  }) as Error;

  /** A clock for whose advance as many calls wait as may. */
  function crowded(): Environment {
    let environment = aSandbox();
    for (let call = 1; call <= waitingCallsMax; call += 1)
      environment = request(environment, 5, { callId: String(call), at: call });
    return environment;
  }

  test('are limited over all of its advances, and a refused one changes nothing', () => {
    const environment = crowded();
    for (const day of [5, 9]) {
      expect(() => request(environment, day, { id: 'b', callId: 'next', at: 6 })).toThrow(tooMany);
    }
    expect(manualClockOf(environment).waiting.map(({ id }) => id)).toEqual([
      ...['1', '2', '3', '4', '5'],
    ]);
  });

  test('count once if their write is repeated', () => {
    const environment = request(crowded(), 5, { callId: '3', at: 6 });
    expect(manualClockOf(environment).waiting).toHaveLength(waitingCallsMax);
  });

  test('make room when they end, at their deadline, and at the end of their advance', () => {
    const environment = crowded();
    const left = stopWaiting(environment, '3').state;
    expect(stopWaiting(left, '3').state).toBe(left);
    expect(manualClockOf(request(left, 5, { callId: 'next', at: 6 })).waiting).toHaveLength(5);

    expect(() => request(environment, 5, { callId: 'next', at: 60 })).toThrow(tooMany);
    const expired = request(environment, 5, { callId: 'next', at: 61 });
    expect(manualClockOf(expired).waiting.map(({ id }) => id)).toEqual([
      '2',
      '3',
      '4',
      '5',
      'next',
    ]);

    const lease = leaseOf('worker', 20);
    const done = finishAdvance(environment, { advanceId: 'a', processed: 1, lease }).state;
    const after = request(done, 9, { id: 'b', callId: 'next', at: 6 });
    expect(manualClockOf(after).waiting).toMatchObject([{ id: 'next', advanceId: 'b' }]);
  });

  test('make room when their replica is gone, and began to wait ten seconds before', () => {
    let environment = aSandbox();
    for (const [at, replica] of ['here', 'gone', 'gone', 'here', 'gone'].entries())
      environment = request(environment, 5, { callId: String(at), at, replica });
    const early = { callId: 'next', at: 10, gone: 'gone' };
    expect(() => request(environment, 5, { ...early, gone: 'other' })).toThrow(tooMany);
    expect(() => request(environment, 5, early)).toThrow(tooMany);
    const next = request(environment, 5, { ...early, at: 12 });
    expect(manualClockOf(next).waiting.map(({ id }) => id)).toEqual(['0', '3', '4', 'next']);
  });

  test('still count when another worker claims the advances, until their deadlines', () => {
    const claimed = takeOver(crowded(), { claim: leaseOf('other', 100), now: real(30) }).state;
    expect(isHeldBy(claimed, 'other')).toBe(true);
    expect(() => request(claimed, 5, { callId: 'next', at: 31 })).toThrow(tooMany);
    const next = request(claimed, 5, { callId: 'next', at: 65 });
    expect(manualClockOf(next).waiting.map(({ id }) => id)).toEqual(['next']);
  });
});

describe('requesting an advance', () => {
  test('stores the target and grants the lease to the caller when it is free', () => {
    const environment = request(aSandbox(), 5);

    expect(manualClockOf(environment)).toMatchObject({
      now: january(1),
      advances: [{ id: 'a', to: january(5), processed: 0 }],
      lease: leaseOf('worker', 5),
    });
    expect(isHeldBy(environment, 'worker')).toBe(true);
  });

  test('to the present time is allowed: it waits for quiet', () => {
    expect(findAdvance(request(aSandbox(), 1), january(1)).id).toBe('a');
  });

  test('back in time is refused under `to`', () => {
    const to = new Date(january(1).getTime() - 1);
    expect(() => requestAdvance(aSandbox(), { to, ...aRequest })).toThrow(
      expect.objectContaining({ kind: 'invalid_input', fields: { to: expect.anything() } }),
    );
  });

  test.each([
    ['five years ahead is allowed', '2031-01-01T00:00:00.000Z', undefined],
    [
      'a millisecond later is refused under `to`',
      '2031-01-01T00:00:00.001Z',
      ['Must be at most 5 years ahead'],
    ],
  ])('to %s', (_case, to, problems) => {
    const input = { to: new Date(to), ...aRequest };
    const refusal = problemsOf(() => requestAdvance(aSandbox(), input));
    expect(refusal).toEqual(problems === undefined ? undefined : { to: problems });
  });

  test('to an invalid instant is refused under `to`', () => {
    const to = new Date(Number.NaN);
    expect(() => requestAdvance(aSandbox(), { to, ...aRequest })).toThrow(
      expect.objectContaining({ fields: { to: ['Invalid datetime'] } }),
    );
  });

  test.each([
    ['a live environment', openLive('live').state],
    [
      'a sandbox on real time',
      openSandbox('real', { name: '', clock: 'REAL', startsAt: undefined }, real(0)).state,
    ],
  ])('of %s is refused', (_case, environment) => {
    expect(() => request(environment, 5)).toThrow(
      expect.objectContaining({ kind: 'failed_precondition', reason: 'CLOCK_NOT_MANUAL' }),
    );
  });

  test('joins an advance to the same instant that has not arrived', () => {
    const first = request(aSandbox(), 5, { id: 'a' });
    const second = request(first, 5, { id: 'b', owner: 'other' });

    expect(manualClockOf(second)).toEqual(manualClockOf(first));
    expect(findAdvance(second, january(5)).id).toBe('a');
    expect(isHeldBy(second, 'other')).toBe(false);
  });

  test('waits for a check of its own when the running advance has arrived and may have checked before', () => {
    const first = request(aSandbox(), 1, { id: 'a' });
    const second = request(first, 1, { id: 'b' });
    const third = request(second, 1, { id: 'c' });

    expect(findAdvance(second, january(1)).id).toBe('b');
    expect(findAdvance(third, january(1)).id).toBe('b');
    expect(manualClockOf(third).advances).toHaveLength(2);
  });

  test('to another instant waits for earlier advances, even when its instant is earlier', () => {
    const environment = request(request(aSandbox(), 9, { id: 'a' }), 5, { id: 'b' });
    expect(manualClockOf(environment).advances.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test('joins a waiting advance even when the clock has passed its target', () => {
    const both = request(request(aSandbox(), 9, { id: 'a' }), 5, { id: 'b' });
    const moved = moveTo(both, { at: january(7), processed: 1, lease: leaseOf('worker', 6) }).state;
    expect(findAdvance(request(moved, 5, { id: 'c' }), january(5)).id).toBe('b');
  });

  test('is refused when too many wait', () => {
    let environment = aSandbox();
    for (let day = 2; day < 22; day += 1)
      environment = request(environment, day, { id: String(day) });
    expect(() => request(environment, 30)).toThrow(
      expect.objectContaining({ kind: 'resource_exhausted' }),
    );
  });

  test('takes over an expired lease, in the same write', () => {
    const abandoned = request(aSandbox(), 5, { owner: 'dead' });
    expect(isHeldBy(request(abandoned, 5, { owner: 'heir', at: 4 }), 'heir')).toBe(false);
    expect(isHeldBy(request(abandoned, 5, { owner: 'heir', at: 5 }), 'heir')).toBe(true);
  });
});

describe('the lease', () => {
  const running = request(aSandbox(), 5, { owner: 'dead' });

  test('is taken over after it has expired, and not before', () => {
    const claim = leaseOf('heir', 10);
    expect(takeOver(running, { claim, now: real(4) })).toEqual(unchanged(running));
    expect(isHeldBy(takeOver(running, { claim, now: real(5) }).state, 'heir')).toBe(true);
  });

  test('is not taken without a stored advance', () => {
    const environment = aSandbox();
    const claim = leaseOf('heir', 10);
    expect(takeOver(environment, { claim, now: real(9) })).toEqual(unchanged(environment));
  });

  test('is free immediately when its owner stops', () => {
    const released = releaseLease(running, { owner: 'dead', now: real(2) }).state;
    const claim = leaseOf('heir', 10);
    expect(isHeldBy(takeOver(released, { claim, now: real(2) }).state, 'heir')).toBe(true);
  });

  test('is needed for every move: a worker that lost it can change nothing', () => {
    const taken = takeOver(running, { claim: leaseOf('heir', 10), now: real(6) }).state;
    const lease = leaseOf('dead', 20);

    expect(() => renewLease(taken, lease)).toThrow(LeaseLost);
    expect(() => moveTo(taken, { at: january(2), processed: 0, lease })).toThrow(LeaseLost);
    expect(() => finishAdvance(taken, { advanceId: 'a', processed: 0, lease })).toThrow(LeaseLost);
    expect(() => releaseLease(taken, { owner: 'dead', now: real(6) })).toThrow(LeaseLost);
  });
});

describe('a clock advance', () => {
  const lease = leaseOf('worker', 9);

  test('moves the clock, records its progress and renews the lease', () => {
    const moved = moveTo(request(aSandbox(), 5), { at: january(3), processed: 7, lease }).state;
    expect(manualClockOf(moved)).toMatchObject({
      now: january(3),
      advances: [{ processed: 7 }],
      lease,
    });
  });

  test('never moves the clock back', () => {
    const moved = moveTo(request(aSandbox(), 5), { at: january(3), processed: 7, lease }).state;
    expect(() => moveTo(moved, { at: january(2), processed: 7, lease })).toThrow('never goes back');
  });

  test('reports its result to waiting callers at its end, and releases the lease', () => {
    const running = request(aSandbox(), 5);
    expect(advanceResultOf(running, 'a')).toBeUndefined();

    const moved = moveTo(running, { at: january(5), processed: 7, lease }).state;
    const finished = finishAdvance(moved, { advanceId: 'a', processed: 8, lease }).state;

    expect(advanceResultOf(finished, 'a')).toEqual({ id: 'a', now: january(5), processed: 8 });
    expect(manualClockOf(finished)).toMatchObject({ advances: [], lease: undefined });
  });

  test('leaves the lease to the advances behind it', () => {
    const both = request(request(aSandbox(), 5, { id: 'a' }), 9, { id: 'b' });
    const finished = finishAdvance(both, { advanceId: 'a', processed: 0, lease }).state;

    expect(manualClockOf(finished)).toMatchObject({ advances: [{ id: 'b' }], lease });
    expect(advanceResultOf(finished, 'b')).toBeUndefined();
  });

  test('ended by a write whose answer was lost does not end the next one', () => {
    const both = request(request(aSandbox(), 5, { id: 'a' }), 9, { id: 'b' });
    const finished = finishAdvance(both, { advanceId: 'a', processed: 0, lease }).state;
    expect(finishAdvance(finished, { advanceId: 'a', processed: 0, lease }).state).toBe(finished);
  });

  test('ended long ago is still reported as done, without its count', () => {
    let environment = aSandbox();
    for (let round = 0; round <= 50; round += 1) {
      environment = request(environment, 1, { id: String(round) });
      environment = finishAdvance(environment, {
        advanceId: String(round),
        processed: 1,
        lease,
      }).state;
    }
    expect(advanceResultOf(environment, '0')).toEqual({ id: '0', now: january(1), processed: 0 });
    expect(advanceResultOf(environment, '1')).toMatchObject({ processed: 1 });
  });
});

describe('stopping an advance', () => {
  const lease = leaseOf('worker', 6);

  test('keeps the clock at its present time, and the result reports the stop', () => {
    const moved = moveTo(request(aSandbox(), 9), { at: january(3), processed: 2, lease }).state;
    const stopping = stopAdvances(moved).state;
    expect(isStopping(stopping)).toBe(true);
    const refused = moveTo(stopping, { at: january(4), processed: 5, lease }).state;
    expect(manualClockOf(refused).now).toEqual(january(3));
    const finished = finishAdvance(refused, { advanceId: 'a', processed: 5, lease }).state;
    expect(advanceResultOf(finished, 'a')).toEqual({
      id: 'a',
      now: january(3),
      processed: 5,
      stopped: true,
    });
    expect(isStopping(finished)).toBe(false);
  });

  test('drops the advances behind it', () => {
    const both = request(request(aSandbox(), 9, { id: 'a' }), 5, { id: 'b' });
    const stopping = stopAdvances(both).state;
    expect(manualClockOf(stopping).advances.map(({ id }) => id)).toEqual(['a']);
    expect(advanceResultOf(stopping, 'b')).toEqual({
      id: 'b',
      now: january(1),
      processed: 0,
      stopped: true,
    });
    expect(advanceResultOf(stopping, 'a')).toBeUndefined();
  });

  test('is not undone by a later request for the same instant', () => {
    const stopping = stopAdvances(request(aSandbox(), 9, { id: 'a' })).state;
    expect(findAdvance(request(stopping, 9, { id: 'b' }), january(9)).id).toBe('b');
  });

  test.each([
    ['a sandbox without an advance', aSandbox()],
    ['a live environment', openLive('live').state],
    ['a stopped advance', stopAdvances(request(aSandbox(), 9)).state],
  ])('changes nothing in %s', (_case, environment) => {
    expect(stopAdvances(environment)).toEqual(unchanged(environment));
  });
});
