import { pathSegments } from '@billing/proto/values/path-segments';
import { routes } from './app';

test('the first segments of all routes are those that scopes are named after', () => {
  const ofRoutes = new Set(routes.map(({ path }) => path.split('/')[1]));
  expect([...ofRoutes].sort()).toEqual([...pathSegments].sort());
});
