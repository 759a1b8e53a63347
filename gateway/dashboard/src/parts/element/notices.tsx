import type { ReactNode } from 'react';
import { ApiProblem } from '../../api/problem';
import { useRetriedFailure } from '../../api/queries';
import { Button, CopyButton } from './buttons';
import { Skeleton } from './skeleton';

/** Error with a retry button; a fault with its request id. */
export function ErrorNotice({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const requestId = error instanceof ApiProblem ? error.faultId : undefined;
  const fields = error instanceof ApiProblem ? Object.entries(error.details.fields) : [];
  return (
    <div className="notice bad" role="alert">
      <p>
        <strong>{error.message}.</strong> {error instanceof ApiProblem && error.advice}
      </p>
      {fields.length > 0 && (
        <ul>
          {fields.map(([field, messages]) => (
            <li key={field}>
              <code>{field}</code>: {messages.join(', ')}
            </li>
          ))}
        </ul>
      )}
      {requestId !== undefined && (
        <p className="faint">
          Request <code>{requestId}</code> <CopyButton text={requestId} what="request id" />
        </p>
      )}
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** Message that screen readers announce. */
export function Notice({ tone, children }: { tone: 'good' | 'wait'; children: ReactNode }) {
  return (
    <div className={`notice ${tone}`} role="status">
      {children}
    </div>
  );
}

/** Message while a request of unknown outcome is being retried. */
export function RetryNotice() {
  const failure = useRetriedFailure();
  if (failure === null) return null;
  return (
    <Notice tone="wait">
      <p>
        <strong>{failure.message}.</strong> {failure instanceof ApiProblem && failure.advice}{' '}
        Retrying…
      </p>
    </Notice>
  );
}

/** Progress of a long action; `done` of `total` if they are known. */
export function Progress({
  label,
  done,
  total,
}: {
  label: string;
  done?: number;
  total?: number | undefined;
}) {
  return (
    <div className="progress" role="status">
      <span>{label}</span>
      <progress aria-label={label} {...(total !== undefined && { value: done ?? 0, max: total })} />
    </div>
  );
}

/** Result of a query: a skeleton while loading, the error, or the data. */
export function Answer<T>({
  of: { data, error, refetch },
  what,
  rows,
  children,
}: {
  of: {
    readonly data: T | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  /** Name of the data: “Loading customers”. */
  what: string;
  /** Number of lines of the skeleton. */
  rows?: number;
  children: (answer: T) => ReactNode;
}) {
  if (data !== undefined) return children(data);
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return <Skeleton label={`Loading ${what}`} rows={rows} />;
}

/** Alert after a press that failed; nothing without a text. */
export function FailureText({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <span role="alert" className="problem">
      {text}
    </span>
  );
}
