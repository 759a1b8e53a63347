import {
  type Environment,
  openLive,
  openSandbox,
  withdrawNotice,
} from '../environment/environment';
import { requestAdvance } from '../environment/sandbox-clock';
import { retire } from './unused-sandbox';

const dayMs = 24 * 60 * 60_000;
const createdAt = new Date('2026-01-01T00:00:00.000Z');
const after = (days: number, ms = 0) => new Date(createdAt.getTime() + days * dayMs + ms);
const unused = { createdAt, keyUsedAt: undefined };

const aSandbox = (): Environment =>
  openSandbox('id', { name: '', clock: 'MANUAL', startsAt: undefined }, createdAt).state;
const announced = (): Environment => retire(aSandbox(), unused, after(90)).state;

describe('a sandbox without a request with its keys', () => {
  test('stays as it is for 90 days', () => {
    const sandbox = aSandbox();
    expect(retire(sandbox, unused, after(90, -1)).state).toBe(sandbox);
  });

  test('gets a notice of 14 days after 90 days', () => {
    expect(announced()).toEqual({ ...aSandbox(), deletesAt: after(104) });
  });

  test('counts its 90 days from the last use of a key', () => {
    const used = { createdAt, keyUsedAt: after(10) };
    const sandbox = aSandbox();
    expect(retire(sandbox, used, after(100, -1)).state).toBe(sandbox);
    expect(retire(sandbox, used, after(100)).state.deletesAt).toEqual(after(114));
  });

  test('keeps its notice until the end, then is deleted in all services', () => {
    const sandbox = announced();
    expect(retire(sandbox, unused, after(104, -1)).state).toBe(sandbox);
    expect(retire(sandbox, unused, after(104))).toMatchObject({
      state: { deletedAt: after(104) },
      commands: [{ type: 'deleteEnvironment' }],
    });
  });

  test('is deleted once', () => {
    const { state } = retire(announced(), unused, after(104));
    expect(retire(state, unused, after(105))).toEqual({ state, events: [], commands: [] });
  });
});

describe('the notice of a deletion', () => {
  test("is withdrawn by a key's use after all", () => {
    const used = { createdAt, keyUsedAt: after(104, -1) };
    expect(retire(announced(), used, after(104))).toEqual({
      state: aSandbox(),
      events: [],
      commands: [],
    });
  });

  test('is withdrawn by an advance, which counts as a use', () => {
    const now = after(95);
    const claim = { owner: 'worker', until: after(96) };
    const call = { id: 'call', until: after(96) };
    const isGone = () => false;
    const wanted = { to: after(1), id: 'advance', claim, now, call, isGone };
    const { state } = requestAdvance(announced(), wanted);
    expect(state.deletesAt).toBeUndefined();
    expect(retire(state, unused, after(185, -1)).state).toBe(state);
    expect(retire(state, unused, after(185)).state.deletesAt).toEqual(after(199));
  });

  test('is withdrawn once, and never from a deleted sandbox', () => {
    const { state } = withdrawNotice(announced());
    expect(state.deletesAt).toBeUndefined();
    expect(withdrawNotice(state).state).toBe(state);
    const deleted = retire(announced(), unused, after(104)).state;
    expect(withdrawNotice(deleted).state).toBe(deleted);
  });
});

test('the live environment never gets a notice', () => {
  const live = openLive('live').state;
  expect(retire(live, unused, after(1_000)).state).toBe(live);
});
