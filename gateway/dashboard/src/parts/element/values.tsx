import { CircleAlert, CircleCheck, CircleDashed, Clock } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from './buttons';
import { labelText, moneyText } from '../text/text';
import { dayText, instantText, utcText } from '../text/time-text';

export function Money({
  amount,
  currency,
}: {
  amount: number | string | bigint;
  currency: string;
}) {
  return <span className="number">{moneyText(amount, currency)}</span>;
}

/** Time to the second, or a dash; in UTC on hover. */
export function Instant({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <>–</>;
  return (
    <time className="number" dateTime={at} title={utcText(at)}>
      {instantText(at)}
    </time>
  );
}

/** Time in UTC, for times that are typed in UTC: of a sandbox's clock, or of a change. */
export function ClockTime({ at }: { at: string }) {
  return (
    <time className="number" dateTime={at}>
      {utcText(at)}
    </time>
  );
}

/** Day, or a dash; the time in UTC on hover. */
export function Day({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <>–</>;
  return (
    <time dateTime={at} title={utcText(at)}>
      {dayText(at)}
    </time>
  );
}

/** Abbreviated id; whole on hover. */
export function ShortIdText({ id }: { id: string }) {
  return <code title={id}>{id.length > 13 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id}</code>;
}

/** Abbreviated id; the copy button copies the whole id. */
export function ShortId({ id, what }: { id: string; what: string }) {
  return (
    <span className="number">
      <ShortIdText id={id} /> <CopyButton text={id} what={`${what} ${id}`} />
    </span>
  );
}

const tones: Readonly<Record<string, 'good' | 'bad' | 'wait'>> = {
  ACTIVE: 'good',
  APPLIED: 'good',
  COMPLETE: 'good',
  DELIVERED: 'good',
  DONE: 'good',
  PAID: 'good',
  READY: 'good',
  SENT: 'good',
  SUCCEEDED: 'good',
  WON: 'good',
  BOUNCED: 'bad',
  CANCELED: 'bad',
  EXPIRED: 'bad',
  FAILED: 'bad',
  FAILING: 'bad',
  LOST: 'bad',
  PAST_DUE: 'bad',
  REVOKED: 'bad',
  UNCOLLECTIBLE: 'bad',
  OPEN: 'wait',
  RUNNING: 'wait',
  SCHEDULED: 'wait',
  PENDING: 'wait',
  WAITING: 'wait',
  ON_TRIAL: 'wait',
  PAUSED: 'wait',
};

const icons = { good: CircleCheck, bad: CircleAlert, wait: Clock, plain: CircleDashed } as const;

/** Badge of a status of the API, such as PAST_DUE. The text alone carries the meaning. */
export function StatusBadge({ status }: { status: string }) {
  const tone = tones[status] ?? 'plain';
  const Icon = icons[tone];
  return (
    <span className={`badge ${tone}`}>
      <Icon aria-hidden="true" />
      {labelText(status)}
    </span>
  );
}

/** List of names and values. */
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
