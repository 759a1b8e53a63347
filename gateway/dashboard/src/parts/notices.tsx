import type { ReactNode } from 'react';
import { ApiProblem } from '../api/problem';
import { useRetriedFailure } from '../api/queries';
import { Button, CopyButton } from './buttons';

/** What happened, by which request, and a way to try again. */
export function ErrorNotice({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const requestId = error instanceof ApiProblem ? error.details.requestId : undefined;
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

/** Something to know, told to screen readers when it appears. */
export function Notice({ tone, children }: { tone: 'good' | 'wait'; children: ReactNode }) {
  return (
    <div className={`notice ${tone}`} role="status">
      {children}
    </div>
  );
}

/** Says that a request of unknown outcome is being sent again; nothing while none is. */
export function RetryNotice() {
  const failure = useRetriedFailure();
  if (failure === null) return null;
  return (
    <Notice tone="wait">
      <p>
        <strong>{failure.message}.</strong> {failure instanceof ApiProblem && failure.advice} Trying
        again now…
      </p>
    </Notice>
  );
}

/** Something is going on; with `done` of `total` it says how far. */
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

/** What a page shows of a question: that it is asked, what went wrong, or what was answered. */
export function Answer<T>({
  of: { data, error, refetch },
  what,
  children,
}: {
  of: {
    readonly data: T | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  /** What is asked for: “Loading customers”. */
  what: string;
  children: (answer: T) => ReactNode;
}) {
  if (data !== undefined) return children(data);
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return <Progress label={`Loading ${what}`} />;
}
