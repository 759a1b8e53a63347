import { type ButtonHTMLAttributes, useId, useState } from 'react';

/** A button; with a `refusal` it cannot be pressed and says why. */
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

/** Copies a text, and says that it did. */
export function CopyButton({ text, what }: { text: string | (() => string); what: string }) {
  const [told, setTold] = useState('');
  const copy = async () => {
    const isCopied = await copied(typeof text === 'string' ? text : text());
    setTold(isCopied ? 'Copied' : 'Select and copy it yourself');
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
        {told}
      </span>
    </span>
  );
}

/** A text to be taken elsewhere, such as a key or a command. */
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
    // Absent where the page came over plain HTTP from another machine.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
