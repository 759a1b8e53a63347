import { firstReachedBetween, newlyReachedAt, recordFirstReached } from './first-reached';

const noon = new Date('2026-01-31T12:00:00Z');
const later = new Date('2026-01-31T12:05:00Z');

describe('first-reached timestamps', () => {
  test('leave a document unchanged that has reached no step', () => {
    expect(recordFirstReached({}, [], noon)).toEqual({});
  });

  test('keep the time of the write that reached each step', () => {
    const started = recordFirstReached({}, ['BEGUN'], noon);
    expect(started).toEqual({ milestones: { BEGUN: noon }, milestonesAt: noon });
    expect(recordFirstReached(started, ['BEGUN'], later)).toEqual(started);
    expect(recordFirstReached(started, ['BEGUN', 'ENDED'], later)).toEqual({
      milestones: { BEGUN: noon, ENDED: later },
      milestonesAt: later,
    });
  });

  test('stay, even if a later decision no longer names the step', () => {
    const started = recordFirstReached({}, ['BEGUN'], noon);
    expect(recordFirstReached(started, [], later)).toEqual(started);
  });

  test('are found by the latest of them, whichever clock set it', () => {
    const ended = recordFirstReached(
      recordFirstReached({}, ['BEGUN'], later),
      ['BEGUN', 'ENDED'],
      noon,
    );
    expect(ended.milestones).toEqual({ BEGUN: later, ENDED: noon });
    expect(ended.milestonesAt).toEqual(later);
  });

  test('are returned with the time of the write that reached them, not a later one', () => {
    const started = recordFirstReached({}, ['BEGUN'], later);
    const ended = recordFirstReached(started, ['BEGUN', 'ENDED'], noon);
    expect(newlyReachedAt(undefined, {})).toBeUndefined();
    expect(newlyReachedAt(undefined, started)).toEqual(later);
    expect(newlyReachedAt(started, recordFirstReached(started, ['BEGUN'], noon))).toBeUndefined();
    expect(newlyReachedAt(started, ended)).toEqual(noon);
  });

  test('of a range include its start and exclude its end', () => {
    const ended = recordFirstReached(
      recordFirstReached({}, ['BEGUN'], noon),
      ['BEGUN', 'ENDED'],
      later,
    );
    expect(firstReachedBetween(ended, { from: noon })).toEqual(['BEGUN', 'ENDED']);
    expect(firstReachedBetween(ended, { from: noon, until: later })).toEqual(['BEGUN']);
    expect(firstReachedBetween(ended, { from: later })).toEqual(['ENDED']);
    expect(firstReachedBetween({}, { from: noon })).toEqual([]);
  });
});
