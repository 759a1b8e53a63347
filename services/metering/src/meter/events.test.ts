import { announcedEvents, exampleEvent } from '@billing/chassis/testing/announced-events';
import { announcedMeters } from './events';
import { changeMeter, createMeter, deleteMeter, markInUse } from './meter';

const service = 'metering';
const fine = { metadataProblems: [] };
const at = new Date('2026-02-01T00:00:00.000Z');
const meter = createMeter(
  { name: 'API calls', unit: 'call', metadata: { team: 'core' } },
  { id: '0197a000-0000-7000-8000-000000000007', ...fine },
);
const renamed = changeMeter(meter, { name: 'Requests', unit: null }, fine);
const later = { service, before: meter, at, sequence: 2 };

test.each([
  ['created', { service, transition: { state: meter, events: [] } }],
  ['updated', { ...later, transition: { state: renamed, events: [] } }],
  ['deleted', { ...later, transition: deleteMeter(meter, at) }],
])('the event of meter-%s.json is announced as the file has it', (name, write) => {
  expect(announcedEvents(announcedMeters, write)).toEqual([exampleEvent(`meter-${name}`)]);
});

test('the first usage of a meter announces nothing', () => {
  expect(announcedEvents(announcedMeters, { ...later, transition: markInUse(meter) })).toEqual([]);
});
