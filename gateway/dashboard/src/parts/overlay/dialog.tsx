import { Dialog as Base } from '@base-ui/react/dialog';
import {
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../element/buttons';
import { ErrorNotice, RetryNotice } from '../element/notices';

/** What Escape does instead of closing the dialog. */
const EscapeContext = createContext<RefObject<(() => void) | undefined>>({ current: undefined });

/** Lets Escape do something else in the dialog around; undefined: it closes the dialog. */
export function useEscape(run: (() => void) | undefined): void {
  const escape = useContext(EscapeContext);
  useLayoutEffect(() => {
    escape.current = run;
    return () => {
      escape.current = undefined;
    };
  }, [escape, run]);
}

/**
 * Modal dialog, closed by its buttons and by Escape. A click outside does not close it, because it
 * would discard what was typed.
 */
function Dialog({
  title,
  opener,
  onClose,
  children,
}: {
  title: string;
  /** Button that has the focus afterwards, also if a link opened the dialog. */
  opener: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
  children: ReactNode;
}) {
  const escape = useRef<() => void>(undefined);
  return (
    <Base.Root
      open
      disablePointerDismissal
      onOpenChange={(isOpen) => {
        if (!isOpen) (escape.current ?? onClose)();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="dialog" finalFocus={opener}>
          <Base.Title>{title}</Base.Title>
          <EscapeContext value={escape}>{children}</EscapeContext>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

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
        onClick={() => {
          setPressed(true);
        }}
      >
        {label}
      </Button>
      {(isPressed || isLinked) && (
        <Dialog title={title} opener={opener} onClose={close}>
          {children(close)}
        </Dialog>
      )}
    </>
  );
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
