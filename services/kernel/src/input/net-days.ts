import { wholeNumberProblems } from '../input-problems';

const netDaysMax = 365;

/** Problems of a number of days until a sent invoice is due. */
export function netDaysProblems(netDays: number): string[] {
  return wholeNumberProblems(netDays, { min: 0, max: netDaysMax });
}
