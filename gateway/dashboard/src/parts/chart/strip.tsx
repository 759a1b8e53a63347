import { countText } from '../text/text';
import { dayText } from '../text/time-text';

/** Number of successes and failures of a day. */
export interface StripDay {
  readonly day: string;
  readonly good: number;
  readonly bad: number;
}

/** One cell per day: all succeeded, some failed, all failed, or no data. */
export function Strip({ caption, days }: { caption: string; days: readonly StripDay[] }) {
  const good = days.reduce((sum, day) => sum + day.good, 0);
  const bad = days.reduce((sum, day) => sum + day.bad, 0);
  const label = `${caption}: ${countText(good)} succeeded and ${countText(bad)} failed in ${String(days.length)} days`;
  return (
    <span className="strip" role="img" aria-label={label}>
      {days.map((day) => (
        <span key={day.day} className={stateOf(day)} title={titleOf(day)} />
      ))}
    </span>
  );
}

function stateOf({ good, bad }: StripDay): string {
  if (good + bad === 0) return 'nothing';
  if (bad === 0) return 'good';
  return good === 0 ? 'bad' : 'wait';
}

function titleOf({ day, good, bad }: StripDay): string {
  return `${dayText(day)}: ${countText(good)} succeeded, ${countText(bad)} failed`;
}
