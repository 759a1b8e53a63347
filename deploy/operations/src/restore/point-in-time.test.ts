import { readPointInTime } from './point-in-time';

const usage = 'Usage: …';

test('reads an archive and an instant', () => {
  expect(readPointInTime({}, usage)).toBeUndefined();
  expect(readPointInTime({ archive: '/archive', at: '2026-11-22T16:30:00+01:00' }, usage)).toEqual({
    archiveDir: '/archive',
    at: new Date('2026-11-22T15:30:00Z'),
  });
});

test.each([{ archive: '/archive' }, { at: '2026-11-22T15:30:00Z' }])(
  'refuses %j alone',
  (flags) => {
    const message = `--archive and --at belong together\n${usage}\n--help explains the flags`;
    const refusal = expect.objectContaining({ exitStatus: 2, message });
    expect(() => readPointInTime(flags, usage)).toThrow(refusal);
  },
);

test.each(['yesterday', '2026-11-22', '2026-11-22T15:30:00', '2026-13-22T15:30:00Z'])(
  'refuses %s, which is no instant',
  (at) => {
    const message = `--at must be an instant, for example 2026-11-22T15:30:00Z\n${usage}\n--help explains the flags`;
    const refusal = expect.objectContaining({ exitStatus: 2, message });
    expect(() => readPointInTime({ archive: '/archive', at }, usage)).toThrow(refusal);
  },
);
