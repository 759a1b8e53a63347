import type { ReplicaHealth } from '../replicas/replica-store';
import type { EventStream } from '../stream/jet-stream';
import { certificateExpiry } from '../telemetry/observe-machine';
import type { ServiceConfiguration } from './configuration';
import type { PeriodicWork } from './periodic-work';

const readEveryMs = 30_000;

interface ReplicaHealthSources {
  readonly configuration: Pick<ServiceConfiguration, 'GRPC_TLS_CERT' | 'GRPC_TLS_CERT_FILE'>;
  readonly stream: Pick<EventStream, 'state'>;
  readonly slices: { showHealth(health: ReplicaHealth): void };
}

/** Shows the state of the stream and of the certificate in the heartbeats of this replica. */
export function replicaHealthWork({
  configuration,
  stream,
  slices,
}: ReplicaHealthSources): PeriodicWork {
  const { GRPC_TLS_CERT: given, GRPC_TLS_CERT_FILE: file } = configuration;
  let certificateUntil: Date | undefined;
  return {
    name: 'read stream and certificate',
    everyMs: readEveryMs,
    run: async () => {
      const { isConnected, missingReplicas = 0 } = await stream.state();
      const here = missingReplicas > 0 ? 'short' : 'up';
      if (given !== undefined) {
        // Unreadable while it is replaced.
        certificateUntil = await certificateExpiry({ given, file }).catch(() => certificateUntil);
      }
      slices.showHealth({
        stream: isConnected ? here : 'down',
        ...(certificateUntil !== undefined && { certificateUntil }),
      });
    },
    writes: 'nothing',
  };
}
