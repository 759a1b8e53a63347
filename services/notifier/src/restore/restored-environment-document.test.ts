import { announcedEvents, exampleEvent } from '@billing/chassis/testing/announced-events';
import { announceRestore, restoredEnvironmentDefinition } from './restored-environment-document';

const id = '01900000-0000-7000-8000-000000000002';
const restore = {
  id: '0197a000-0000-7000-8000-000000000101',
  code: 'WH5C2',
  at: new Date('2026-11-22T15:30:00.000Z'),
  instant: new Date('2026-11-22T15:00:00.000Z'),
  openedAt: new Date('2026-11-22T15:40:00.000Z'),
};
const environment = { id, restore: null };

test('the event of environment-restored.json is announced as the file has it', () => {
  const transition = announceRestore(environment, restore);
  const write = { service: 'notifier', transition, restoreCode: restore.code };
  expect(announcedEvents(restoredEnvironmentDefinition, write)).toEqual([
    exampleEvent('environment-restored'),
  ]);
});

test('a restore is announced once', () => {
  const { state } = announceRestore(environment, restore);
  const again = announceRestore(state, restore);
  expect(again).toEqual({ state, events: [], commands: [] });
  expect(again.state).toBe(state);
  const next = announceRestore(state, { ...restore, id: '0197a000-0000-7000-8000-000000000102' });
  expect(next.events).toHaveLength(1);
});
