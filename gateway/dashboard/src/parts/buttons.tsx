import { type ButtonHTMLAttributes, useId, useState } from 'react';

/** A button; a `refusal` disables it and is shown as the reason. */
export function Button({
  tone = 'quiet',
  refusal,
  isBusy = false,
  children,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
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
      className={`button ${tone}`}
      disabled={rest.disabled === true || isBusy || isRefused}
      aria-busy={isBusy}
      aria-describedby={isRefused ? id : rest['aria-describedby']}
    >
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
export function CopyButton({ text, what }: { text: string | (() => string); what: string }) {
  const [message, setMessage] = useState('');
  const copy = async () => {
    const isCopied = await copied(typeof text === 'string' ? text : text());
    setMessage(isCopied ? 'Copied' : 'Copy failed. Select the text to copy it');
  };
  return (
    <span className="copy">
      <button
        type="button"
        className="button plain"
        aria-label={`Copy ${what}`}
        onClick={() => void copy()}
      >
        Copy
      </button>
      <span role="status" className="faint">
        {message}
      </span>
    </span>
  );
}

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
