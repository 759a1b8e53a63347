import type { ApiProblem } from '../../api/problem';
import { FormValues } from './form-values';
import { chosenTime, chosenTimeChoice, isTime } from './when';

function valuesOf(fields: Readonly<Record<string, string>>): FormValues {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return new FormValues(data);
}

test('a named time is sent by its name, another one as an instant in UTC', () => {
  expect(chosenTime(valuesOf({ when: 'PERIOD_END' }))).toBe('PERIOD_END');
  const chosen = { when: chosenTimeChoice, at: '2026-08-15T09:30' };
  expect(chosenTime(valuesOf(chosen))).toBe('2026-08-15T09:30:00Z');
});

test('a chosen time must be filled in', () => {
  let problem: unknown;
  try {
    chosenTime(valuesOf({ when: chosenTimeChoice, at: '' }));
  } catch (error) {
    problem = error;
  }
  expect((problem as ApiProblem).details.fields).toEqual({ at: ['Required'] });
});

test('a time begins with a year, the name of a time does not', () => {
  expect(['2026-08-15T09:30:00Z', 'PERIOD_END', 'NOW', 'AUTO'].map(isTime)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
