import type { toJsonRequest } from '@billing/gateway/operator/request-routes';
import { ShortId } from '../../parts/element/values';

export type LoggedRequest = ReturnType<typeof toJsonRequest>;

/** Operator or key that sent a request. */
export function callerText({
  keyPrefix,
  keyLast4,
  operatorEmail,
}: Pick<LoggedRequest, 'keyPrefix' | 'keyLast4' | 'operatorEmail'>): string {
  if (operatorEmail !== null) return operatorEmail;
  return keyPrefix === null ? '–' : `${keyPrefix}…${keyLast4 ?? ''}`;
}

/** Status of a response with its error code. */
export function StatusCode({ status, errorCode }: Pick<LoggedRequest, 'status' | 'errorCode'>) {
  return (
    <>
      <span className={`badge ${toneOf(status)}`}>{status}</span>
      {errorCode !== null && <div className="faint">{errorCode}</div>}
    </>
  );
}

/** Id of a trace, with a link if there is a viewer. */
export function TraceLink({
  traceId,
  traceUrl,
}: {
  traceId: string;
  /** URL template that contains `{traceId}`. */
  traceUrl: string | null;
}) {
  return (
    <>
      {traceUrl === null ? (
        'Trace'
      ) : (
        <a href={traceUrl.replace('{traceId}', encodeURIComponent(traceId))}>Trace</a>
      )}{' '}
      <ShortId id={traceId} what="trace id" />
    </>
  );
}

function toneOf(status: number): string {
  if (status >= 500) return 'bad';
  return status >= 400 ? 'wait' : 'good';
}
