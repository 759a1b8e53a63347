import { Metadata, status, type ServiceError, type StatusObject } from '@grpc/grpc-js';
import { DomainError, type DomainErrorKind } from '@billing/kernel/domain-error';
import { BadRequest, ErrorInfo } from '@billing/proto/google/rpc/error_details';
import { Status } from '@billing/proto/google/rpc/status';

// The only place that converts domain errors to gRPC statuses and back. `kind` is sent in the
// metadata of ErrorInfo, because several kinds share a status code.

const detailsKey = 'grpc-status-details-bin';
const domain = 'billing';
const errorInfoUrl = 'type.googleapis.com/google.rpc.ErrorInfo';
const badRequestUrl = 'type.googleapis.com/google.rpc.BadRequest';

/** A message that a status carries in addition to its code and text. */
interface StatusDetail {
  readonly typeUrl: string;
  readonly value: Buffer<ArrayBuffer>;
}

/** gRPC status of every kind of domain error. */
export const statusOfKind: Readonly<Record<DomainErrorKind, status>> = {
  invalid_input: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  permission: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  already_exists: status.ALREADY_EXISTS,
  failed_precondition: status.FAILED_PRECONDITION,
  stale: status.ABORTED,
  gone: status.OUT_OF_RANGE,
  idempotency_mismatch: status.INVALID_ARGUMENT,
  resource_exhausted: status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
};

/**
 * Converts an error to the status that the server sends. Anything but a DomainError is a bug:
 * INTERNAL with a fixed text; the cause stays in the log.
 */
export function toStatus(error: unknown): Partial<StatusObject> {
  if (isServiceError(error)) return toStatus(fromServiceError(error));
  if (!(error instanceof DomainError)) {
    return statusWith(status.INTERNAL, 'Internal error', [errorInfo('INTERNAL', {})]);
  }
  const { reason, kind, message, fields, retryAfterSeconds } = error;
  const info: Record<string, string> = { kind };
  if (retryAfterSeconds !== undefined) info.retryAfter = String(retryAfterSeconds);
  const details = [errorInfo(reason, info)];
  if (fields !== undefined) {
    details.push({ typeUrl: badRequestUrl, value: encodeViolations(fields) });
  }
  return statusWith(statusOfKind[kind], message, details);
}

function errorInfo(reason: string, metadata: Record<string, string>): StatusDetail {
  const info = ErrorInfo.encode({ reason, domain, metadata }).finish();
  return { typeUrl: errorInfoUrl, value: Buffer.from(info) };
}

function statusWith(
  code: status,
  message: string,
  details: readonly StatusDetail[],
): Partial<StatusObject> {
  const metadata = new Metadata();
  const sent = Status.encode({ code, message, details: [...details] }).finish();
  metadata.set(detailsKey, Buffer.from(sent));
  return { code, details: message, metadata };
}

/**
 * Converts a failed call to the peer's DomainError, or to an error for its gRPC code if the peer
 * sent none.
 */
export function fromServiceError(error: ServiceError): Error {
  const sent = readDetails(error.metadata);
  if (sent?.info !== undefined && isErrorKind(sent.info.metadata.kind)) {
    return new DomainError(sent.info.metadata.kind, sent.info.reason, error.details, {
      fields: sent.fields,
      retryAfterSeconds: secondsOf(sent.info.metadata.retryAfter),
      cause: error,
    });
  }
  if (error.code === status.UNAVAILABLE || error.code === status.RESOURCE_EXHAUSTED) {
    return peerUnavailable(error);
  }
  // Servers mark their own faults in the details. Without them the library reports a stream that
  // was cut.
  if (error.code === status.INTERNAL && sent?.info === undefined) return peerUnavailable(error);
  if (error.code === status.DEADLINE_EXCEEDED || error.code === status.CANCELLED) {
    return new DeadlineExceededError(error);
  }
  return new Error(`Peer failed: ${error.message}`, { cause: error });
}

/**
 * Error of a call without an answer: connection or stream was lost, or the peer refused the call.
 * The outcome is unknown.
 */
export function peerUnavailable(cause: ServiceError): DomainError {
  return new DomainError('unavailable', 'PEER_UNAVAILABLE', 'Service unavailable', { cause });
}

/** True if request or response exceeded the maximum message size; a smaller call may succeed. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof DomainError) || !isServiceError(error.cause)) return false;
  return error.reason === 'PEER_UNAVAILABLE' && error.cause.code === status.RESOURCE_EXHAUSTED;
}

/** True if the peer does not know the call, because it is of an earlier release. */
export function isUnimplemented(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return isServiceError(cause) && cause.code === status.UNIMPLEMENTED;
}

/** Error of a call whose deadline has passed. The outcome is unknown. */
export class DeadlineExceededError extends Error {
  constructor(cause?: unknown) {
    super('Timed out', { cause });
    this.name = 'DeadlineExceededError';
  }
}

/** Status for an error that a handler threw, timeouts included. */
export function toServerStatus(error: unknown): Partial<StatusObject> {
  if (error instanceof DeadlineExceededError) {
    return { code: status.DEADLINE_EXCEEDED, details: 'Timed out', metadata: new Metadata() };
  }
  return toStatus(error);
}

/** Status code that a server sends for an outcome; `error` is undefined on success. */
export function sentCodeOf(error: unknown): status {
  if (error === undefined) return status.OK;
  return toServerStatus(error).code ?? status.UNKNOWN;
}

/** Status code that a client received, or that ended its call; `error` is undefined on success. */
export function receivedCodeOf(error: unknown): status {
  const received = error instanceof Error && isServiceError(error.cause) ? error.cause : undefined;
  return received?.code ?? sentCodeOf(error);
}

/** True if an error is a fault of the system rather than an answer. */
export function isBug(error: unknown): boolean {
  return !(error instanceof DomainError) && !(error instanceof DeadlineExceededError);
}

function encodeViolations(
  fields: Readonly<Record<string, readonly string[]>>,
): Buffer<ArrayBuffer> {
  const fieldViolations = Object.entries(fields).flatMap(([field, messages]) =>
    messages.map((description) => ({ field, description })),
  );
  return Buffer.from(BadRequest.encode({ fieldViolations }).finish());
}

function readDetails(
  metadata: Metadata,
): { info: ErrorInfo | undefined; fields: Record<string, string[]> | undefined } | undefined {
  const packed = metadata.get(detailsKey)[0];
  if (packed === undefined || typeof packed === 'string') return undefined;
  let info: ErrorInfo | undefined;
  let fields: Record<string, string[]> | undefined;
  for (const detail of Status.decode(packed).details) {
    if (detail.typeUrl === errorInfoUrl) info = ErrorInfo.decode(detail.value);
    if (detail.typeUrl === badRequestUrl) {
      fields = {};
      for (const { field, description } of BadRequest.decode(detail.value).fieldViolations) {
        (fields[field] ??= []).push(description);
      }
    }
  }
  return { info, fields };
}

function secondsOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function isErrorKind(text: string | undefined): text is DomainErrorKind {
  return text !== undefined && Object.hasOwn(statusOfKind, text);
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'metadata' in error && 'details' in error;
}
