import { pathSegments } from '@billing/proto/values/path-segments';
import { routes } from '../routes';

test('scopes are named after the first path segments of all routes', () => {
  const ofRoutes = new Set(routes.map(({ path }) => path.split('/')[1]));
  expect([...ofRoutes].sort()).toEqual([...pathSegments].sort());
});
