import { useEnvironment } from '../api/environment';
import { useResource } from '../api/queries';

/** Latest known time of the environment. */
export function useNow(): string {
  const environment = useEnvironment();
  const { data } = useResource<{ now: string }>('/v1/sandboxes/clock');
  return data?.now ?? environment.now;
}
