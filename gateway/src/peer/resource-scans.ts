import type { CallContext } from '@billing/chassis/call-context';
import { connectPeer, type Peer, type PeerOptions } from '@billing/chassis/peer';
import {
  type ExportServiceServer,
  ExportServiceService,
  type ScanResourceRequest,
  type ScanResourceResponse,
} from '@billing/proto/billing/export/v1/export';

/** Services that own exported resources. */
const scannedServices = [
  'catalog',
  'checkout',
  'customer',
  'discount',
  'metering',
  'notifier',
  'subscription',
] as const;

export type ScannedService = (typeof scannedServices)[number];

/** Options of the clients. */
export interface ResourceScansOptions extends Pick<PeerOptions<never>, 'service' | 'security'> {
  readonly addresses: Readonly<Record<ScannedService, string>>;
}

/** Reads pages of the resources of several services. */
export class ResourceScans {
  private readonly peers: Readonly<Record<ScannedService, Peer<ExportServiceServer>>>;

  constructor({ addresses, ...caller }: ResourceScansOptions) {
    const peers = scannedServices.map((name) => {
      // The caller retries: a failure must count once.
      const options = { ...caller, address: addresses[name], retries: false };
      return [name, connectPeer<ExportServiceServer>(ExportServiceService, options)] as const;
    });
    this.peers = Object.fromEntries(peers) as Record<ScannedService, Peer<ExportServiceServer>>;
  }

  /** Next page of a resource of a service. */
  scan(
    service: ScannedService,
    request: ScanResourceRequest,
    context: CallContext,
  ): Promise<ScanResourceResponse> {
    return this.peers[service].scanResource(request, context);
  }

  close(): void {
    for (const peer of Object.values(this.peers)) peer.close();
  }
}
