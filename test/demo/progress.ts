import type { FillingState } from './filling';

const barWidth = 30;

/** One line of progress: `██████░░░░  41 %  month 6 of 13  1,240 requests  1:05 left`. */
export function progressLine(state: FillingState, elapsedMs: number): string {
  const { at, daysDone, days, requests } = state;
  const share = daysDone / days;
  const full = Math.round(share * barWidth);
  return [
    '█'.repeat(full) + '░'.repeat(barWidth - full),
    `${String(Math.floor(share * 100)).padStart(3)} %`,
    at.toISOString().slice(0, 10),
    `${requests.toLocaleString('en-US')} requests`,
    daysDone === days ? `done in ${clockText(elapsedMs)}` : leftText(share, elapsedMs),
  ].join('  ');
}

// The months become fuller: remaining days take longer than past ones. Measured on the default
// plan.
const workGrowth = 1.6;

function leftText(share: number, elapsedMs: number): string {
  const workDone = share ** workGrowth;
  if (share < 0.05) return '';
  return `${clockText(elapsedMs * (1 / workDone - 1))} left`;
}

function clockText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The output of the progress. */
export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Rewrites a line on a terminal; elsewhere prints one line per month. */
export function progressOn(screen: Screen, nowMs: () => number): (state: FillingState) => void {
  const startMs = nowMs();
  let month = '';
  return (state) => {
    const line = progressLine(state, nowMs() - startMs);
    const isDone = state.daysDone === state.days;
    if (screen.isTTY === true) {
      screen.write(`\r\u001b[2K${line}${isDone ? '\n' : ''}`);
      return;
    }
    const monthNow = state.at.toISOString().slice(0, 7);
    if (monthNow === month && !isDone) return;
    month = monthNow;
    screen.write(`${line.trimEnd()}\n`);
  };
}
