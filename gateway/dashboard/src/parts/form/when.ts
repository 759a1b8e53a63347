import { fieldProblem } from '../../api/problem';
import { fromTimeField } from '../text/time-field';
import type { FormValues } from './form-values';

/** Choice of a `WhenField` that shows a field for a time. */
export const chosenTimeChoice = 'TIME';

/** The choice or the time of a `WhenField`, as `at` of the API. */
export function chosenTime(values: Pick<FormValues, 'text' | 'optional'>): string {
  const choice = values.text('when');
  if (choice !== chosenTimeChoice) return choice;
  const time = fromTimeField(values.optional('at'));
  if (time === undefined) throw fieldProblem('at', 'Required');
  return time;
}

/** True for a time, false for a name such as PERIOD_END. */
export function isTime(at: string): boolean {
  return /^\d{4}-/.test(at);
}
