import { type ClockKind, openLive, openSandbox, timeOf } from './environment';

const now = new Date('2026-03-01T12:00:00.000Z');
const startsAt = new Date('2026-01-17T00:00:00.000Z');
const input = { name: '', clock: 'REAL', startsAt: undefined } as const;

describe('an environment', () => {
  test('of kind live has the time of the wall clock', () => {
    const { state } = openLive('id');
    expect(state).toMatchObject({ kind: 'LIVE', clock: { kind: 'REAL' } });
    expect(timeOf(state, now)).toBe(now);
  });

  test.each<[string, Parameters<typeof openSandbox>[1], ClockKind, Date]>([
    ['a real clock', input, 'REAL', now],
    ['a manual clock', { ...input, clock: 'MANUAL' }, 'MANUAL', now],
    ['a manual clock with a start', { ...input, clock: 'MANUAL', startsAt }, 'MANUAL', startsAt],
  ])('of kind sandbox with %s', (_case, sandbox, kind, time) => {
    const { state } = openSandbox('id', sandbox, now);
    expect(state).toMatchObject({ kind: 'SANDBOX', clock: { kind } });
    expect(timeOf(state, now)).toEqual(time);
  });

  test('with a manual clock keeps its time', () => {
    const { state } = openSandbox('id', { ...input, clock: 'MANUAL', startsAt }, now);
    expect(timeOf(state, new Date('2030-01-01T00:00:00.000Z'))).toEqual(startsAt);
  });

  test.each([
    '-000001-12-31T10:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '9000-01-01T00:00:00.000Z',
  ])('is refused with a start at %s, which lets later times exceed four-digit years', (time) => {
    const startingAtTime = { ...input, clock: 'MANUAL', startsAt: new Date(time) } as const;
    expect(() => openSandbox('id', startingAtTime, now)).toThrow(
      expect.objectContaining({ fields: { startsAt: ['Must be in the years 1970 to 8999'] } }),
    );
  });

  test.each([
    ['a start of a real clock', { ...input, startsAt }, { startsAt: ['Requires a manual clock'] }],
    [
      'a start that is no instant',
      { ...input, clock: 'MANUAL', startsAt: new Date(Number.NaN) } as const,
      { startsAt: ['Invalid datetime'] },
    ],
    ['too long a name', { ...input, name: 'x'.repeat(201) }, { name: [expect.any(String)] }],
  ])('is refused with %s', (_case, refused, fields) => {
    expect(() => openSandbox('id', refused, now)).toThrow(
      expect.objectContaining({ kind: 'invalid_input', fields }),
    );
  });
});
