import { earliestIdAt } from '../ids';
import { deletableBefore } from './event-retention';

const at = (time: string) => new Date(`2026-06-30T${time}Z`);
const positionAt = (time: string) => earliestIdAt(at(time)).replace('8000', '9abc');

describe('entries of an event log', () => {
  test('are kept while no reader has reported', () => {
    expect(deletableBefore(at('12:00:00'), [])).toBeUndefined();
  });

  test('are kept while a reader has passed none', () => {
    expect(deletableBefore(at('12:00:00'), [positionAt('14:00:00'), ''])).toBeUndefined();
  });

  test.each([
    ['an hour ago or more', ['13:00:00'], '12:00:00'],
    ['within the last hour', ['12:59:59'], '11:59:59'],
    ['long before', ['03:00:00'], '02:00:00'],
    ['at different times', ['14:00:00', '03:00:00', '13:30:00'], '02:00:00'],
  ])('that all readers passed %s are deletable before %j', (_name, passed, expected) => {
    expect(deletableBefore(at('12:00:00'), passed.map(positionAt))).toBe(
      earliestIdAt(at(expected)),
    );
  });
});
