import { LoaderCircle } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../element/buttons';
import { ErrorNotice, RetryNotice } from '../element/notices';

const loadDialog = async () => ({ default: (await import('./dialog-window')).DialogWindow });
const DialogWindow = lazy(loadDialog);

/**
 * A button that opens a dialog; `children` receives the function that closes it. The dialog is also
 * opened by a link with `?open=` and the label.
 */
export function DialogButton({
  label,
  title = label,
  tone = 'main',
  refusal,
  children,
}: {
  label: string;
  title?: string;
  tone?: 'main' | 'quiet' | 'danger' | 'plain';
  refusal?: string | undefined;
  children: (close: () => void) => ReactNode;
}) {
  const opener = useRef<HTMLButtonElement>(null);
  const [isPressed, setPressed] = useState(false);
  const [parameters, setParameters] = useSearchParams();
  const isLinked = refusal === undefined && parameters.get(openParameter) === label;
  const close = () => {
    setPressed(false);
    if (isLinked) setParameters(withoutOpen, { replace: true });
  };
  return (
    <>
      <Button
        ref={opener}
        tone={tone}
        refusal={refusal}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => {
          setPressed(true);
        }}
      >
        {label}
      </Button>
      {(isPressed || isLinked) && (
        <Suspense fallback={<LoaderCircle className="spinner" aria-label="Loading" />}>
          <DialogWindow title={title} opener={opener} onClose={close}>
            {children(close)}
          </DialogWindow>
        </Suspense>
      )}
    </>
  );
}

/** Loads the dialog before the press; the press reports a failure. */
function preload(): void {
  loadDialog().catch(() => undefined);
}

const openParameter = 'open';

function withoutOpen(before: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(before);
  next.delete(openParameter);
  return next;
}

/** A button that asks for confirmation. */
export function ConfirmButton({
  label,
  title,
  confirm = label,
  dismiss = 'Cancel',
  refusal,
  onConfirm,
  tone = 'danger',
  children,
}: {
  label: string;
  title: string;
  /** Label of the confirming button. */
  confirm?: string;
  /** Label of the button that closes the dialog. */
  dismiss?: string;
  refusal?: string | undefined;
  onConfirm: () => Promise<unknown>;
  tone?: 'main' | 'danger' | 'quiet';
  /** Consequence of the action. */
  children: ReactNode;
}) {
  return (
    <DialogButton label={label} title={title} tone="quiet" refusal={refusal}>
      {(close) => (
        <Confirmation {...{ confirm, dismiss, onConfirm, tone, close }}>{children}</Confirmation>
      )}
    </DialogButton>
  );
}

function Confirmation({
  confirm,
  dismiss,
  onConfirm,
  tone,
  close,
  children,
}: {
  confirm: string;
  dismiss: string;
  onConfirm: () => Promise<unknown>;
  tone: 'main' | 'danger' | 'quiet';
  close: () => void;
  children: ReactNode;
}) {
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await onConfirm();
      close();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error('Something went wrong'));
      setBusy(false);
    }
  };
  return (
    <>
      <div>{children}</div>
      {error !== undefined && !isBusy && <ErrorNotice error={error} />}
      {isBusy && <RetryNotice />}
      <div className="actions">
        <Button tone={tone} isBusy={isBusy} onClick={() => void run()}>
          {confirm}
        </Button>
        <Button onClick={close}>{dismiss}</Button>
      </div>
    </>
  );
}
