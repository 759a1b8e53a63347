import type { ReactNode } from 'react';
import { CopyButton } from './buttons';
import { dayText, instantText, moneyText, wordsText } from './text';

export function Money({
  amount,
  currency,
}: {
  amount: number | string | bigint;
  currency: string;
}) {
  return <span className="number">{moneyText(amount, currency)}</span>;
}

/** A time to the second, in UTC; a dash where there is none. */
export function Instant({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <>–</>;
  return (
    <time className="number" dateTime={at}>
      {instantText(at)}
    </time>
  );
}

/** A day, in UTC; a dash where there is none. */
export function Day({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <>–</>;
  return (
    <time dateTime={at} title={instantText(at)}>
      {dayText(at)}
    </time>
  );
}

/** A long id in little room; the whole of it is copied. */
export function ShortId({ id, what }: { id: string; what: string }) {
  return (
    <span className="number">
      <code title={id}>{id.length > 13 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id}</code>{' '}
      <CopyButton text={id} what={`${what} ${id}`} />
    </span>
  );
}

const tones: Readonly<Record<string, 'good' | 'bad' | 'wait'>> = {
  ACTIVE: 'good',
  COMPLETE: 'good',
  DELIVERED: 'good',
  PAID: 'good',
  READY: 'good',
  SUCCEEDED: 'good',
  CANCELED: 'bad',
  EXPIRED: 'bad',
  FAILED: 'bad',
  PAST_DUE: 'bad',
  REVOKED: 'bad',
  UNCOLLECTIBLE: 'bad',
  OPEN: 'wait',
  PENDING: 'wait',
  TRIALING: 'wait',
};

/** A state by its name in the API, such as PAST_DUE; what it says never hangs on its colour. */
export function StatusBadge({ status }: { status: string }) {
  return <span className={`badge ${tones[status] ?? 'plain'}`}>{wordsText(status)}</span>;
}

/** Facts about one thing: names and their values. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
