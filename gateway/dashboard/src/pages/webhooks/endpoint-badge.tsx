import { Instant, StatusBadge } from '../../parts/element/values';
import type { endpointStatus } from './endpoint-health';

/** Status of an endpoint, and since when it fails. */
export function EndpointBadge({ status, since }: ReturnType<typeof endpointStatus>) {
  return (
    <>
      <StatusBadge status={status} />
      {since !== null && (
        <div className="faint">
          failing since <Instant at={since} />
        </div>
      )}
    </>
  );
}
