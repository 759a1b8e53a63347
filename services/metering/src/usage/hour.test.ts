import fc from 'fast-check';
import { hourOf, seriesHours } from './hour';

const event = fc.record({
  customerId: fc.constantFrom('ada', 'bob'),
  meterId: fc.constantFrom('calls', 'bytes'),
  timestamp: fc.date({
    min: new Date('2026-03-10T10:30:00Z'),
    max: new Date('2026-03-10T13:30:00Z'),
    noInvalidDate: true,
  }),
});

test('the hours are exactly those that contain events, once each', () => {
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const key = (customerId: string, meterId: string, hour: Date) =>
        `${customerId} ${meterId} ${hour.toISOString()}`;
      const expected = events.map(({ customerId, meterId, timestamp }) =>
        key(customerId, meterId, hourOf(timestamp)),
      );
      const hours = seriesHours(events).map((one) => key(one.customerId, one.meterId, one.hour));
      expect(hours.toSorted()).toEqual([...new Set(expected)].toSorted());
    }),
  );
});
