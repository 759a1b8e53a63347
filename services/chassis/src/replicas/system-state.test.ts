import {
  type CallKind,
  exchangesMessages,
  pauseLeaseMs,
  refusalOf,
  seen,
  stateOf,
  type SystemDocument,
} from './system-state';

const at = new Date('2026-11-28T12:00:00Z');
const pausedBy = (id: string, beat = 0): SystemDocument => ({
  _id: 'system',
  state: 'PAUSED',
  pause: { id, beat, at },
});
const of = (state: string): SystemDocument => ({ _id: 'system', state, instant: at });
const after = (ms: number) => ({ nowMs: ms, now: new Date(at.getTime() + ms) });

describe('the state of a system', () => {
  test.each([
    ['without a document, as 0.1.0 leaves it', undefined, 'OPEN'],
    ['that is open', of('OPEN'), 'OPEN'],
    ['that a later release describes', of('SEALED'), 'OPEN'],
    ['paused without a lease', of('PAUSED'), 'OPEN'],
    ['paused', pausedBy('a'), 'PAUSED'],
    ['that was moved', of('MOVED'), 'MOVED'],
    ['that is recovering', of('RECOVERING'), 'RECOVERING'],
  ])('%s', (_name, document, expected) => {
    expect(stateOf(seen(undefined, document, 0), after(0))).toBe(expected);
  });

  test.each([
    ['MOVED', of('MOVED')],
    ['RECOVERING', of('RECOVERING')],
  ])('stays %s however much time passes', (state, document) => {
    expect(stateOf(seen(undefined, document, 0), after(1e12))).toBe(state);
  });
});

describe('a pause', () => {
  test('ends when its beat has stood still for the lease', () => {
    const first = seen(undefined, pausedBy('a'), 0);
    const last = seen(first, pausedBy('a'), pauseLeaseMs - 1);
    expect(stateOf(last, { nowMs: pauseLeaseMs - 1, now: at })).toBe('PAUSED');
    expect(stateOf(last, { nowMs: pauseLeaseMs, now: at })).toBe('OPEN');
  });

  test.each([
    ['beat', pausedBy('a', 1)],
    ['command', pausedBy('b')],
  ])('lasts on with another %s', (_name, next) => {
    const last = seen(seen(undefined, pausedBy('a'), 0), next, 20_000);
    expect(stateOf(last, { nowMs: 40_000, now: at })).toBe('PAUSED');
  });

  test('of a command that has died is ignored by a reader that starts later', () => {
    const first = seen(undefined, pausedBy('a'), 0);
    expect(stateOf(first, after(pauseLeaseMs))).toBe('OPEN');
  });

  test('is obeyed by a reader whose clock is behind', () => {
    const first = seen(undefined, pausedBy('a'), 0);
    expect(stateOf(first, { nowMs: 0, now: new Date(at.getTime() - 60_000) })).toBe('PAUSED');
  });
});

describe('a call', () => {
  const read: CallKind = { writes: false, whileRecovering: false, fromService: false };
  const write: CallKind = { ...read, writes: true };
  const signIn: CallKind = { ...write, whileRecovering: true };
  const ofService: CallKind = { ...write, fromService: true };

  test.each([
    ['OPEN', read, undefined],
    ['OPEN', write, undefined],
    ['PAUSED', read, undefined],
    ['PAUSED', write, 'WRITES_PAUSED'],
    ['PAUSED', signIn, 'WRITES_PAUSED'],
    ['MOVED', read, undefined],
    ['MOVED', write, 'WRITES_PAUSED'],
    ['RECOVERING', read, 'RECOVERING'],
    ['RECOVERING', write, 'RECOVERING'],
    ['RECOVERING', signIn, undefined],
    ['RECOVERING', ofService, undefined],
    ['PAUSED', ofService, 'WRITES_PAUSED'],
  ] as const)('while the system is %s: %j is answered %s', (state, kind, reason) => {
    expect(refusalOf(state, kind)?.reason).toBe(reason);
    if (reason !== undefined) expect(refusalOf(state, kind)?.kind).toBe('unavailable');
  });
});

describe('messages between services that recover', () => {
  const restore = { id: 'r', code: 'WH5C2', at, instant: at };

  test.each([
    ['before the restore is complete', {}, false],
    ['before reconcile runs', { restore }, false],
    ['while the services agree on the restore', { restore, step: 'fence' }, false],
    ['from the first step on', { restore, step: 'reassert' }, true],
    ['during the check', { restore, step: 'check' }, true],
  ])('%s', (_name, fields, expected) => {
    expect(exchangesMessages({ _id: 'system', state: 'RECOVERING', ...fields })).toBe(expected);
  });
});
