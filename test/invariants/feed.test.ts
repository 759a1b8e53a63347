import { eventsHaveOneContent, feedIsWhole } from './feed';
import { feed, whole } from './testing';

test('a number that a restore has lost may be used again under its code', () => {
  const [first, second, third] = feed.entries;
  const event = { ...second!.event!, id: 'again', restoreCode: 'WH5C2' };
  const again = { ...second!, position: 3, event };
  const entries = [first!, second!, again, { ...third!, position: 4 }];
  const picture = { ...whole, feed: { ...feed, entries, newest: 4 } };
  expect(feedIsWhole.examine(picture)?.findings).toEqual([]);
  expect(eventsHaveOneContent.examine(picture)?.findings).toEqual([]);
});
