import { countText, dayText } from './text';

/** What became of something on a day. */
export interface StripDay {
  readonly day: string;
  readonly good: number;
  readonly bad: number;
}

/** One cell for each day: all went well, some failed, all failed, or nothing happened. */
export function Strip({ caption, days }: { caption: string; days: readonly StripDay[] }) {
  const good = days.reduce((sum, day) => sum + day.good, 0);
  const bad = days.reduce((sum, day) => sum + day.bad, 0);
  const said = `${caption}: in ${String(days.length)} days ${countText(good)} went well, ${countText(bad)} failed`;
  return (
    <span className="strip" role="img" aria-label={said}>
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
  return `${dayText(day)}: ${countText(good)} went well, ${countText(bad)} failed`;
}
