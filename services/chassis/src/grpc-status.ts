import { Metadata, status, type ServiceError, type StatusObject } from '@grpc/grpc-js';
import { DomainError, type DomainErrorKind } from '@billing/kernel/domain-error';
import { BadRequest, ErrorInfo } from '@billing/proto/google/rpc/error_details';
import { Status } from '@billing/proto/google/rpc/status';

// The one place where domain errors become gRPC statuses and back. `kind` travels in ErrorInfo's metadata, because several kinds share
// a status code.

const detailsKey = 'grpc-status-details-bin';
const domain = 'billing';
const errorInfoUrl = 'type.googleapis.com/google.rpc.ErrorInfo';
const badRequestUrl = 'type.googleapis.com/google.rpc.BadRequest';

/** Every kind of domain error and its gRPC status. */
export const statusOfKind: Readonly<Record<DomainErrorKind, status>> = {
  invalid_input: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  permission: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  already_exists: status.ALREADY_EXISTS,
  failed_precondition: status.FAILED_PRECONDITION,
  stale: status.ABORTED,
  idempotency_mismatch: status.INVALID_ARGUMENT,
  resource_exhausted: status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
};

/** What the server sends for an error. Anything but a DomainError is a bug: INTERNAL with a fixed text, its cause stays in the log. */
export function toStatus(error: unknown): Partial<StatusObject> {
  if (isServiceError(error)) return toStatus(fromServiceError(error));
  if (!(error instanceof DomainError)) {
    return { code: status.INTERNAL, details: 'Internal error', metadata: new Metadata() };
  }
  const code = statusOfKind[error.kind];
  const { reason, kind, fields } = error;
  const info = ErrorInfo.encode({ reason, domain, metadata: { kind } }).finish();
  const details = [{ typeUrl: errorInfoUrl, value: Buffer.from(info) }];
  if (fields !== undefined) {
    details.push({ typeUrl: badRequestUrl, value: encodeViolations(fields) });
  }
  const metadata = new Metadata();
  metadata.set(
    detailsKey,
    Buffer.from(Status.encode({ code, message: error.message, details }).finish()),
  );
  return { code, details: error.message, metadata };
}

/** What a failed call means: the peer's DomainError, or its gRPC code where it sent none. */
export function fromServiceError(error: ServiceError): Error {
  const sent = readDetails(error.metadata);
  if (sent?.info !== undefined && isErrorKind(sent.info.metadata.kind)) {
    return new DomainError(sent.info.metadata.kind, sent.info.reason, error.details, {
      fields: sent.fields,
      cause: error,
    });
  }
  if (error.code === status.UNAVAILABLE || error.code === status.RESOURCE_EXHAUSTED) {
    return new DomainError('unavailable', 'PEER_UNAVAILABLE', 'Service unavailable', {
      cause: error,
    });
  }
  if (error.code === status.DEADLINE_EXCEEDED || error.code === status.CANCELLED) {
    return new DeadlineExceededError(error);
  }
  return new Error(`Peer failed: ${error.message}`, { cause: error });
}

/** Whether request or answer was larger than a message may be: a call for less may succeed. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof DomainError) || !isServiceError(error.cause)) return false;
  return error.reason === 'PEER_UNAVAILABLE' && error.cause.code === status.RESOURCE_EXHAUSTED;
}

/** Nobody waits any more; the outcome of the call is unknown. */
export class DeadlineExceededError extends Error {
  constructor(cause?: unknown) {
    super('Timed out', { cause });
    this.name = 'DeadlineExceededError';
  }
}

/** The status for an error a handler threw, time-outs included. */
export function toServerStatus(error: unknown): Partial<StatusObject> {
  if (error instanceof DeadlineExceededError) {
    return { code: status.DEADLINE_EXCEEDED, details: 'Timed out', metadata: new Metadata() };
  }
  return toStatus(error);
}

/** Whether an error is a fault of ours rather than an answer. */
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

function isErrorKind(text: string | undefined): text is DomainErrorKind {
  return text !== undefined && Object.hasOwn(statusOfKind, text);
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'metadata' in error && 'details' in error;
}
