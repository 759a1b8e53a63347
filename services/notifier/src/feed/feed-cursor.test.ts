import { DomainError, type FieldErrors } from '@billing/kernel/domain-error';
import { positionAfter, toCursor } from './feed-cursor';

const range = { oldest: 5, newest: 9, restoreCode: '' };
const restored = { oldest: 1, newest: 9, restoreCode: 'WH5C2' };

describe('a cursor', () => {
  test.each([
    ['4', 4],
    ['9', 9],
    [undefined, 4],
  ])('%s continues after the position %d', (cursor, position) => {
    expect(positionAfter(cursor, range)).toBe(position);
  });

  test.each(['0', undefined])('%s reads an empty feed from its start', (cursor) => {
    expect(positionAfter(cursor, { oldest: undefined, newest: 0, restoreCode: '' })).toBe(0);
  });

  test.each(['3', '0', 'WH5C2.7'])('%s leads to events that are not kept', (cursor) => {
    expect(refusalOf(cursor)).toEqual({
      kind: 'gone',
      reason: 'CURSOR_EXPIRED',
      message: 'Events after this cursor are no longer kept',
      fields: undefined,
    });
  });

  test.each([
    ['WH5C2.4', 4],
    ['WH5C2.0', 0],
    ['0', 0],
    [undefined, 0],
  ])('%s continues in a feed after a restore after the position %d', (cursor, position) => {
    expect(positionAfter(cursor, restored)).toBe(position);
  });

  test.each(['4', 'WJWQ0.4'])('%s is of a feed before the restore', (cursor) => {
    expect(refusalOf(cursor, restored)).toMatchObject({ reason: 'CURSOR_EXPIRED' });
  });

  test('a cursor names the restore', () => {
    expect([toCursor(4, ''), toCursor(4, 'WH5C2')]).toEqual(['4', 'WH5C2.4']);
  });

  test.each(['', '-1', '1.5', '01', ' 4', 'x', 'wh5c2.7', '9e3'])('%j is no cursor', (cursor) => {
    expect(refusalOf(cursor)).toMatchObject({ fields: { after: ['Must be a cursor'] } });
  });

  test.each(['10', '999999999999'])('%s is beyond the newest event', (cursor) => {
    expect(refusalOf(cursor)).toMatchObject({ fields: { after: ['Beyond the newest event'] } });
  });
});

function refusalOf(
  cursor: string,
  of = range,
): {
  kind: string;
  reason: string;
  message: string;
  fields: FieldErrors | undefined;
} {
  try {
    positionAfter(cursor, of);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { kind, reason, message, fields } = error;
    return { kind, reason, message, fields };
  }
  throw new Error(`${cursor} was accepted`);
}
