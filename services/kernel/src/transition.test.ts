import { unchanged } from './transition';

test('an unchanged transition keeps the very same state and sends nothing', () => {
  const state = { status: 'ACTIVE' };
  const transition = unchanged(state);

  expect(transition).toEqual({ state, events: [], commands: [] });
  expect(transition.state).toBe(state);
});
