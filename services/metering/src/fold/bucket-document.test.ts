import { emptyBucket } from './bucket';
import {
  fromHourDocument,
  fromSpanDocument,
  hourId,
  spanId,
  spanStartId,
  toHourDocument,
} from './bucket-document';
import { emptyHour } from './hour-bucket';

const owner = { environmentId: 'e', k: 'e:c:m:' };
const readAt = new Date('2026-11-23T00:00:00Z');

test('hours and spans of a sandbox that starts in 1970 are stored, also those before', () => {
  const hours = [-840, -1, 0, 1, 490_000];
  expect(
    hours.map((hour) => fromHourDocument(toHourDocument(owner, emptyHour(hour))).hour),
  ).toEqual(hours);
  const span = {
    start: new Date('1969-12-01T00:00:00.001Z'),
    end: new Date('1970-01-01T00:00:00Z'),
  };
  const document = { ...owner, ...emptyBucket, _id: spanId(owner.k, span), building: true, readAt };
  expect(fromSpanDocument(document)).toMatchObject(span);
});

test('ids of hours and spans sort by time', () => {
  const hours = [-840, -1, 0, 35, 36, 490_000, 60_000_000].map((hour) => hourId('k', hour));
  expect(hours.toSorted()).toEqual(hours);
  const starts = ['1969-12-01', '1970-01-01', '2026-11-23', '8999-12-31'].map((day) =>
    spanStartId('k', new Date(day)),
  );
  expect(starts.toSorted()).toEqual(starts);
});
