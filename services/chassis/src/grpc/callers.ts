import type { DueWorkServiceServer } from '@billing/proto/billing/clock/v1/due_work';
import type { ErasureServiceServer } from '@billing/proto/billing/erasure/v1/erasure';
import type { EventLogServiceServer } from '@billing/proto/billing/event/v1/event_log';
import type { ExportServiceServer } from '@billing/proto/billing/export/v1/export';
import type { SearchServiceServer } from '@billing/proto/billing/search/v1/search';
import type { SystemServiceServer } from '@billing/proto/billing/system/v1/system';
import type { ServerUnaryCall } from '@grpc/grpc-js';
import { DomainError } from '@billing/kernel/domain-error';
import type { Logger } from '../telemetry/logging';
import type { AsyncHandlers } from './rpc';

/** Names of the services that may call each method of a gRPC service. */
export type Callers<S> = Readonly<Record<keyof AsyncHandlers<S>, readonly string[]>>;

const namePrefix = 'billing-';

/**
 * Reads the services that a certificate identifies from the subject alternative names as Node
 * prints them: `billing-<service>`, alone or followed by a domain.
 */
export function servicesOfCertificate(subjectAltNames: string | undefined): string[] {
  // Node quotes values with separators, which no service name contains.
  if (subjectAltNames === undefined || subjectAltNames.includes('"')) return [];
  return subjectAltNames.split(', ').flatMap((name) => {
    const [label = ''] = name.startsWith('DNS:') ? name.slice('DNS:'.length).split('.') : [];
    return label.startsWith(namePrefix) ? [label.slice(namePrefix.length)] : [];
  });
}

/**
 * Throws permission unless the certificate of the calling process identifies one of the method's
 * callers.
 */
export function refuseUnnamedCaller(
  call: Pick<ServerUnaryCall<unknown, unknown>, 'getAuthContext'>,
  { path, callers, logger }: { path: string; callers: readonly string[]; logger: Logger },
): void {
  const names = call.getAuthContext().sslPeerCertificate?.subjectaltname;
  const services = servicesOfCertificate(names);
  if (services.some((service) => callers.includes(service))) return;
  logger.warn({ rpc: path, caller: names, callers }, 'call refused, caller not allowed');
  throw new DomainError('permission', 'CALLER_NOT_ALLOWED', 'The caller may not call this method');
}

/** The dashboard shows every service and its stuck commands; identity deletes environments. */
export const systemCallers: Callers<SystemServiceServer> = {
  getStatus: ['gateway'],
  listStuckCommands: ['gateway'],
  retryStuckCommand: ['gateway'],
  skipStuckCommand: ['gateway'],
  deleteEnvironment: ['identity'],
};

/** Only identity advances clocks. */
export const dueWorkCallers: Callers<DueWorkServiceServer> = {
  getNextDue: ['identity'],
  runDue: ['identity'],
  getActivity: ['identity'],
};

/** Only the notifier reads events. */
export const eventLogCallers: Callers<EventLogServiceServer> = {
  readEventLog: ['notifier'],
  getEventLogEntries: ['notifier'],
};

/** The dashboard searches; subscription finds its resources by their customers and products. */
export const searchCallers: Callers<SearchServiceServer> = {
  search: ['gateway', 'subscription'],
};

/** Only the gateway exports. */
export const exportCallers: Callers<ExportServiceServer> = {
  scanResource: ['gateway'],
};

/** Customer orders the erasure of a customer; notifier blanks the messages of others' events. */
export const erasureCallers: Callers<ErasureServiceServer> = {
  eraseCustomer: ['customer'],
  listAnnouncedSubjects: ['notifier'],
};
