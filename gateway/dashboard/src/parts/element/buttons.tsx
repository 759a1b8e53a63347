import { Check, Copy, LoaderCircle, X } from 'lucide-react';
import { type ComponentProps, useId, useState } from 'react';
import { Tooltip } from './tooltip';

/** A button; a `refusal` disables it and is shown as the reason. A busy button shows a spinner. */
export function Button({
  tone = 'quiet',
  refusal,
  isBusy = false,
  className,
  children,
  ...rest
}: ComponentProps<'button'> & {
  readonly tone?: 'main' | 'quiet' | 'danger' | 'plain';
  readonly refusal?: string | undefined;
  readonly isBusy?: boolean;
}) {
  const id = useId();
  const isRefused = refusal !== undefined;
  const button = (
    <button
      type="button"
      {...rest}
      className={`button ${tone} ${className ?? ''}`.trimEnd()}
      disabled={rest.disabled === true || isBusy || isRefused}
      aria-busy={isBusy || rest['aria-busy']}
      aria-describedby={isRefused ? id : rest['aria-describedby']}
    >
      {isBusy && <LoaderCircle className="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
  if (!isRefused) return button;
  return (
    <span className="refused">
      {button}
      <span id={id} className="faint">
        {refusal}
      </span>
    </span>
  );
}

/** Copies a text and confirms it. */
export function CopyButton({
  text,
  what,
  label,
}: {
  text: string | (() => string);
  what: string;
  /** Visible text; without one the button is an icon. */
  label?: string;
}) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async () => {
    const isCopied = await copied(typeof text === 'string' ? text : text());
    setState(isCopied ? 'copied' : 'failed');
  };
  const Icon = copyIcons[state];
  return (
    <span className="copy">
      <Tooltip text={copyTexts[state]}>
        <button
          type="button"
          className={label === undefined ? 'button plain icon-only' : 'button plain'}
          aria-label={label === undefined ? `Copy ${what}` : `${label}: ${what}`}
          onClick={() => void copy()}
        >
          <Icon aria-hidden="true" />
          {label !== undefined && ` ${label}`}
        </button>
      </Tooltip>
      <span role="status" className="unseen">
        {state !== 'idle' && copyTexts[state]}
      </span>
    </span>
  );
}

const copyIcons = { idle: Copy, copied: Check, failed: X } as const;
const copyTexts = {
  idle: 'Copy',
  copied: 'Copied',
  failed: 'Copy failed. Select the text to copy it',
} as const;

/** A text to copy, such as a key or a command. */
export function CopyText({ text, what }: { text: string; what: string }) {
  return (
    <div className="copy-text">
      <pre tabIndex={0} aria-label={what} role="region">
        <code>{text}</code>
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    // The clipboard is unavailable on plain HTTP, except on localhost.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
