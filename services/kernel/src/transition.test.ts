import { unchanged } from './transition';

test('an unchanged transition keeps the same state object and has no events or commands', () => {
  const state = { status: 'ACTIVE' };
  const transition = unchanged(state);

  expect(transition).toEqual({ state, events: [], commands: [] });
  expect(transition.state).toBe(state);
});
